#include "views/timeline/trace_list.h"
#include "tests/support/fake_services.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/run_catalog.h"
#include "views/common/data/trace_owner.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::views {
namespace {

store::TraceRow row(std::int64_t step, int prompt, const std::string& path, std::int64_t recorded) {
    store::TraceRow out;
    out.step = step;
    out.prompt = prompt;
    out.path = store::RunFile("traces/" + path);
    out.recorded = recorded;
    return out;
}

RunData run() {
    RunData data;
    for (const int prompt : {0, 1}) {
        store::SampleRow sample;
        sample.prompt = prompt;
        sample.input = prompt == 0 ? "first text" : "second text";
        data.samples.push_back(sample);
    }
    data.traces = {row(300, 1, "c", 5),   row(100, 1, "a", 1), row(100, 0, "other", 2),
                   row(200, 1, "old", 3), row(200, 1, "b", 4), row(300, -1, "typed", 6)};
    return data;
}

trace::Trace shown(const std::string& prompt) {
    trace::Trace t;
    t.meta = {{"prompt", prompt}, {"run", "r"}, {"checkpoint_step", "200"}};
    return t;
}

TEST(TraceList, AreThoseOfThePromptByTrainingStep) {
    const std::vector<RunTrace> expected{{100, "traces/a"}, {200, "traces/b"}, {300, "traces/c"}};
    EXPECT_EQ(tracesOf(run(), "r", shown("second text")), expected);
}

TEST(TraceList, AreNoneForBranchesOtherRunsAndTypedTexts) {
    EXPECT_TRUE(tracesOf(run(), "r", shown("typed text")).empty());
    EXPECT_TRUE(tracesOf(run(), "another", shown("second text")).empty());
    trace::Trace branch = shown("second text");
    branch.meta["branch_parent"] = "x";
    EXPECT_TRUE(tracesOf(run(), "r", branch).empty());
}

TEST(TraceList, AtAStepIsTheLastOneNotAfterIt) {
    const std::vector<RunTrace> list{{100, "a"}, {200, "b"}, {300, "c"}};
    EXPECT_EQ(traceAt(list, 99), 0);
    EXPECT_EQ(traceAt(list, 199), 0);
    EXPECT_EQ(traceAt(list, 200), 1);
    EXPECT_EQ(traceAt(list, 9000), 2);
    EXPECT_EQ(traceAt({}, 5), -1);
}

TEST(TraceList, HaveATrainingStep) {
    EXPECT_EQ(trainedSteps(shown("x")), 200);
    EXPECT_EQ(trainedSteps(trace::Trace{}), -1);
}

TEST(TraceList, ANewlySelectedRunShowsItsTraceAtThePlayhead) {
    test::guiApp();
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "project.toml") << "name = \"Test\"\n";
    {
        auto writer = std::move(*store::RunWriter::open(folder / "runs" / "b"));
        writer->set("id", "b");
        writer->set("state", "completed");
        for (const int step : {100, 200}) {
            store::TraceRow row;
            row.step = step;
            row.prompt = 0;
            row.text = "one";
            row.path = store::RunFile("traces/step-" + std::to_string(step) + "-prompt-0.safetensors");
            const auto file = folder / "runs" / "b" / row.path.text();  // a trace without a file was deleted
            std::filesystem::create_directories(file.parent_path());
            std::ofstream(file) << "a trace";
            writer->trace(row);
        }
        ASSERT_TRUE(writer->flush());
    }
    const auto project = store::Project::open(folder.path());
    ASSERT_TRUE(project);
    RunCatalog catalog(*project);
    Selection selection;
    Playhead playhead;
    CommandRegistry commands;
    StudioContext context;
    context.project = &*project;
    context.catalog = &catalog;
    context.selection = &selection;
    context.playhead = &playhead;
    context.commands = &commands;
    test::FakeServices services;
    services.offerTo(context);
    TimelinePanel panel(context);
    QStringList& requested = services.replaced;
    ASSERT_TRUE(test::waitFor([&] { return catalog.run("b") != nullptr; }));
    selection.setRuns({"b"});
    playhead.setTrainStep(200);
    // Opened before the run is read.
    auto first = test::syntheticTrace({.steps = 3});
    first.meta["run"] = "b";
    first.meta["prompt"] = "one";
    first.meta["checkpoint_step"] = "100";
    first.file = folder / "runs" / "b" / "traces" / "step-100-prompt-0.safetensors";
    selection.setTrace(std::make_shared<trace::Trace>(first));
    EXPECT_TRUE(requested.isEmpty());
    const WatchedRuns watched(&catalog, {"b"});
    EXPECT_TRUE(test::waitFor([&] { return !requested.isEmpty(); }));
    EXPECT_EQ(requested, QStringList{"b traces/step-200-prompt-0.safetensors"});
    // A deleted trace leaves the lists, though nothing is written to the run.
    ASSERT_EQ(catalog.data("b")->traces.size(), 2U);
    std::filesystem::remove(folder / "runs" / "b" / "traces" / "step-100-prompt-0.safetensors");
    EXPECT_TRUE(test::waitFor([&] { return catalog.data("b")->traces.size() == 1; }));
    // It does not return when the run is written; a restored file does.
    {
        auto writer = std::move(*store::RunWriter::open(folder / "runs" / "b"));
        writer->event(201, "note", "goes on");
        ASSERT_TRUE(writer->flush());
    }
    ASSERT_TRUE(test::waitFor([&] { return !catalog.data("b")->events.empty(); }));
    EXPECT_EQ(catalog.data("b")->traces.size(), 1U);
    std::ofstream(folder / "runs" / "b" / "traces" / "step-100-prompt-0.safetensors") << "a trace";
    EXPECT_TRUE(test::waitFor([&] { return catalog.data("b")->traces.size() == 2; }));
    // Without a selected run nothing is opened.
    requested.clear();
    selection.setRuns({});
    playhead.setTrainStep(100);
    EXPECT_EQ(requested, QStringList());
}

}  // namespace
}  // namespace kurve::views
