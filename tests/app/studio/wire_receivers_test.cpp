// Every message of the wire, with each field missing, null and of every other type, to every
// receiver of an engine's messages: nothing is thrown, and each still works afterwards.
#include <gmock/gmock.h>

#include <QLabel>
#include <QListWidget>
#include <fstream>

#include "app/studio/engine/engine_call.h"
#include "app/studio/engine/run_supervisor.h"
#include "app/studio/services/distil_service.h"
#include "app/studio/services/evaluation_service.h"
#include "app/studio/services/inspect_service.h"
#include "app/studio/services/sweep_service.h"
#include "app/studio/start/new_project_form.h"
#include "tests/app/studio/script_engine.h"
#include "tests/support/wire_table.h"
#include "views/common/data/engine_info.h"
#include "views/launch/plan_bar.h"

namespace kurve::studio {
namespace {

using nlohmann::json;

class WireReceiversTest : public ScriptEngineTest {
protected:
    void SetUp() override {
        ScriptEngineTest::SetUp();
        std::ofstream lines(folder_ / "lines");
        for (const wire::Message& event : test::wireEvents())
            for (const wire::Message& damaged : test::damagedCopies(event))
                if (event.type != "hello" && event.type != "error") lines << wire::encode(damaged) << "\n";
        // Last: after a hello of another protocol nobody listens any more.
        for (const wire::Message& event : test::wireEvents())
            for (const wire::Message& damaged : test::damagedCopies(event))
                if (event.type == "error") lines << wire::encode(damaged) << "\n";
    }
    /// An engine that says all of it and ends well.
    [[nodiscard]] QString talker() const { return engine("exec cat " + (folder_ / "lines").string() + "\n"); }
    /// An engine that answers with a document.
    void answerWith(const json& document) const {
        std::ofstream(folder_ / "answer") << document.dump();
        qputenv("KURVE_ENGINE", engine("exec cat " + (folder_ / "answer").string() + "\n").toUtf8());
    }
    void TearDown() override { qunsetenv("KURVE_ENGINE"); }
};

TEST_F(WireReceiversTest, ServicesReceiveAllOfIt) {
    SweepService sweep(talker(), "/p");
    sweep.start({{"a"}, {"sampler.steps=1,2"}});
    EXPECT_TRUE(test::waitFor([&] { return sweep.status().kind == views::SweepStatus::Kind::Idle; }, 30000));
    auto estimate = views::SweepRequest{{"a"}, {"sampler.steps=1,2"}};
    estimate.estimateOnly = true;
    sweep.start(estimate);
    EXPECT_TRUE(test::waitFor([&] { return sweep.status().kind == views::SweepStatus::Kind::Idle; }, 30000));
    DistilService distil(talker(), "/p");
    distil.start("a");
    EXPECT_TRUE(test::waitFor([&] { return !distil.running(); }, 30000));
    EvaluationService evaluation(talker(), "/p");
    views::EvaluationRequest request;
    request.runs = QStringList{"a"};
    evaluation.start(request);
    EXPECT_TRUE(test::waitFor([&] { return !evaluation.running(); }, 30000));
    EXPECT_TRUE(evaluation.status().text.startsWith("Done")) << evaluation.status().text.toStdString();
}

TEST_F(WireReceiversTest, TheSupervisorReceivesAllOfIt) {
    RunSupervisor run("r", QString::fromStdString(folder_.path().string()));
    run.start(talker(), {}, QString::fromStdString(folder_.path().string()));
    ASSERT_TRUE(test::waitFor([&] { return !run.isLive(); }, 30000));
    EXPECT_EQ(run.phase(), RunPhase::Completed) << run.reason().toStdString();
    for (const wire::Message& event : test::wireEvents())
        for (const wire::Message& damaged : test::damagedCopies(event)) {
            if (event.type != "hello") continue;
            RunSupervisor one("r", QString::fromStdString(folder_.path().string()));
            std::ofstream(folder_ / "lines") << wire::encode(damaged) << "\n";
            one.start(talker(), {}, QString::fromStdString(folder_.path().string()));
            EXPECT_TRUE(test::waitFor([&] { return !one.isLive(); }, 30000)) << damaged.body;
        }
}

TEST_F(WireReceiversTest, AnyAnswerToAPromptIsHandled) {
    std::ofstream lines(folder_ / "lines");
    int count = 0;
    for (const wire::Message& event : test::wireEvents()) {
        if (event.type != "traced" && event.type != "tracing" && event.type != "error") continue;
        for (wire::Message damaged : test::damagedCopies(event)) {
            damaged.id = "@ID@";
            lines << wire::encode(damaged) << "\n";
            ++count;
        }
    }
    lines.close();
    // To each request: the next line as its answer, and one that is an end in any case.
    InspectService service(
        engine("echo '{\"v\":1,\"type\":\"hello\",\"protocol\":1}'\n"
               "echo '{\"v\":1,\"type\":\"state\",\"state\":\"serving\"}'\n"
               "exec 3< " +
               (folder_ / "lines").string() +
               "\nwhile read -r request && read -r line <&3; do\n"
               "  case $request in *cancel*) read -r request;; esac\n"
               "  id=${request#*'\"id\":\"'}; id=${id%%'\"'*}\n"
               "  printf '%s\\n' \"${line%%@ID@*}$id${line#*@ID@}\"\n"
               "  printf '{\"v\":1,\"type\":\"error\",\"id\":\"%s\",\"message\":\"the end\"}\\n' $id\n"
               "done\n"),
        "/p");
    for (int i = 0; i < count; ++i) {
        views::PromptRequest request;
        request.runId = "r";
        request.input = "a";
        service.request(request);
        ASSERT_TRUE(test::waitFor(
            [&] {
                const auto kind = service.status().kind;
                return kind != views::PromptStatus::Kind::Loading &&
                       kind != views::PromptStatus::Kind::Working;
            },
            30000))
            << i;
    }
    EXPECT_TRUE(service.engineRunning());
}

TEST_F(WireReceiversTest, AnyAnswerIsHandled) {
    const json error{{"error",
                      {{"code", "data.missing"},
                       {"message", "no such file"},
                       {"remedy", "check the path"},
                       {"file", nullptr},
                       {"line", nullptr},
                       {"field", nullptr}}}};
    int heard = 0;
    const auto ask = [&](const json& document, int code) {
        std::ofstream(folder_ / "answer") << document.dump();
        qputenv("KURVE_ENGINE",
                engine("cat " + (folder_ / "answer").string() + "\nexit " + std::to_string(code) + "\n")
                    .toUtf8());
        const int before = heard;
        std::string said;
        EngineCall::start(
            {"x"},
            [&](const Result<json>& answer) {
                ++heard;
                if (!answer) said = answer.error().text();
            },
            qApp);
        EXPECT_TRUE(test::waitFor([&] { return heard > before; }, 30000)) << document;
        return said;
    };
    EXPECT_EQ(ask(error, 2), "no such file; check the path");
    for (const json& damaged : test::damagedCopies(error)) EXPECT_NE(ask(damaged, 2), "") << damaged;
}

TEST_F(WireReceiversTest, FormsHandleAnyAnswer) {
    const json dryRun{
        {"eta_seconds", 4.5},        {"peak_memory_mb", 12.5},
        {"warnings", {"few pairs"}}, {"step_seconds", {{"median", 0.1}, {"min", 0.05}, {"max", 0.2}}},
        {"total_steps", 90},         {"checkpoint_mb", 3}};
    views::PlanBar plan;
    for (const json& damaged : test::damagedCopies(dryRun)) plan.setMeasured({damaged, dryRun});
    const json describe{
        {"families", json::array({{{"id", "f"},
                                   {"title", "F"},
                                   {"paper", "p"},
                                   {"fields", json::array()},
                                   {"presets", json::array()},
                                   {"prompts", {{"pairs", {"source"}}}},
                                   {"scalars", json::array()},
                                   {"groups", json::object()},
                                   {"provides", json::array()}}})},
        {"metrics",
         json::array({{{"id", "bleu"}, {"title", "BLEU"}, {"log_scale", true}, {"better", "higher"}}})},
        {"devices", json::array({{{"id", "cpu"}}})}};
    EXPECT_TRUE(views::EngineInfo::fromJson(describe));
    for (const json& damaged : test::damagedCopies(describe)) (void)views::EngineInfo::fromJson(damaged);
    const json templates{{"templates", {{{"name", "blank"}, {"bytes", 12}, {"title", "Nothing"}}}}};
    for (const json& damaged : test::damagedCopies(templates)) {
        answerWith(damaged);
        NewProjectForm form;
        form.open();
        EXPECT_TRUE(test::waitFor([&] { return form.findChild<EngineCall*>() == nullptr; }, 30000))
            << damaged;
    }
}

}  // namespace
}  // namespace kurve::studio
