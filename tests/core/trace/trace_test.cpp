#include "core/trace/trace.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/store/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace kurve::trace {
namespace {

Trace example(int steps = 3, int positions = 4) {
    Trace trace;
    trace.steps = steps;
    trace.positions = positions;
    trace.meta = {{"family", "sclm"}, {"prompt", "an \"odd\" prompt\n"}};
    const int cells = steps * positions;
    for (int i = 0; i < cells; ++i) {
        const float part = static_cast<float>(i) / static_cast<float>(cells);
        trace.tokens.push_back(static_cast<std::uint32_t>(i * 1000003));
        trace.state.push_back(static_cast<std::uint8_t>(i % 7));
        trace.confidence.push_back(part);
        trace.entropy.push_back(9.0f * part);
        trace.margin.push_back(0.5f - part);
        for (int k = 0; k < kTopCandidates; ++k) {
            trace.topIds.push_back(static_cast<std::uint32_t>(i * 8 + k));
            trace.topProbability.push_back(part / static_cast<float>(k + 1));
        }
    }
    for (int s = 0; s < steps; ++s) {
        trace.t.push_back(1.0 - s / 3.0);
        trace.logSnr.push_back(s == 0 ? -INFINITY : s / 7.0);
    }
    trace.tokenTexts = {{0, "<s>"}, {1000003, "▁the"}};
    if (steps != 3) return trace;
    trace.blocks["curve"] = {{3, 2}, {1.0f, -0.5f, 0.25f, 1.0f / 3.0f, 0, 0}, true};
    trace.blocks["vocab/ids"] = {{2}, {5.0f, 49999.0f}, false};
    trace.blocks["hidden/0"] = {{3, 1}, {1.0f, 70000.0f, 0.1f}, true};
    return trace;
}

void expectNear(const std::vector<float>& got, const std::vector<float>& want, float tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << i;
}

TEST(Trace, ComesBackFromItsFile) {
    const testing::TemporaryFolder folder;
    const Trace trace = example();
    const auto hash = writeTrace(folder / "a.trace", trace);
    ASSERT_TRUE(hash) << hash.error().text();
    EXPECT_EQ(*hash, *sha256File(folder / "a.trace"));
    const auto read = readTrace(folder / "a.trace");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->meta, trace.meta);
    EXPECT_EQ(read->tokenTexts, trace.tokenTexts);
    EXPECT_EQ(read->steps, 3);
    EXPECT_EQ(read->positions, 4);
    EXPECT_EQ(read->tokens, trace.tokens);
    EXPECT_EQ(read->state, trace.state);
    EXPECT_EQ(read->topIds, trace.topIds);
    EXPECT_EQ(read->t, trace.t);
    EXPECT_EQ(read->logSnr, trace.logSnr);
    expectNear(read->confidence, trace.confidence, 0.51f / 65535);
    expectNear(read->topProbability, trace.topProbability, 0.51f / 65535);
    EXPECT_EQ(read->entropy, trace.entropy);
    EXPECT_EQ(read->margin, trace.margin);
    EXPECT_EQ(read->inner, (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(read->outer, (std::vector<std::int32_t>{0, 0, 0}));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.trace.part"));
}

TEST(Trace, KeepsHalfBlocksUnlessTheyWouldOverflow) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(writeTrace(folder / "a.trace", example()));
    const auto read = readTrace(folder / "a.trace");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->block("curve")->shape, (std::vector<std::int64_t>{3, 2}));
    EXPECT_TRUE(read->block("curve")->half);
    EXPECT_EQ(read->block("curve")->data[2], 0.25f);
    EXPECT_NEAR(read->block("curve")->data[3], 1.0f / 3.0f, 2e-4f);
    EXPECT_EQ(read->block("vocab/ids")->data[1], 49999.0f);
    EXPECT_EQ(read->block("hidden/0")->data[1], 70000.0f);
    EXPECT_EQ(read->block("latent"), nullptr);
}

TEST(Trace, WritesNothingThatDoesNotFit) {
    const testing::TemporaryFolder folder;
    Trace trace = example();
    trace.state.pop_back();
    EXPECT_THROW((void)writeTrace(folder / "a.trace", trace), ContractError);
    trace = example();
    trace.blocks["tokens"] = {{3}, {1.0f, 1.0f, 1.0f}, false};
    EXPECT_THROW((void)writeTrace(folder / "a.trace", trace), ContractError);
    trace = example();
    trace.blocks["curve"] = {{2}, {1.0f, 1.0f}, false};
    EXPECT_THROW((void)writeTrace(folder / "a.trace", trace), ContractError) << "not of three steps";
}

/// Rewrites a good trace file with one change and gives the error code and field of reading it.
template <class Change>
std::string damaged(Change change) {
    const testing::TemporaryFolder folder;
    EXPECT_TRUE(writeTrace(folder / "good", example()));
    const auto good = *store::SafetensorsFile::open(folder / "good");
    auto tensors = good->tensors();
    auto metadata = good->metadata();
    change(tensors, metadata);
    EXPECT_TRUE(store::writeSafetensors(folder / "bad", tensors, metadata));
    const auto read = readTrace(folder / "bad");
    return read ? "ok" : read.error().code + " " + read.error().field;
}

TEST(Trace, NamesTheTensorThatIsWrong) {
    EXPECT_EQ(damaged([](auto&, auto&) {}), "ok");
    EXPECT_EQ(damaged([](auto& t, auto&) { t.erase("top_prob"); }), "trace.missing top_prob");
    EXPECT_EQ(damaged([](auto& t, auto&) { t.erase("t"); }), "trace.missing t");
    EXPECT_EQ(damaged([](auto& t, auto&) { t["tokens"].shape = {12}; }), "trace.shape tokens");
    EXPECT_EQ(damaged([](auto& t, auto&) { t["state"].shape = {4, 3}; }), "trace.shape state");
    EXPECT_EQ(damaged([](auto& t, auto&) { t["tokens"].dtype = "I32"; }), "trace.shape tokens");
    EXPECT_EQ(damaged([](auto& t, auto&) { t["curve"].dtype = "I16"; }), "trace.shape curve");
    EXPECT_EQ(damaged([](auto& t, auto&) { t["curve"].shape = {2, 3}; }), "trace.shape curve");
    EXPECT_EQ(damaged([](auto& t, auto&) { t["texts"].dtype = "BOOL"; }), "trace.shape texts");
    EXPECT_EQ(damaged([](auto&, auto& m) { m.erase("format"); }), "trace.missing format");
    EXPECT_EQ(damaged([](auto&, auto& m) { m["format"] = "kurve.trace/1"; }), "trace.version format");
    EXPECT_EQ(damaged([](auto&, auto& m) { m["format"] = "kurve.trace/3"; }), "trace.version format");
    EXPECT_EQ(damaged([](auto&, auto& m) { m.erase("levels"); }), "trace.missing levels");
    for (const char* levels :
         {"[]", "{", R"([{"unit":"word","positions":4}])", R"([{"unit":"token","positions":-4}])",
          R"([{"unit":"token","positions":4},{"unit":"chunk","positions":2}])"})
        EXPECT_EQ(damaged([&](auto&, auto& m) { m["levels"] = levels; }), "trace.shape levels") << levels;
    EXPECT_EQ(damaged([](auto&, auto& m) { m["levels"] = std::string(100000, '['); }), "trace.shape levels");
    EXPECT_EQ(damaged([](auto&, auto& m) { m["axes"] = R"({"position":1})"; }), "trace.shape axes");
    EXPECT_EQ(damaged([](auto&, auto& m) { m["axes"] = R"({"position":1,"denoising_step":2})"; }),
              "trace.shape inner")
        << "step 2 is outside";
    EXPECT_EQ(damaged([](auto&, auto& m) { m["frames"] = "4"; }), "trace.shape frames") << "of 3";
    EXPECT_EQ(damaged([](auto&, auto& m) { m["frames"] = "some"; }), "trace.shape frames");
}

TEST(Trace, AnEmptyTraceIsATrace) {
    const testing::TemporaryFolder folder;
    Trace trace = example(0, 0);
    ASSERT_TRUE(writeTrace(folder / "a.trace", trace));
    EXPECT_EQ(readTrace(folder / "a.trace")->steps, 0);
    ASSERT_TRUE(writeTrace(folder / "b.trace", {}));
    EXPECT_EQ(readTrace(folder / "b.trace")->positions, 0);
}

TEST(Trace, ACutFileIsAnError) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(writeTrace(folder / "a.trace", example()));
    const auto size = std::filesystem::file_size(folder / "a.trace");
    for (const auto bytes : {size - 1, size / 2, std::uintmax_t{12}, std::uintmax_t{0}}) {
        std::filesystem::resize_file(folder / "a.trace", bytes);
        const auto read = readTrace(folder / "a.trace");
        ASSERT_FALSE(read) << bytes;
        EXPECT_EQ(read.error().code.substr(0, 11), "safetensors") << bytes;
    }
}

TEST(Trace, LayersThatWereNotRecordedAreAbsent) {
    const testing::TemporaryFolder folder;
    Trace trace = example();
    for (auto* layer : {&trace.confidence, &trace.entropy, &trace.margin, &trace.topProbability})
        layer->clear();
    trace.topIds.clear();
    trace.state.clear();
    ASSERT_TRUE(writeTrace(folder / "a.trace", trace));
    const auto read = readTrace(folder / "a.trace");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(read->entropy.empty());
    EXPECT_TRUE(std::isnan(read->value(&Trace::entropy, 1, 1)));
    EXPECT_TRUE(read->candidates(1, 1).ids.empty());
    EXPECT_EQ(read->stateAt(0, 1), TokenState::New);
    EXPECT_EQ(read->stateAt(1, 1), TokenState::Flip) << "another token";
    EXPECT_EQ(read->tokenAt(1, 1), trace.tokens[5]);
}

}  // namespace
}  // namespace kurve::trace
