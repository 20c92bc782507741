// Interventions in a generation: what they must change, and above all what they must not.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/store/safetensors.h"
#include "core/text/trained_specials.h"
#include "core/train/branch.h"
#include "tests/models/family_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models {
namespace {

using trace::Edit;
using trace::EditKind;
using trace::Trace;

constexpr int kSteps = 6, kAt = 3, kPosition = 2;

/// Tokens "w0" … "w24"; texts are tokens between spaces.
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
        for (const auto id : ids) text += (text.empty() ? "" : " ") + token(id);
        return text;
    }
    std::string token(std::int32_t id) const override { return "w" + std::to_string(id); }
    std::int32_t vocabularySize() const override { return text::kFirstRegularToken + 20; }
    const text::SpecialIds& special() const override { return text::kTrainedSpecials; }
    text::WordBoundary wordBoundary() const override { return text::WordBoundary::Mark; }
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

class Intervention : public ::testing::TestWithParam<Variant> {
protected:
    void SetUp() override {
        std::vector<Override> settings{{"sampler.steps", std::to_string(kSteps)}};
        for (const Override& setting : GetParam().settings) settings.push_back(setting);
        config_.emplace(testing::toyConfig(GetParam().family, settings));
        model_ = testing::toyModel(*config_);
        predictSourceLength();
        train::TraceRequest request{{"w5 w9 w13 w17 w21 w6"}, "", 3, {"latent", "curve", "hidden"}, {}};
        request.growing = folder_ / "growing";
        auto recorded = train::recordTrace(text(), request, *config_, origin_);
        ASSERT_TRUE(recorded) << recorded.error().text();
        parent_ = saved(*recorded);
        ASSERT_GT(parent_.positions, kPosition);
    }
    /// An untrained length predictor says 2; here targets are as long as sources, or one longer.
    void predictSourceLength() {
        const torch::NoGradGuard noGrad;
        const auto parameters = model_->module().named_parameters();
        at::Tensor weight =
            parameters[parameters.contains("length.weight") ? "length.weight" : "length_head.weight"];
        weight.zero_();
        weight[128][0].fill_(1);
        weight[129][0].fill_(-1);
    }
    train::TextModel text() { return {*model_, tokenizers_}; }
    Result<train::RecordedTrace> branchOf(const Trace& parent, std::vector<Edit> edits, int step = kAt) {
        return train::recordBranch(
            text(), {parent, "traces/parent", step, std::move(edits), {}, {}, folder_ / "branch"}, *config_,
            origin_);
    }
    Trace saved(const train::RecordedTrace& recorded) {
        const auto written = recorded.save(folder_ / "saved");
        EXPECT_TRUE(written) << written.error().text();
        auto read = trace::readTrace(folder_ / "saved");
        EXPECT_TRUE(read) << read.error().text();
        return read ? std::move(*read) : Trace();
    }
    Trace branch(std::vector<Edit> edits, int step = kAt) {
        auto made = branchOf(parent_, std::move(edits), step);
        EXPECT_TRUE(made) << made.error().text();
        return made ? saved(*made) : Trace();
    }
    /// A token that the position does not have at kAt.
    std::int32_t otherToken() const { return parent_.tokens[parent_.cell(kAt, kPosition)] == 11 ? 12 : 11; }

    const ::kurve::testing::TemporaryFolder folder_;
    std::shared_ptr<const text::Tokenizer> words_ = std::make_shared<WordList>();
    text::Tokenizers tokenizers_{words_, words_, {}, {}};
    train::TraceOrigin origin_{"run", "step-00000007", "abc", 7};
    std::optional<RunConfig> config_;
    std::unique_ptr<train::SequenceModel> model_;
    Trace parent_;
};

/// Whether the first `steps` steps are the same, bit for bit, in all that a trace holds.
void expectSame(const Trace& a, const Trace& b, int steps) {
    ASSERT_EQ(a.steps, b.steps);
    ASSERT_EQ(a.positions, b.positions);
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

/// The most that rounding to F16, as which a trace's file holds this block, changes one of its values.
double halfStep(const Trace& trace, const char* name) {
    double most = 1;
    for (const float v : trace.block(name)->data) most = std::max(most, std::fabs(static_cast<double>(v)));
    return most * 0x1p-11;
}

double signalAt(const Trace& trace, int step) {
    return std::sqrt(1 / (1 + std::exp(-trace.logSnr[static_cast<std::size_t>(step)])));
}

TEST_P(Intervention, WithoutAnEditNothingChangesInAnyBit) {
    const Trace same = branch({});
    expectSame(parent_, same, kSteps);
    EXPECT_EQ(same.meta.at("output"), parent_.meta.at("output"));
    EXPECT_EQ(same.meta.at("branch_parent"), "traces/parent");
    EXPECT_EQ(same.meta.at("branch_step"), "3");
    EXPECT_EQ(same.meta.at("branch_change"), "unchanged");
}

TEST_P(Intervention, AForcedTokenIsSetAtItsPositionOnly) {
    const auto token = otherToken();
    const Trace forced = branch({{EditKind::Force, kAt, kPosition, false, token, "", {}}});
    expectSame(parent_, forced, kAt);
    for (int position = 0; position < parent_.positions; ++position) {
        if (position == kPosition) continue;
        EXPECT_EQ(forced.tokens[forced.cell(kAt, position)], parent_.tokens[parent_.cell(kAt, position)]);
        EXPECT_EQ(rowOf(forced, "latent", kAt, position), rowOf(parent_, "latent", kAt, position));
        EXPECT_EQ(rowOf(forced, "noisy", kAt + 1, position), rowOf(parent_, "noisy", kAt + 1, position));
    }
    EXPECT_EQ(forced.tokens[forced.cell(kAt, kPosition)], static_cast<std::uint32_t>(token));
    EXPECT_EQ(forced.confidence[forced.cell(kAt, kPosition)], 1.0F);
    EXPECT_EQ(forced.entropy[forced.cell(kAt, kPosition)], 0.0F);
    EXPECT_EQ(forced.meta.at("branch_change"), "position 2 := w" + std::to_string(token) + " @4");
    EXPECT_NE(rowOf(forced, "latent", kAt + 1, kPosition), rowOf(parent_, "latent", kAt + 1, kPosition));
}

// z_t = sqrt(alphaBar) z_0 + noise: if the noise stays and the signal is another, the state differs by the
// next step's sqrt(alphaBar) times the difference of the signals, whatever the posterior's coefficients are.
TEST_P(Intervention, AnEditIsAnotherSignalUnderTheSameNoise) {
    const Trace forced = branch({{EditKind::Force, kAt, kPosition, false, otherToken(), "", {}}});
    auto expected =
        difference(rowOf(forced, "latent", kAt, kPosition), rowOf(parent_, "latent", kAt, kPosition));
    for (float& v : expected) v *= static_cast<float>(signalAt(parent_, kAt + 1));
    const auto moved =
        difference(rowOf(forced, "noisy", kAt + 1, kPosition), rowOf(parent_, "noisy", kAt + 1, kPosition));
    expectNear(moved, expected, 1e-4 + 2 * halfStep(forced, "noisy") + 2 * halfStep(forced, "latent"));
    EXPECT_EQ(rowOf(forced, "noisy", kAt, kPosition), rowOf(parent_, "noisy", kAt, kPosition));
}

TEST_P(Intervention, APinnedTokenStays) {
    const auto token = otherToken();
    const Trace pinned = branch({{EditKind::Pin, kAt, kPosition, false, token, "", {}}});
    expectSame(parent_, pinned, kAt);
    for (int step = kAt; step < kSteps; ++step) {
        EXPECT_EQ(pinned.tokens[pinned.cell(step, kPosition)], static_cast<std::uint32_t>(token));
        EXPECT_EQ(pinned.state[pinned.cell(step, kPosition)],
                  static_cast<std::uint8_t>(trace::TokenState::Given));
        EXPECT_EQ(rowOf(pinned, "latent", step, kPosition), rowOf(pinned, "latent", kAt, kPosition));
    }
    EXPECT_NE(pinned.meta.at("output").find(words_->token(token)), std::string::npos);
}

TEST_P(Intervention, ABannedTokenNeverReturns) {
    const auto token = static_cast<std::int32_t>(parent_.tokens[parent_.cell(kAt, kPosition)]);
    const Trace banned = branch({{EditKind::Ban, kAt, kPosition, false, token, "", {}}});
    expectSame(parent_, banned, kAt);
    for (int step = kAt; step < kSteps; ++step)
        for (std::size_t k = 0; k < 8; ++k) {
            const std::size_t at = banned.cell(step, kPosition) * 8 + k;
            EXPECT_FALSE(banned.topIds[at] == static_cast<std::uint32_t>(token) &&
                         banned.topProbability[at] > 0);
        }
    // The best of the others replaces it.
    EXPECT_EQ(banned.tokens[banned.cell(kAt, kPosition)],
              parent_.topIds[parent_.cell(kAt, kPosition) * 8 + 1]);
}

TEST_P(Intervention, FreshNoiseIsAddedAtOnePosition) {
    const Trace noised = branch({{EditKind::Noise, kAt, kPosition, false, -1, "", {}}});
    expectSame(parent_, noised, kAt);
    for (int position = 0; position < parent_.positions; ++position)
        EXPECT_EQ(rowOf(noised, "noisy", kAt, position) == rowOf(parent_, "noisy", kAt, position),
                  position != kPosition)
            << position;
    EXPECT_NE(rowOf(noised, "latent", kAt, kPosition), rowOf(parent_, "latent", kAt, kPosition));
}

TEST_P(Intervention, ALatentIsSetToTheGivenValues) {
    std::vector<float> values = rowOf(parent_, "latent", kAt, kPosition);
    for (float& v : values) v = store::fromHalf(store::toHalf(0.5F - v));  // as the file holds it
    const Trace moved = branch({{EditKind::Latent, kAt, kPosition, false, -1, "", values}});
    expectSame(parent_, moved, kAt);
    EXPECT_EQ(rowOf(moved, "latent", kAt, kPosition), values);
}

TEST_P(Intervention, AControlPointMovesTheWordsByItsBasisFunction) {
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
    for (float& v : values) v = store::fromHalf(store::toHalf(v + 1));
    const Trace moved = branch({{EditKind::Latent, kAt, kPoint, true, -1, "", values}});
    expectSame(parent_, moved, kAt);
    EXPECT_EQ(rowOf(moved, "curve", kAt, kPoint), values);
    EXPECT_EQ(rowOf(moved, "curve", kAt, kPoint + 1), rowOf(parent_, "curve", kAt, kPoint + 1));
    for (int position = 0; position < parent_.positions; ++position) {
        const float weight = psi->data[static_cast<std::size_t>(position * psi->shape[1] + kPoint)];
        expectNear(difference(rowOf(moved, "latent", kAt, position), rowOf(parent_, "latent", kAt, position)),
                   std::vector<float>(16, weight),
                   1e-4 + 2 * halfStep(moved, "latent") + 2 * halfStep(moved, "curve"));
    }
    const auto beyond = branchOf(parent_, {{EditKind::Latent, kAt, 999, true, -1, "", values}});
    EXPECT_EQ(beyond.error().code, "branch.point");
}

TEST_P(Intervention, ABranchOfABranchKeepsTheFirstEdit) {
    const auto token = otherToken();
    const Trace first = branch({{EditKind::Pin, kAt, kPosition, false, token, "", {}}});
    const auto second = branchOf(first, {{EditKind::Noise, kAt + 1, 0, false, -1, "", {}}}, kAt + 1);
    ASSERT_TRUE(second) << second.error().text();
    const Trace both = saved(*second);
    expectSame(first, both, kAt + 1);
    EXPECT_EQ(both.tokens[first.cell(kSteps - 1, kPosition)], static_cast<std::uint32_t>(token));
    EXPECT_EQ(both.meta.at("branch_change"), "position 0 := noise @5");
    EXPECT_EQ(nlohmann::json::parse(both.meta.at("branch_history")).size(), 2U);
    EXPECT_EQ(nlohmann::json::parse(both.meta.at("branch_edits")).size(), 1U);
    const auto same = branchOf(first, {}, kAt + 1);
    ASSERT_TRUE(same);
    expectSame(first, saved(*same), kSteps);
}

TEST_P(Intervention, RejectsInvalidEdits) {
    const auto code = [&](const Trace& parent, std::vector<Edit> edits, int step = kAt) {
        const auto made = branchOf(parent, std::move(edits), step);
        return made ? std::string() : made.error().code;
    };
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, 99, false, 5, "", {}}}), "branch.position");
    EXPECT_EQ(code(parent_, {}, kSteps), "branch.step");
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, kPosition, false, 25, "", {}}}), "branch.token");
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, kPosition, false, -1, "w5 w6", {}}}), "branch.token");
    EXPECT_EQ(code(parent_, {{EditKind::Force, kAt, kPosition, false, -1, "unknown", {}}}), "branch.token");
    EXPECT_EQ(code(parent_, {{EditKind::Latent, kAt, kPosition, false, -1, "", {1, 2}}}), "branch.values");
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
    Families, Intervention,
    ::testing::Values(
        Variant{"difformer"},
        Variant{"difformer", {{"sampler.noise_beam", "3"}, {"sampler.length_beam", "2"}}}, Variant{"sclm"},
        Variant{"sclm", {{"map.self_cond_space", "curve"}, {"sampler.noise_beam", "2"}}},
        Variant{"sclm", {{"map.curves", "2"}, {"map.rho", "0.6"}}},
        // Untrained, all estimates have one nearest embedding.
        Variant{"diffusia", {{"sampler.noise_beam", "2"}, {"sampler.clamp", "false"}}},
        Variant{"diffusia",
                {{"model.network", "diffused"}, {"sampler.clamp", "false"}, {"sampler.solver", "ddim"}}}));

TEST(FindTokens, OfAChunkAreThoseThatSpellIt) {
    const WordList words;
    Trace parent;
    parent.unit = trace::Unit::Chunk;
    parent.positions = 2;
    parent.spans = {{0, 3}, {3, 6}};
    parent.tokenTexts[4] = "w7w11w2";
    std::vector<Edit> edits{{EditKind::Force, 0, 1, false, -1, "w1w10w5", {}},
                            {EditKind::Force, 0, 1, false, 4, "w 7", {}}};
    const auto found = train::findTokens(edits, words, parent);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(edits[0].tokens, (std::vector<std::int32_t>{1, 10, 5}));
    EXPECT_EQ(edits[1].tokens, (std::vector<std::int32_t>{7, 11, 2})) << "an id means the trace's own text";
    edits = {{EditKind::Force, 0, 1, false, -1, "w1w10", {}}};
    EXPECT_EQ(train::findTokens(edits, words, parent).error().code, "branch.token")
        << "two tokens, not three";
}

TEST(FindTokens, OfASentenceAreAllOfIt) {
    const WordList words;
    Trace parent;
    parent.unit = trace::Unit::Sentence;
    std::vector<Edit> edits{{EditKind::Pin, 0, 1, false, -1, "w1 w10 w5 w6", {}}};
    ASSERT_TRUE(train::findTokens(edits, words, parent));
    EXPECT_EQ(edits[0].tokens, (std::vector<std::int32_t>{1, 10, 5, 6}));
}

}  // namespace
}  // namespace kurve::models
