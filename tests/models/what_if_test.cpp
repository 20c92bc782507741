// A hand in a denoising: what it must change, and above all what it must not.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/train/branch.h"
#include "tests/models/family_fixture.h"

namespace kurve::models {
namespace {

using trace::Edit;
using trace::EditKind;
using trace::Trace;

constexpr int kSteps = 6, kAt = 3, kSlot = 2;

/// Pieces "w0" … "w24"; texts are pieces between spaces.
class WordList final : public text::Tokenizer {
public:
    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        std::string word;
        for (const char c : std::string(text) + ' ') {
            if (c != ' ') word += c;
            if (c != ' ' || word.empty()) continue;
            ids.push_back(word[0] == 'w' ? std::stoi(word.substr(1)) : text::kUnk);
            word.clear();
        }
        return ids;
    }
    std::string decode(std::span<const std::int32_t> ids) const override {
        std::string text;
        for (const auto id : ids) text += (text.empty() ? "" : " ") + piece(id);
        return text;
    }
    std::string piece(std::int32_t id) const override { return "w" + std::to_string(id); }
    std::int32_t vocabularySize() const override { return text::kFirstPiece + 20; }
    const std::string& hash() const override { return hash_; }

private:
    std::string hash_ = "words";
};

struct Variant {
    std::string family;
    std::vector<Override> settings = {};
};

void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.family;
    for (const auto& [key, value] : variant.settings) *out << ' ' << key << '=' << value;
}

class WhatIf : public ::testing::TestWithParam<Variant> {
protected:
    void SetUp() override {
        std::vector<Override> settings{{"sampler.steps", std::to_string(kSteps)}};
        for (const Override& setting : GetParam().settings) settings.push_back(setting);
        config_.emplace(testing::toyConfig(GetParam().family, settings));
        model_ = testing::toyModel(*config_);
        writeAsMuchAsIsRead();
        train::TraceRequest request{"w5 w9 w13 w17 w21 w6", "", 3, {"latent", "curve", "hidden"}, {}};
        auto recorded = train::recordTrace(text(), request, *config_, origin_);
        ASSERT_TRUE(recorded) << recorded.error().text();
        parent_ = std::move(recorded->trace);
        ASSERT_GT(parent_.slots, kSlot);
    }
    /// An untrained length predictor says 2; here targets are as long as sources, or one longer.
    void writeAsMuchAsIsRead() {
        const torch::NoGradGuard noGrad;
        at::Tensor weight = model_->module().named_parameters()["length.weight"];
        weight.zero_();
        weight[128][0].fill_(1);
        weight[129][0].fill_(-1);
    }
    train::TextModel text() { return {*model_, words_, words_}; }
    Result<train::RecordedTrace> branchOf(const Trace& parent, std::vector<Edit> edits, int step = kAt) {
        return train::recordBranch(text(), {parent, "traces/parent", step, std::move(edits), {}, {}},
                                   *config_, origin_);
    }
    Trace branch(std::vector<Edit> edits, int step = kAt) {
        auto made = branchOf(parent_, std::move(edits), step);
        EXPECT_TRUE(made) << made.error().text();
        return made ? std::move(made->trace) : Trace();
    }
    /// A token that the slot does not have at kAt.
    std::int32_t otherToken() const { return parent_.tokens[parent_.cell(kAt, kSlot)] == 11 ? 12 : 11; }

    WordList words_;
    train::TraceOrigin origin_{"run", "step-00000007", "abc", 7};
    std::optional<RunConfig> config_;
    std::unique_ptr<train::SequenceModel> model_;
    Trace parent_;
};

/// Whether the first `steps` steps are the same, bit for bit, in all that a trace holds.
void expectSame(const Trace& a, const Trace& b, int steps) {
    ASSERT_EQ(a.steps, b.steps);
    ASSERT_EQ(a.slots, b.slots);
    const std::size_t cells = a.cell(steps, 0);
    const auto same = [](const auto& left, const auto& right, std::size_t count, const std::string& what) {
        ASSERT_EQ(left.size(), right.size()) << what;
        EXPECT_EQ(std::memcmp(left.data(), right.data(), count * sizeof(left[0])), 0) << what;
    };
    same(a.tokens, b.tokens, cells, "tokens");
    same(a.state, b.state, cells, "state");
    same(a.confidence, b.confidence, cells, "confidence");
    same(a.entropy, b.entropy, cells, "entropy");
    same(a.margin, b.margin, cells, "margin");
    same(a.topIds, b.topIds, cells * 8, "top ids");
    same(a.topProbability, b.topProbability, cells * 8, "top probability");
    for (const auto& [name, block] : a.blocks) {
        if (name.rfind("vocab/", 0) == 0) continue;  // of the tokens that occur
        ASSERT_NE(b.block(name), nullptr) << name;
        const bool perStep = name != "psi" && name != "greville" && name != "index";
        const std::size_t count =
            perStep ? block.data.size() / static_cast<std::size_t>(a.steps) * static_cast<std::size_t>(steps)
                    : block.data.size();
        same(block.data, b.block(name)->data, count, name);
    }
}

/// Row (step, i) of a block [S, n, d].
std::vector<float> rowOf(const Trace& trace, const char* name, int step, int i) {
    const trace::Block& block = *trace.block(name);
    const auto d = static_cast<std::size_t>(block.shape[2]);
    const auto first = (static_cast<std::size_t>(step * block.shape[1]) + static_cast<std::size_t>(i)) * d;
    return {block.data.begin() + static_cast<std::ptrdiff_t>(first),
            block.data.begin() + static_cast<std::ptrdiff_t>(first + d)};
}

std::vector<float> difference(std::vector<float> a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

void expectNear(const std::vector<float>& a, const std::vector<float>& b, double within) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], within) << i;
}

double signalAt(const Trace& trace, int step) {
    return std::sqrt(1 / (1 + std::exp(-trace.logSnr[static_cast<std::size_t>(step)])));
}

TEST_P(WhatIf, WithoutAnEditNothingChangesInAnyBit) {
    const Trace same = branch({});
    expectSame(parent_, same, kSteps);
    EXPECT_EQ(same.meta.at("output"), parent_.meta.at("output"));
    EXPECT_EQ(same.meta.at("branch_parent"), "traces/parent");
    EXPECT_EQ(same.meta.at("branch_step"), "3");
    EXPECT_EQ(same.meta.at("branch_change"), "unchanged");
}

TEST_P(WhatIf, AForcedTokenIsThereAndOnlyThere) {
    const auto token = otherToken();
    const Trace forced = branch({{EditKind::Force, kAt, kSlot, false, token, "", {}}});
    expectSame(parent_, forced, kAt);
    for (int slot = 0; slot < parent_.slots; ++slot) {
        if (slot == kSlot) continue;
        EXPECT_EQ(forced.tokens[forced.cell(kAt, slot)], parent_.tokens[parent_.cell(kAt, slot)]);
        EXPECT_EQ(rowOf(forced, "latent", kAt, slot), rowOf(parent_, "latent", kAt, slot));
        EXPECT_EQ(rowOf(forced, "noisy", kAt + 1, slot), rowOf(parent_, "noisy", kAt + 1, slot));
    }
    EXPECT_EQ(forced.tokens[forced.cell(kAt, kSlot)], static_cast<std::uint32_t>(token));
    EXPECT_EQ(forced.confidence[forced.cell(kAt, kSlot)], 1.0F);
    EXPECT_EQ(forced.entropy[forced.cell(kAt, kSlot)], 0.0F);
    EXPECT_EQ(forced.meta.at("branch_change"), "slot 2 := w" + std::to_string(token) + " @4");
    EXPECT_NE(rowOf(forced, "latent", kAt + 1, kSlot), rowOf(parent_, "latent", kAt + 1, kSlot));
}

// z_t = sqrt(alphaBar) z_0 + noise: if the noise stays and the signal is another, the state differs by the
// next step's sqrt(alphaBar) times the difference of the signals, whatever the posterior's coefficients are.
TEST_P(WhatIf, AnEditIsAnotherSignalUnderTheSameNoise) {
    const Trace forced = branch({{EditKind::Force, kAt, kSlot, false, otherToken(), "", {}}});
    auto expected = difference(rowOf(forced, "latent", kAt, kSlot), rowOf(parent_, "latent", kAt, kSlot));
    for (float& v : expected) v *= static_cast<float>(signalAt(parent_, kAt + 1));
    const auto moved =
        difference(rowOf(forced, "noisy", kAt + 1, kSlot), rowOf(parent_, "noisy", kAt + 1, kSlot));
    expectNear(moved, expected, 1e-4);
    EXPECT_EQ(rowOf(forced, "noisy", kAt, kSlot), rowOf(parent_, "noisy", kAt, kSlot));
}

TEST_P(WhatIf, APinnedTokenStays) {
    const auto token = otherToken();
    const Trace pinned = branch({{EditKind::Pin, kAt, kSlot, false, token, "", {}}});
    expectSame(parent_, pinned, kAt);
    for (int step = kAt; step < kSteps; ++step) {
        EXPECT_EQ(pinned.tokens[pinned.cell(step, kSlot)], static_cast<std::uint32_t>(token));
        EXPECT_EQ(pinned.state[pinned.cell(step, kSlot)], static_cast<std::uint8_t>(trace::SlotState::Given));
        EXPECT_EQ(rowOf(pinned, "latent", step, kSlot), rowOf(pinned, "latent", kAt, kSlot));
    }
    EXPECT_NE(pinned.meta.at("output").find(words_.piece(token)), std::string::npos);
}

TEST_P(WhatIf, ABannedTokenNeverComesBack) {
    const auto token = static_cast<std::int32_t>(parent_.tokens[parent_.cell(kAt, kSlot)]);
    const Trace banned = branch({{EditKind::Ban, kAt, kSlot, false, token, "", {}}});
    expectSame(parent_, banned, kAt);
    for (int step = kAt; step < kSteps; ++step)
        for (std::size_t k = 0; k < 8; ++k) {
            const std::size_t at = banned.cell(step, kSlot) * 8 + k;
            EXPECT_FALSE(banned.topIds[at] == static_cast<std::uint32_t>(token) &&
                         banned.topProbability[at] > 0);
        }
    // The best of the others has taken its place.
    EXPECT_EQ(banned.tokens[banned.cell(kAt, kSlot)], parent_.topIds[parent_.cell(kAt, kSlot) * 8 + 1]);
}

TEST_P(WhatIf, FreshNoiseComesInAtOneSlot) {
    const Trace noised = branch({{EditKind::Noise, kAt, kSlot, false, -1, "", {}}});
    expectSame(parent_, noised, kAt);
    for (int slot = 0; slot < parent_.slots; ++slot)
        EXPECT_EQ(rowOf(noised, "noisy", kAt, slot) == rowOf(parent_, "noisy", kAt, slot), slot != kSlot)
            << slot;
    EXPECT_NE(rowOf(noised, "latent", kAt, kSlot), rowOf(parent_, "latent", kAt, kSlot));
}

TEST_P(WhatIf, ALatentIsTakenAsGiven) {
    std::vector<float> values = rowOf(parent_, "latent", kAt, kSlot);
    for (float& v : values) v = 0.5F - v;
    const Trace moved = branch({{EditKind::Latent, kAt, kSlot, false, -1, "", values}});
    expectSame(parent_, moved, kAt);
    EXPECT_EQ(rowOf(moved, "latent", kAt, kSlot), values);
}

TEST_P(WhatIf, AControlPointBendsTheWordsByItsBasisFunction) {
    const trace::Block* psi = parent_.block("psi");
    if (psi == nullptr) {
        const auto refused =
            branchOf(parent_, {{EditKind::Latent, kAt, 1, true, -1, "", std::vector<float>(16)}});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, "branch.point");
        return;
    }
    constexpr int kPoint = 1;
    std::vector<float> values = rowOf(parent_, "curve", kAt, kPoint);
    for (float& v : values) v += 1;
    const Trace bent = branch({{EditKind::Latent, kAt, kPoint, true, -1, "", values}});
    expectSame(parent_, bent, kAt);
    EXPECT_EQ(rowOf(bent, "curve", kAt, kPoint), values);
    EXPECT_EQ(rowOf(bent, "curve", kAt, kPoint + 1), rowOf(parent_, "curve", kAt, kPoint + 1));
    for (int slot = 0; slot < parent_.slots; ++slot) {
        const float weight = psi->data[static_cast<std::size_t>(slot * psi->shape[1] + kPoint)];
        expectNear(difference(rowOf(bent, "latent", kAt, slot), rowOf(parent_, "latent", kAt, slot)),
                   std::vector<float>(16, weight), 1e-4);
    }
    const auto beyond = branchOf(parent_, {{EditKind::Latent, kAt, 999, true, -1, "", values}});
    EXPECT_EQ(beyond.error().code, "branch.point");
}

TEST_P(WhatIf, ABranchOfABranchKeepsTheFirstEdit) {
    const auto token = otherToken();
    const Trace first = branch({{EditKind::Pin, kAt, kSlot, false, token, "", {}}});
    const auto second = branchOf(first, {{EditKind::Noise, kAt + 1, 0, false, -1, "", {}}}, kAt + 1);
    ASSERT_TRUE(second) << second.error().text();
    expectSame(first, second->trace, kAt + 1);
    EXPECT_EQ(second->trace.tokens[first.cell(kSteps - 1, kSlot)], static_cast<std::uint32_t>(token));
    EXPECT_EQ(second->trace.meta.at("branch_change"), "slot 0 := noise @5");
    EXPECT_EQ(nlohmann::json::parse(second->trace.meta.at("branch_history")).size(), 2U);
    EXPECT_EQ(nlohmann::json::parse(second->trace.meta.at("branch_edits")).size(), 1U);
    const auto same = branchOf(first, {}, kAt + 1);
    ASSERT_TRUE(same);
    expectSame(first, same->trace, kSteps);
}

TEST_P(WhatIf, AnOldTraceThatDoesNotNameItsCandidateIsFollowedAllTheSame) {
    Trace old = parent_;
    old.meta.erase("candidate");
    const auto same = branchOf(old, {});
    ASSERT_TRUE(same) << same.error().text();
    expectSame(parent_, same->trace, kSteps);
}

TEST_P(WhatIf, SaysWhatCannotBeDone) {
    const auto code = [&](const Trace& parent, std::vector<Edit> edits, int step = kAt) {
        const auto made = branchOf(parent, std::move(edits), step);
        return made ? std::string() : made.error().code;
    };
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, 99, false, 5, "", {}}}), "branch.slot");
    EXPECT_EQ(code(parent_, {}, kSteps), "branch.step");
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, kSlot, false, 25, "", {}}}), "branch.token");
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, kSlot, false, -1, "w5 w6", {}}}), "branch.token");
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, kSlot, false, -1, "unknown", {}}}), "branch.token");
    EXPECT_EQ(code(parent_, {{EditKind::Latent, kAt, kSlot, false, -1, "", {1, 2}}}), "branch.values");
    Trace other = parent_;
    other.meta["run"] = "another";
    EXPECT_EQ(code(other, {}), "branch.parent");
    other = parent_;
    other.meta["checkpoint_step"] = "8";
    EXPECT_EQ(code(other, {}), "branch.weights");
    other = parent_;
    other.meta["checkpoint_sha256"] = "def";
    EXPECT_EQ(code(other, {}), "branch.weights");
    other = parent_;
    other.meta["candidate"] = "100";
    EXPECT_EQ(code(other, {}), "branch.candidate");
    other = parent_;
    other.tokens[other.cell(kAt - 1, 0)] += 1;
    EXPECT_EQ(code(other, {}), "branch.diverged");
    EXPECT_EQ(code(other, {}, kAt - 1), "");
}

INSTANTIATE_TEST_SUITE_P(
    Families, WhatIf,
    ::testing::Values(Variant{"difformer"},
                      Variant{"difformer", {{"sampler.noise_beam", "3"}, {"sampler.length_beam", "2"}}},
                      Variant{"sclm"},
                      Variant{"sclm", {{"map.self_cond_space", "curve"}, {"sampler.noise_beam", "2"}}},
                      Variant{"sclm", {{"map.curves", "2"}, {"map.rho", "0.6"}}}));

}  // namespace
}  // namespace kurve::models
