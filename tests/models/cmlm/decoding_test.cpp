// Mask-predict through the network: traces, and a hand in them.
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
using trace::SlotState;
using trace::Trace;

constexpr int kSteps = 5, kAt = 2;

class MaskPredict : public ::testing::TestWithParam<std::string> {
protected:
    MaskPredict()
        : config_(testing::toyConfig("cmlm", {{"sampler.steps", std::to_string(kSteps)},
                                              {"sampler.length_beam", "2"},
                                              {"sampler.overwrite", GetParam()},
                                              {"ln.attention", "true"},
                                              {"ln.top", "official"}})),
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
        return model_->generate(request, config_, &into);
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

SlotState stateAt(const Trace& t, int step, int slot) {
    return static_cast<SlotState>(t.state[t.cell(step, slot)]);
}

/// What both hold up to `step`.
void expectSame(const Trace& a, const Trace& b, int steps) {
    ASSERT_EQ(a.slots, b.slots);
    for (std::size_t i = 0; i < a.cell(steps, 0); ++i) {
        EXPECT_EQ(a.tokens[i], b.tokens[i]) << i;
        EXPECT_EQ(a.confidence[i], b.confidence[i]) << i;
        EXPECT_EQ(a.state[i], b.state[i]) << i;
    }
}

TEST_P(MaskPredict, ATraceTellsWhatIsMaskedWhen) {
    const Trace t = trace();
    ASSERT_EQ(t.steps, kSteps);
    ASSERT_EQ(t.slots, 9);
    const trace::SlotMarks marks(t);
    for (int step = 0; step < kSteps; ++step) {
        EXPECT_EQ(stateAt(t, step, 0), SlotState::Given);
        EXPECT_EQ(stateAt(t, step, t.slots - 1), SlotState::Given);
        std::vector<float> words;
        int next = 0;
        for (int slot = 1; slot + 1 < t.slots; ++slot) {
            const bool masked = step > 0 && marks.willMask(step - 1, slot);
            const SlotState state = stateAt(t, step, slot);
            if (step == 0) EXPECT_EQ(state, SlotState::New);
            if (step > 0) EXPECT_EQ(state == SlotState::Remask, masked) << step << ' ' << slot;
            const std::size_t at = t.cell(step, slot);
            const bool kept = state == SlotState::Kept && GetParam() == "masked";
            if (kept) {
                EXPECT_EQ(t.confidence[at], t.confidence[t.cell(step - 1, slot)]);
                EXPECT_EQ(t.entropy[at], t.entropy[t.cell(step - 1, slot)]);
            }
            if (kept || state == SlotState::Remask || state == SlotState::New) {
                EXPECT_EQ(t.tokens[at], t.topIds[at * 8]);
                EXPECT_NEAR(t.confidence[at], t.topProbability[at * 8], 1e-5);
            }
            EXPECT_GE(t.tokens[at], 3u) << "BOS, PAD and EOS are banned";
            EXPECT_NE(t.tokens[at], 4u) << "and the mask";
            words.push_back(std::log(t.confidence[at]));
            next += marks.willMask(step, slot) ? 1 : 0;
        }
        const int k = sampling::remaskCount(7, kSteps, step, sampling::MaskRule::Isotropy);
        EXPECT_EQ(next, k);
        for (const int slot : sampling::lowest(words, k)) EXPECT_TRUE(marks.willMask(step, slot + 1));
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

TEST_P(MaskPredict, AForcedTokenIsThereAndEverythingBeforeIsTheSame) {
    const Trace plain = trace();
    const std::int32_t token = plain.tokens[plain.cell(kAt, 4)] == 11 ? 12 : 11;
    const Trace forced = trace({{EditKind::Force, kAt, 4, false, token, "", {}}});
    expectSame(plain, forced, kAt);
    EXPECT_EQ(forced.tokens[forced.cell(kAt, 4)], 11u);
    EXPECT_EQ(forced.confidence[forced.cell(kAt, 4)], 1.0F);
    for (int slot = 1; slot < 8; ++slot)
        if (slot != 4) EXPECT_EQ(forced.tokens[forced.cell(kAt, slot)], plain.tokens[plain.cell(kAt, slot)]);
}

TEST_P(MaskPredict, APinnedTokenStays) {
    const Trace plain = trace(), pinned = trace({{EditKind::Pin, kAt, 4, false, 11, "", {}}});
    expectSame(plain, pinned, kAt);
    for (int step = kAt; step < kSteps; ++step) {
        EXPECT_EQ(pinned.tokens[pinned.cell(step, 4)], 11u);
        EXPECT_EQ(stateAt(pinned, step, 4), SlotState::Given);
        EXPECT_FALSE(trace::SlotMarks(pinned).willMask(step, 4));
    }
}

TEST_P(MaskPredict, ABannedTokenGivesWayToTheNextBest) {
    const Trace plain = trace();
    for (const int slot : {2, 5, 7}) {
        const auto token = static_cast<std::int32_t>(plain.tokens[plain.cell(kAt, slot)]);
        const Trace banned = trace({{EditKind::Ban, kAt, slot, false, token, "", {}}});
        expectSame(plain, banned, kAt);
        for (int step = kAt; step < kSteps; ++step)
            EXPECT_NE(banned.tokens[banned.cell(step, slot)], static_cast<std::uint32_t>(token));
        const std::size_t at = plain.cell(kAt, slot);
        EXPECT_EQ(banned.tokens[at], banned.topIds[at * 8]);
        // A word that stood already shows the candidates of the pass that wrote it, and is chosen anew by
        // this one.
        if (stateAt(plain, kAt, slot) == SlotState::Kept && GetParam() == "masked") continue;
        const bool first = plain.topIds[at * 8] == static_cast<std::uint32_t>(token);
        EXPECT_EQ(banned.tokens[at], plain.topIds[at * 8 + (first ? 1 : 0)]);
    }
}

TEST_P(MaskPredict, ATokenCanBeMaskedByHand) {
    const Trace plain = trace();
    int slot = 1;
    while (stateAt(plain, kAt, slot) == SlotState::Remask) ++slot;
    const Trace masked = trace({{EditKind::Noise, kAt, slot, false, -1, "", {}}});
    expectSame(plain, masked, kAt);
    EXPECT_EQ(stateAt(masked, kAt, slot), SlotState::Remask);
    const std::size_t at = masked.cell(kAt, slot);
    EXPECT_EQ(masked.tokens[at], masked.topIds[at * 8]);
}

TEST_P(MaskPredict, WhatAHandCannotDoIsSaid) {
    Trace t;
    for (const int slot : {0, 8, 20}) {
        const auto made = generate({{EditKind::Force, kAt, slot, false, 11, "", {}}}, t);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, "branch.slot");
    }
    EXPECT_THAT(model_->edits(), ::testing::Not(::testing::Contains(EditKind::Latent)));
}

void checkMeasures(const train::Candidate& candidate) {
    const auto n = static_cast<double>(candidate.ids.size());
    for (const char* name : {"similarity_logits_1", "similarity_centred_4", "similarity_features_4",
                             "above_margin_logits_4", "rank_centred_4"}) {
        ASSERT_TRUE(candidate.measures.contains(name)) << name;
        const train::Tally& tally = candidate.measures.at(name);
        EXPECT_EQ(tally.count, name[0] == 'r' ? (n > 1 ? 1 : 0) : n * (n - 1)) << name;
        if (tally.count > 0) EXPECT_LE(std::abs(tally.sum / tally.count), name[0] == 'r' ? n : 1);
    }
    EXPECT_FALSE(candidate.measures.contains("similarity_logits_10"));  // of 5 passes
}

TEST_P(MaskPredict, MeasuresAverageSimilarity) {
    train::GenerateRequest request;
    request.sources = testing::toySources();
    request.measure = true;
    const auto chosen = model_->generate(request, config_, nullptr);
    const RunConfig judged = *config_.with(std::vector<Override>{{"sampler.selection", "ppl"}});
    const auto all = model_->generate(request, judged, nullptr);  // another model has yet to choose
    ASSERT_TRUE(chosen && all);
    for (std::size_t r = 0; r < chosen->rows.size(); ++r) {
        const train::GeneratedRow &few = chosen->rows[r], &many = all->rows[r];
        checkMeasures(few.best);
        for (const auto& candidate : many.candidates) checkMeasures(candidate);
        for (const auto& candidate : few.candidates)
            EXPECT_EQ(candidate.measures.empty(), candidate.number != few.best.number);
        EXPECT_NEAR(few.best.measures.at("similarity_centred_4").sum,
                    many.best.measures.at("similarity_centred_4").sum, 1e-4);
    }
    request.measure = false;
    EXPECT_TRUE(model_->generate(request, config_, nullptr)->rows[0].best.measures.empty());
}

INSTANTIATE_TEST_SUITE_P(Overwrite, MaskPredict, ::testing::Values("masked", "all"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kurve::models
