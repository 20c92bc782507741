// Mask-predict through the network: traces and edits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/sampling/mask_choice.h"
#include "core/trace/marks.h"
#include "tests/models/family_fixture.h"

namespace kurve::models {
namespace {

using trace::Edit;
using trace::EditKind;
using trace::TokenState;
using trace::Trace;

constexpr int kSteps = 5, kAt = 2;

class MaskPredict : public ::testing::TestWithParam<std::string> {
protected:
    MaskPredict()
        : config_(testing::toyConfig("cmlm", {{"sampler.steps", std::to_string(kSteps)},
                                              {"sampler.length_beam", "2"},
                                              {"sampler.overwrite", GetParam()},
                                              {"look_neighbors.attention", "true"},
                                              {"look_neighbors.top", "official"}})),
          model_(testing::toyModel(config_)) {
        // An untrained length predictor says anything: here 9 tokens, 7 of them words.
        const torch::NoGradGuard noGrad;
        at::Tensor length = model_->module().named_parameters()["length"];
        length.zero_();
        length[9].fill_(1);
        length[8].fill_(-1);
        pooledPositive();
    }
    /// Makes the mean state of any source positive in sum, so that class 9 is the most probable.
    void pooledPositive() {
        for (auto& item : model_->module().named_parameters())
            if (item.key() == "encoder_layer_1.ffn_norm.bias") item.value().fill_(1);
    }
    Result<train::Generation> generate(std::vector<Edit> edits, Trace& into) {
        train::GenerateRequest request;
        request.sources = {testing::toySources()[3]};
        request.what = {"hidden", "attention"};
        request.edits = std::move(edits);
        request.candidate = 1;
        trace::TraceBuilder sink(into);
        return model_->generate(request, config_, &sink);
    }
    Trace trace(std::vector<Edit> edits = {}) {
        Trace out;
        const auto made = generate(std::move(edits), out);
        EXPECT_TRUE(made) << made.error().text();
        return out;
    }
    RunConfig config_;
    std::unique_ptr<train::SequenceModel> model_;
};

TokenState stateAt(const Trace& t, int step, int position) {
    return static_cast<TokenState>(t.state[t.cell(step, position)]);
}

/// What both hold up to `step`.
void expectSame(const Trace& a, const Trace& b, int steps) {
    ASSERT_EQ(a.positions, b.positions);
    for (std::size_t i = 0; i < a.cell(steps, 0); ++i) {
        EXPECT_EQ(a.tokens[i], b.tokens[i]) << i;
        EXPECT_EQ(a.confidence[i], b.confidence[i]) << i;
        EXPECT_EQ(a.state[i], b.state[i]) << i;
    }
}

TEST_P(MaskPredict, ATraceHoldsTheMasksOfEveryStep) {
    const Trace t = trace();
    ASSERT_EQ(t.steps, kSteps);
    ASSERT_EQ(t.positions, 9);
    const trace::TokenMarks marks(t);
    for (int step = 0; step < kSteps; ++step) {
        EXPECT_EQ(stateAt(t, step, 0), TokenState::Given);
        EXPECT_EQ(stateAt(t, step, t.positions - 1), TokenState::Given);
        std::vector<float> words;
        int next = 0;
        for (int position = 1; position + 1 < t.positions; ++position) {
            const bool masked = step > 0 && marks.willMask(step - 1, position);
            const TokenState state = stateAt(t, step, position);
            if (step == 0) EXPECT_EQ(state, TokenState::New);
            if (step > 0) EXPECT_EQ(state == TokenState::Remask, masked) << step << ' ' << position;
            const std::size_t at = t.cell(step, position);
            const bool kept = state == TokenState::Kept && GetParam() == "masked";
            if (kept) {
                EXPECT_EQ(t.confidence[at], t.confidence[t.cell(step - 1, position)]);
                EXPECT_EQ(t.entropy[at], t.entropy[t.cell(step - 1, position)]);
            }
            if (kept || state == TokenState::Remask || state == TokenState::New) {
                EXPECT_EQ(t.tokens[at], t.topIds[at * 8]);
                EXPECT_NEAR(t.confidence[at], t.topProbability[at * 8], 1e-5);
            }
            EXPECT_GE(t.tokens[at], 3u) << "BOS, PAD and EOS are banned";
            EXPECT_NE(t.tokens[at], 4u) << "and the mask";
            words.push_back(std::log(t.confidence[at]));
            next += marks.willMask(step, position) ? 1 : 0;
        }
        const int k = sampling::remaskCount(7, kSteps, step, sampling::MaskRule::Isotropy);
        EXPECT_EQ(next, k);
        for (const int position : sampling::lowest(words, k)) EXPECT_TRUE(marks.willMask(step, position + 1));
    }
    EXPECT_EQ(t.block("features")->shape, (std::vector<std::int64_t>{kSteps, 9, 32}));
    EXPECT_EQ(t.block("logits")->shape, (std::vector<std::int64_t>{kSteps, 9, 32}));
    EXPECT_EQ(t.block("attention/0")->shape, (std::vector<std::int64_t>{kSteps, 2, 9, 9}));
    // The neighbours' attention is banded.
    const trace::Block& near = *t.block("attention/1-neighbours");
    for (std::int64_t i = 0; i < 9; ++i)
        for (std::int64_t j = 0; j < 9; ++j)
            EXPECT_EQ(near.data[static_cast<std::size_t>(i * 9 + j)] > 0, std::abs(i - j) <= 1);
}

TEST_P(MaskPredict, AForcedTokenIsSetAndEverythingBeforeIsUnchanged) {
    const Trace plain = trace();
    const std::int32_t token = plain.tokens[plain.cell(kAt, 4)] == 11 ? 12 : 11;
    const Trace forced = trace({{EditKind::Force, kAt, 4, false, token, "", {}}});
    expectSame(plain, forced, kAt);
    EXPECT_EQ(forced.tokens[forced.cell(kAt, 4)], 11u);
    EXPECT_EQ(forced.confidence[forced.cell(kAt, 4)], 1.0F);
    for (int position = 1; position < 8; ++position)
        if (position != 4)
            EXPECT_EQ(forced.tokens[forced.cell(kAt, position)], plain.tokens[plain.cell(kAt, position)]);
}

TEST_P(MaskPredict, APinnedTokenStays) {
    const Trace plain = trace(), pinned = trace({{EditKind::Pin, kAt, 4, false, 11, "", {}}});
    expectSame(plain, pinned, kAt);
    for (int step = kAt; step < kSteps; ++step) {
        EXPECT_EQ(pinned.tokens[pinned.cell(step, 4)], 11u);
        EXPECT_EQ(stateAt(pinned, step, 4), TokenState::Given);
        EXPECT_FALSE(trace::TokenMarks(pinned).willMask(step, 4));
    }
}

TEST_P(MaskPredict, ABannedTokenIsReplacedByTheNextBest) {
    const Trace plain = trace();
    for (const int position : {2, 5, 7}) {
        const auto token = static_cast<std::int32_t>(plain.tokens[plain.cell(kAt, position)]);
        const Trace banned = trace({{EditKind::Ban, kAt, position, false, token, "", {}}});
        expectSame(plain, banned, kAt);
        for (int step = kAt; step < kSteps; ++step)
            EXPECT_NE(banned.tokens[banned.cell(step, position)], static_cast<std::uint32_t>(token));
        const std::size_t at = plain.cell(kAt, position);
        EXPECT_EQ(banned.tokens[at], banned.topIds[at * 8]);
        // A kept token has the candidates of the pass that predicted it, and is predicted anew by this one.
        if (stateAt(plain, kAt, position) == TokenState::Kept && GetParam() == "masked") continue;
        const bool first = plain.topIds[at * 8] == static_cast<std::uint32_t>(token);
        EXPECT_EQ(banned.tokens[at], plain.topIds[at * 8 + (first ? 1 : 0)]);
    }
}

TEST_P(MaskPredict, ATokenCanBeMaskedByAnEdit) {
    const Trace plain = trace();
    int position = 1;
    while (stateAt(plain, kAt, position) == TokenState::Remask) ++position;
    const Trace masked = trace({{EditKind::Noise, kAt, position, false, -1, "", {}}});
    expectSame(plain, masked, kAt);
    EXPECT_EQ(stateAt(masked, kAt, position), TokenState::Remask);
    const std::size_t at = masked.cell(kAt, position);
    EXPECT_EQ(masked.tokens[at], masked.topIds[at * 8]);
}

TEST_P(MaskPredict, InvalidEditsAreErrors) {
    Trace t;
    for (const int position : {0, 8, 20}) {
        const auto made = generate({{EditKind::Force, kAt, position, false, 11, "", {}}}, t);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, "branch.position");
    }
    EXPECT_THAT(model_->edits(), ::testing::Not(::testing::Contains(EditKind::Latent)));
}

void checkStatistics(const train::Candidate& candidate) {
    const auto n = static_cast<double>(candidate.ids.size());
    for (const char* name : {"similarity_logits_1", "similarity_centred_4", "similarity_features_4",
                             "above_margin_logits_4", "rank_centred_4"}) {
        ASSERT_TRUE(candidate.sampleStatistics.contains(name)) << name;
        const train::MeanAccumulator& mean = candidate.sampleStatistics.at(name);
        EXPECT_EQ(mean.count, name[0] == 'r' ? (n > 1 ? 1 : 0) : n * (n - 1)) << name;
        if (mean.count > 0) EXPECT_LE(std::abs(mean.sum / mean.count), name[0] == 'r' ? n : 1);
    }
    EXPECT_FALSE(candidate.sampleStatistics.contains("similarity_logits_10"));  // of 5 passes
}

TEST_P(MaskPredict, CollectsAverageSimilarity) {
    train::GenerateRequest request;
    request.sources = testing::toySources();
    request.collectStatistics = true;
    const auto chosen = model_->generate(request, config_, nullptr);
    const RunConfig reranked = *config_.with(std::vector<Override>{{"sampler.selection", "ppl"}});
    const auto all = model_->generate(request, reranked, nullptr);  // another model selects later
    ASSERT_TRUE(chosen && all);
    for (std::size_t r = 0; r < chosen->rows.size(); ++r) {
        const train::GeneratedRow &few = chosen->rows[r], &many = all->rows[r];
        checkStatistics(few.best);
        for (const auto& candidate : many.candidates) checkStatistics(candidate);
        for (const auto& candidate : few.candidates)
            EXPECT_EQ(candidate.sampleStatistics.empty(), candidate.number != few.best.number);
        EXPECT_NEAR(few.best.sampleStatistics.at("similarity_centred_4").sum,
                    many.best.sampleStatistics.at("similarity_centred_4").sum, 1e-4);
    }
    request.collectStatistics = false;
    EXPECT_TRUE(model_->generate(request, config_, nullptr)->rows[0].best.sampleStatistics.empty());
}

INSTANTIATE_TEST_SUITE_P(Overwrite, MaskPredict, ::testing::Values("masked", "all"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kurve::models
