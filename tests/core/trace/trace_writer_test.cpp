#include "core/trace/trace_writer.h"

#include <gtest/gtest.h>

#include "core/store/safetensors.h"
#include "tests/support/chunk_trace.h"
#include "tests/support/temporary_folder.h"

namespace kurve::trace {
namespace {

/// One step of a trace of three positions.
Trace frame(int step, float hidden = 1) {
    Trace one;
    one.steps = 1;
    one.positions = 3;
    one.topK = 2;
    one.t = {1.0 - 0.25 * step};
    one.logSnr = {static_cast<double>(step)};
    one.inner = {step};
    one.outer = {0};
    for (std::uint32_t i = 0; i < 3; ++i) {
        one.tokens.push_back(static_cast<std::uint32_t>(step) * 10 + i);
        one.confidence.push_back(0.25F);
        for (std::uint32_t k = 0; k < 2; ++k) {
            one.topIds.push_back(one.tokens.back() + k * 100);
            one.topProbability.push_back(0.25F / static_cast<float>(k + 1));
        }
    }
    one.blocks["hidden/0"] = {{1, 3, 2}, std::vector<float>(6, hidden * static_cast<float>(step + 1)), true};
    return one;
}

TraceWriter::Options optionsIn(const testing::TemporaryFolder& folder) {
    return {
        folder / "growing", {{"prompt", "p"}}, [](std::uint32_t id) { return "w" + std::to_string(id); }, {}};
}

TEST(TraceWriter, AGrowingFileIsReadAsFarAsItIs) {
    const testing::TemporaryFolder folder;
    TraceWriter writer(optionsIn(folder));
    writer.begin(4);
    writer.addConstant("psi", {{2}, {1, 2}, true});
    for (int step = 0; step < 3; ++step) {
        writer.append(frame(step));
        const auto read = readTrace(folder / "growing");
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(read->steps, step + 1);
        EXPECT_EQ(read->metaText("planned_steps"), "4");
        EXPECT_EQ(read->tokens.size(), static_cast<std::size_t>(3 * (step + 1)));
        EXPECT_EQ(read->tokenAt(step, 2), static_cast<std::uint32_t>(step * 10 + 2));
        EXPECT_EQ(read->textOf(read->candidates(step, 1).ids[1]), "w" + std::to_string(step * 10 + 101));
        EXPECT_EQ(read->block("hidden/0")->shape, (std::vector<std::int64_t>{step + 1, 3, 2}));
        EXPECT_EQ(read->block("hidden/0")->data.back(), static_cast<float>(step + 1));
        ASSERT_NE(read->block("psi"), nullptr);
    }
}

TEST(TraceWriter, TheFinishedFileHasTheStepsThatWereMade) {
    const testing::TemporaryFolder folder;
    Trace kept;
    TraceBuilder memory(kept);
    memory.begin(8);
    std::optional<TraceWriter> writer(std::in_place, optionsIn(folder));
    writer->begin(8);
    for (int step = 0; step < 3; ++step) {
        writer->append(frame(step));
        memory.append(frame(step));
    }
    writer->addConstant("vocab/ids", {{1}, {7}, false});
    const auto written = writer->finish(folder / "done", {{"output", "o"}});
    ASSERT_TRUE(written) << written.error().text();
    EXPECT_EQ(written->steps, 3);
    EXPECT_EQ(written->bytes, static_cast<std::int64_t>(std::filesystem::file_size(folder / "done")));
    writer.reset();
    EXPECT_FALSE(std::filesystem::exists(folder / "growing"));
    const auto read = readTrace(folder / "done");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->meta, (std::map<std::string, std::string>{{"prompt", "p"}, {"output", "o"}}));
    EXPECT_EQ(read->tokens, kept.tokens);
    EXPECT_EQ(read->topIds, kept.topIds);
    EXPECT_EQ(read->t, kept.t);
    EXPECT_EQ(read->topK, 2);
    EXPECT_EQ(read->blocks.at("hidden/0").data, kept.blocks.at("hidden/0").data);
    EXPECT_EQ(read->textOf(7), "w7") << "an id of the vocabulary";
    // Whatever else reads it finds whole tensors.
    const auto tensors = store::SafetensorsFile::open(folder / "done");
    EXPECT_EQ((*tensors)->find("tokens")->shape, (std::vector<std::int64_t>{3, 3}));
    EXPECT_FALSE((*tensors)->metadata().contains("frames"));
}

TEST(TraceWriter, ValuesThatNeedMoreRangeLaterAreKept) {
    const testing::TemporaryFolder folder;
    TraceWriter writer(optionsIn(folder));
    writer.begin(3);
    writer.append(frame(0));
    writer.append(frame(1, 40000));  // 80,000
    writer.append(frame(2));
    ASSERT_TRUE(writer.finish(folder / "done"));
    const auto read = readTrace(folder / "done");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->block("hidden/0")->data[0], 1);
    EXPECT_EQ(read->block("hidden/0")->data[6], 80000);
    EXPECT_EQ(read->block("hidden/0")->data[12], 3);
    EXPECT_EQ(read->textOf(1), "w1");
}

TEST(TraceWriter, BeginsAgainWithAnotherCandidate) {
    const testing::TemporaryFolder folder;
    TraceWriter writer(optionsIn(folder));
    writer.begin(3);
    writer.append(frame(2));
    writer.begin(3);
    writer.append(frame(1));
    ASSERT_TRUE(writer.finish(folder / "done"));
    const auto read = readTrace(folder / "done");
    EXPECT_EQ(read->steps, 1);
    EXPECT_EQ(read->tokenAt(0, 0), 10U);
}

TEST(TraceWriter, AnotherLayerThanBeforeIsAContractError) {
    const testing::TemporaryFolder folder;
    TraceWriter writer(optionsIn(folder));
    writer.begin(1);
    writer.append(frame(0));
    EXPECT_THROW(writer.append(frame(1)), ContractError) << "more steps than planned";
    TraceWriter other(optionsIn(folder));
    other.begin(2);
    other.append(frame(0));
    Trace wider = frame(1);
    wider.blocks["hidden/0"] = {{1, 3, 3}, std::vector<float>(9), true};
    EXPECT_THROW(other.append(wider), ContractError);
}

TEST(TraceWriter, AFolderThatIsNotThereIsToldAtTheEnd) {
    const testing::TemporaryFolder folder;
    TraceWriter writer({folder / "none" / "growing"});
    writer.begin(2);
    writer.append(frame(0));
    writer.append(frame(1));
    const auto written = writer.finish(folder / "done");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "io.write");
}

TEST(TraceLevels, ChunksOfTokensComeBack) {
    const testing::TemporaryFolder folder;
    const Trace trace = test::chunkTrace();
    ASSERT_TRUE(writeTrace(folder / "a", trace));
    const auto read = readTrace(folder / "a");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->unit, Unit::Chunk);
    EXPECT_EQ(read->spans, trace.spans);
    EXPECT_EQ(read->outer, trace.outer);
    EXPECT_EQ(read->inner, trace.inner);
    EXPECT_TRUE(read->ordered());
    EXPECT_EQ(read->block("latent")->shape, (std::vector<std::int64_t>{6, 3, 2}));
    ASSERT_NE(read->below, nullptr);
    EXPECT_EQ(read->below->tokens, trace.below->tokens);
    EXPECT_EQ(read->below->metaText("prompt"), "write");
    EXPECT_EQ(read->below->file, folder / "a");
    EXPECT_EQ(read->textOf(read->tokenAt(3, 1)), "▁c▁d") << "a chunk's text is that of its tokens";
    EXPECT_EQ(read->stateAt(2, 0), TokenState::Kept);
    EXPECT_EQ(read->stateAt(2, 1), TokenState::New);
    EXPECT_EQ(read->stateAt(3, 1), TokenState::Flip) << "its second denoising step";
    EXPECT_EQ(read->stateAt(2, 2), TokenState::Masked) << "not yet written";
    const auto tensors = store::SafetensorsFile::open(folder / "a");
    EXPECT_NE((*tensors)->find("chunk/latent"), nullptr);
}

TEST(TraceLevels, AppendedLevelsGrowTogether) {
    const Trace all = test::chunkTrace();
    Trace built;
    TraceBuilder builder(built);
    builder.begin(12);
    builder.append(all);
    builder.append(all);
    EXPECT_EQ(built.steps, 12);
    EXPECT_EQ(built.below->steps, 12);
    EXPECT_EQ(built.below->tokens.size(), 72U);
}

/// Error code and field of a chunk trace whose metadata were changed.
std::string changedLevels(const std::string& from, const std::string& to) {
    const testing::TemporaryFolder folder;
    EXPECT_TRUE(writeTrace(folder / "good", test::chunkTrace()));
    const auto good = *store::SafetensorsFile::open(folder / "good");
    auto metadata = good->metadata();
    std::string& levels = metadata["levels"];
    const auto at = levels.find(from);
    EXPECT_NE(at, std::string::npos) << levels;
    levels.replace(at, from.size(), to);
    EXPECT_TRUE(store::writeSafetensors(folder / "bad", good->tensors(), metadata));
    const auto read = readTrace(folder / "bad");
    return read ? "ok" : read.error().code + ' ' + read.error().field;
}

TEST(TraceLevels, SpansThatPointOutsideAreNamed) {
    EXPECT_EQ(changedLevels("[4,6]", "[4,6]"), "ok");
    EXPECT_EQ(changedLevels("[4,6]", "[4,7]"), "trace.shape spans");
    EXPECT_EQ(changedLevels("[4,6]", "[5,4]"), "trace.shape spans");
    EXPECT_EQ(changedLevels(",[4,6]", ""), "trace.shape spans") << "one is missing";
    EXPECT_EQ(changedLevels("[4,6]", "[-4,6]"), "trace.shape spans");
    EXPECT_EQ(changedLevels("[4,6]", "4"), "trace.shape spans");
    EXPECT_EQ(changedLevels("\"chunk\"", "\"sentence\""), "trace.shape chunk/latent");
}

}  // namespace
}  // namespace kurve::trace
