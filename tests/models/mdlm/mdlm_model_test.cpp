#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>
#include <map>

#include "core/text/trained_specials.h"
#include "core/train/device_batch.h"
#include "core/train/likelihood.h"
#include "models/mdlm/canvas.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::mdlm {
namespace {

using ::testing::ElementsAre;
using testing::toyBatch;

constexpr std::int64_t kVocabulary = text::kFirstRegularToken + 20;
constexpr std::int32_t kWord = text::kFirstRegularToken;

RunConfig configOf(std::vector<Override> settings = {}) {
    settings.insert(settings.begin(),
                    {{"data.kind", "text"}, {"model.smooth_input", "false"}, {"init.output", "zero"}});
    return testing::toyConfig("mdlm", settings);
}

std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config, bool hasSource = false) {
    const train::TextShape shape{kVocabulary, kVocabulary, true, 12, hasSource, text::kTrainedSpecials};
    auto made = findFamily("mdlm")->create(config, {shape, at::kCPU});
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

/// The toy batch's targets without their sources.
train::DeviceBatch texts(int rows = 8) {
    text::Batch batch = toyBatch(rows);
    batch.source.clear();
    batch.sourceLength = 0;
    batch.sourceLengths.assign(static_cast<std::size_t>(rows), 0);
    return train::toDevice(batch, at::kCPU);
}

TEST(MdlmCanvas, ATextWithASourceFollowsIt) {
    const train::DeviceBatch batch = train::toDevice(toyBatch(2), at::kCPU);
    const Canvas canvas = canvasOf(batch, {true, false, false, 12});
    ASSERT_EQ(canvas.ids.size(1), 14);  // 7 + 7
    ASSERT_THAT(canvas.lengths, ElementsAre(12, 14));
    EXPECT_TRUE(at::equal(canvas.ids[0].narrow(0, 0, 6), batch.source[0].narrow(0, 0, 6)));
    EXPECT_TRUE(at::equal(canvas.ids[0].narrow(0, 6, 6), batch.target[0].narrow(0, 0, 6)));
    EXPECT_EQ(canvas.maskable[0].sum().item<int>(), 4) << "neither <s> nor </s>";
    EXPECT_FALSE(canvas.maskable[0].narrow(0, 0, 7).any().item<bool>()) << "nothing of the source";
    EXPECT_TRUE(at::equal(canvas.maskable, canvas.counted));
}

TEST(MdlmCanvas, AFixedCanvasMasksPaddingButDoesNotCountIt) {
    const Canvas canvas = canvasOf(texts(2), {false, true, true, 12, text::kTrainedSpecials});
    ASSERT_EQ(canvas.ids.size(1), 12);
    EXPECT_EQ(canvas.ids[0][11].item<int>(), text::kPad);
    EXPECT_THAT(canvas.lengths, ElementsAre(12, 12)) << "padding is read";
    EXPECT_EQ(canvas.maskable.sum().item<int>(), 24);
    EXPECT_THAT(canvas.counted.sum(1)[0].item<int>(), 6);
    EXPECT_EQ(canvasOf(texts(2), {true, true, true, 12, text::kTrainedSpecials}).maskable.sum().item<int>(),
              22)
        << "the anchor";
}

// A zero output projection makes every token but the mask equally probable.
TEST(Mdlm, TheFirstLossIsThatOfAUniformModel) {
    const auto model = modelOf(configOf());
    const train::LossReport report = model->loss(texts(), {1, 0, 0});
    EXPECT_NEAR(report.parts.at("masked_nll").item<double>(), std::log(kVocabulary - 1.0), 1e-5);
}

TEST(Mdlm, TheBoundOfAUniformModelIsItsLogAndTheLengths) {
    const train::DeviceBatch batch = texts();
    train::BoundRequest request;
    for (std::int64_t r = 0; r < batch.rows; ++r) {
        std::vector<std::int32_t> ids;
        for (std::int32_t i = 0; i < batch.targetLengths[static_cast<std::size_t>(r)]; ++i)
            ids.push_back(batch.target[r][i].item<std::int32_t>());
        request.targets.push_back(ids);
        request.sources.emplace_back();
    }
    const auto model = modelOf(configOf());
    const auto found = model->likelihoodBound()->bound(request);
    ASSERT_TRUE(found);
    for (std::size_t r = 0; r < request.targets.size(); ++r) {
        const auto inner = static_cast<double>(request.targets[r].size()) - 2;
        EXPECT_NEAR(found->nats[r], inner * std::log(kVocabulary - 1.0) + std::log(13.0), 1e-4);
        EXPECT_EQ(found->tokens[r], static_cast<std::int64_t>(inner) + 1);
    }
    const auto fixed = modelOf(configOf({{"model.length", "fixed"}}));
    const auto whole = fixed->likelihoodBound()->bound(request);
    EXPECT_EQ(whole->tokens[0], static_cast<std::int64_t>(request.targets[0].size()) - 1) << "</s> counts";
}

class MdlmSampling : public ::testing::Test {
protected:
    train::Generation generated(const std::vector<Override>& settings,
                                const std::vector<text::TextTemplate>& known,
                                trace::Trace* maybeTrace = nullptr) {
        const RunConfig config = configOf(settings);
        if (model_ == nullptr) model_ = modelOf(config);
        train::GenerateRequest request;
        request.sources.resize(known.size());
        request.templates = known;
        request.edits = edits_;
        trace::Trace unread;
        trace::TraceBuilder sink(maybeTrace != nullptr ? *maybeTrace : unread);
        auto made = model_->generate(request, config, maybeTrace != nullptr ? &sink : nullptr);
        EXPECT_TRUE(made) << made.error().text();
        return made ? *made : train::Generation();
    }
    std::unique_ptr<train::SequenceModel> model_;
    std::vector<trace::Edit> edits_;
};

/// Every rule fills all blanks, keeps what is given and writes no special token.
TEST_F(MdlmSampling, EveryRuleFillsTheBlanksAndKeepsTheRest) {
    const text::TextTemplate blanks{
        {text::kBos, kWord, text::kMask, text::kMask, kWord + 3, text::kMask, text::kEos}, false};
    const std::vector<std::vector<Override>> rules{
        {{"sampler.rule", "ancestral"}},
        {{"sampler.rule", "ancestral"}, {"sampler.remasking", "cap"}, {"sampler.eta", "0.3"}},
        {{"sampler.rule", "ancestral"}, {"sampler.remasking", "rescale"}, {"sampler.eta", "0.5"}},
        {{"sampler.rule", "ancestral"}, {"sampler.remasking", "confidence"}, {"sampler.eta", "1"}},
        {{"sampler.rule", "ancestral"}, {"sampler.remasking", "loop"}, {"sampler.eta", "0.2"}},
        {{"sampler.rule", "ancestral"}, {"sampler.block", "2"}},
        {{"sampler.rule", "budget"}, {"sampler.order", "confidence"}},
        {{"sampler.rule", "budget"}, {"sampler.order", "margin"}, {"sampler.block", "3"}},
        {{"sampler.rule", "budget"}, {"sampler.order", "entropy"}},
        {{"sampler.rule", "budget"}, {"sampler.order", "random"}},
        {{"sampler.rule", "threshold"}, {"sampler.threshold", "0.5"}},
        {{"sampler.rule", "entropy-bounded"}, {"sampler.gamma", "4"}},
        {{"sampler.rule", "ancestral"}, {"sampler.precision", "float32"}, {"sampler.top_p", "0.5"}},
        {{"sampler.rule", "budget"}, {"sampler.temperature", "0"}}};
    for (std::vector<Override> settings : rules) {
        settings.emplace_back("sampler.steps", "6");
        const auto made = generated(settings, {blanks, blanks});
        for (const auto& row : made.rows) {
            ASSERT_EQ(row.best.ids.size(), 5U) << settings.front().second;
            EXPECT_EQ(row.best.ids[0], kWord);
            EXPECT_EQ(row.best.ids[3], kWord + 3);
            for (const auto id : row.best.ids) EXPECT_TRUE(id >= kWord || id == text::kUnk) << id;
        }
        EXPECT_LE(made.networkCalls, 6);
    }
}

// Other settings than the training's; in training they are refused, too (MdlmBadSettings).
TEST_F(MdlmSampling, RemaskingGoesWithAncestralStepsOfTheWholeTextOnly) {
    const auto code = [](const std::vector<Override>& settings) {
        const auto model = modelOf(configOf());
        train::GenerateRequest request;
        request.sources.resize(1);
        request.templates = {{{text::kBos, text::kMask, text::kMask, text::kEos}, false}};
        const auto made = model->generate(request, configOf(settings), nullptr);
        return made ? std::string("none") : made.error().code;
    };
    EXPECT_EQ(code({{"sampler.rule", "ancestral"}, {"sampler.remasking", "cap"}}), "none");
    EXPECT_EQ(code({{"sampler.rule", "budget"}, {"sampler.remasking", "cap"}}), "sampler.remasking");
    EXPECT_EQ(code({{"sampler.rule", "ancestral"}, {"sampler.remasking", "cap"}, {"sampler.block", "2"}}),
              "sampler.remasking");
}

// Of an untrained network every token is equally probable, whichever rule unmasks it.
TEST_F(MdlmSampling, TokensOfAUniformModelAreUniform) {
    constexpr int kTexts = 400;
    const text::TextTemplate blanks{
        {text::kBos, text::kMask, text::kMask, text::kMask, text::kMask, text::kMask, text::kEos}, false};
    for (const char* rule : {"ancestral", "budget"}) {
        const auto made =
            generated({{"sampler.rule", rule}, {"sampler.steps", "4"}, {"sampler.temperature", "1"}},
                      std::vector<text::TextTemplate>(kTexts, blanks));
        std::map<std::int32_t, int> counts;
        for (const auto& row : made.rows)
            for (const auto id : row.best.ids) ++counts[id];
        const double expected = kTexts * 5.0 / 21;  // <unk> and 20 words
        double chiSquare = 0;
        for (std::int32_t id = 0; id < kVocabulary; ++id)
            if (id == text::kUnk || id >= kWord) chiSquare += std::pow(counts[id] - expected, 2) / expected;
        EXPECT_LT(chiSquare, 45.3) << rule << ": 20 degrees of freedom, p = 0.001";
    }
}

TEST_F(MdlmSampling, LengthsAreDrawnFromTheLearnedDistribution) {
    model_ = modelOf(configOf());
    const torch::NoGradGuard noGrad;
    at::Tensor prior = model_->module().named_parameters()["length.prior"];
    prior.fill_(-30);
    prior[5].fill_(std::log(0.25));
    prior[9].fill_(std::log(0.75));
    const auto made = generated({{"sampler.steps", "2"}}, std::vector<text::TextTemplate>(
                                                              1000, text::TextTemplate{{text::kBos}, true}));
    int nine = 0;
    for (const auto& row : made.rows) {
        ASSERT_TRUE(row.best.ids.size() == 3 || row.best.ids.size() == 7) << row.best.ids.size();
        nine += row.best.ids.size() == 7;
    }
    EXPECT_NEAR(nine, 750, 4 * std::sqrt(1000 * 0.75 * 0.25));
    // A prefix of five tokens leaves only the longer one.
    const text::TextTemplate prefix{{text::kBos, kWord, kWord, kWord, kWord}, true};
    for (const auto& row : generated({{"sampler.steps", "2"}}, {prefix, prefix}).rows)
        EXPECT_EQ(row.best.ids.size(), 7U);
}

TEST_F(MdlmSampling, ATraceShowsTheStepsOfTheSameText) {
    const std::vector<text::TextTemplate> known{
        {{text::kBos, kWord, text::kMask, text::kMask, text::kMask, text::kEos}, false}};
    const std::vector<Override> settings{
        {"sampler.steps", "3"}, {"sampler.rule", "budget"}, {"sampler.order", "random"}};
    const auto plain = generated(settings, known);
    trace::Trace trace;
    EXPECT_EQ(generated(settings, known, &trace).rows[0].best.ids, plain.rows[0].best.ids);
    ASSERT_EQ(trace.steps, 3);
    ASSERT_EQ(trace.positions, 6);
    using enum trace::TokenState;
    for (int step = 0; step < 3; ++step) {
        EXPECT_EQ(trace.state[trace.cell(step, 1)], static_cast<std::uint8_t>(Given));
        int masked = 0, fresh = 0;
        for (int i = 2; i < 5; ++i) {
            const std::size_t at = trace.cell(step, i);
            masked += trace.state[at] == static_cast<std::uint8_t>(Masked);
            fresh += trace.state[at] == static_cast<std::uint8_t>(New);
            EXPECT_EQ(trace.tokens[at] == static_cast<std::uint32_t>(text::kMask),
                      trace.state[at] == static_cast<std::uint8_t>(Masked));
            EXPECT_NEAR(trace.entropy[at], std::log(21.0), 1e-4);
        }
        EXPECT_EQ(fresh, 1);
        EXPECT_EQ(masked, 2 - step);
    }
    EXPECT_EQ(trace.t.front(), 1);
    EXPECT_LT(trace.logSnr.front(), trace.logSnr.back());
}

TEST_F(MdlmSampling, EveryStepHasStatesAlsoWhereNothingIsAsked) {
    const RunConfig config = configOf({{"sampler.steps", "6"}, {"sampler.rule", "ancestral"}});
    const auto model = modelOf(config);
    train::GenerateRequest request;
    request.sources.resize(1);
    request.templates = {{{text::kBos, kWord, text::kMask, kWord, text::kEos}, false}};
    request.what = {"latent", "hidden", "attention"};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    ASSERT_TRUE(model->generate(request, config, &sink));
    ASSERT_EQ(trace.steps, 6);
    ASSERT_FALSE(trace.blocks.empty());
    for (const auto& [name, block] : trace.blocks) EXPECT_EQ(block.shape.front(), 6) << name;
}

// One blank is one step, and a budget's texts do not depend on how many more were planned.
TEST_F(MdlmSampling, ABudgetTakesNoMoreStepsThanThereAreMasks) {
    const std::vector<text::TextTemplate> known{
        {{text::kBos, kWord, text::kMask, text::kMask, text::kMask, text::kEos}, false}};
    trace::Trace few, many;
    const auto settings = [](const char* steps) {
        return std::vector<Override>{{"sampler.steps", steps}, {"sampler.rule", "budget"}};
    };
    const auto a = generated(settings("3"), known, &few), b = generated(settings("16"), known, &many);
    EXPECT_EQ(a.rows[0].best.ids, b.rows[0].best.ids);
    EXPECT_EQ(many.steps, 3);
    EXPECT_EQ(few.tokens, many.tokens);
}

// The network sees the time, and so must not see how many masks the other texts have.
TEST_F(MdlmSampling, ATextWithTimeConditioningDoesNotDependOnItsNeighbours) {
    const std::vector<Override> settings{{"model.conditioning", "8"},
                                         {"model.time_conditioning", "true"},
                                         {"sampler.rule", "budget"},
                                         {"sampler.steps", "16"},
                                         {"sampler.temperature", "0"}};
    model_ = modelOf(configOf(settings));
    torch::manual_seed(1);
    // Larger ones saturate the probabilities: rounding would then choose among equal ones.
    for (at::Tensor& weights : model_->module().parameters()) weights.data().normal_(0, 0.25);
    const auto blanks = [](std::size_t count) {
        text::TextTemplate text{{text::kBos}, false, {}};
        text.ids.insert(text.ids.end(), count, text::kMask);
        text.ids.push_back(text::kEos);
        return text;
    };
    for (std::size_t count = 2; count < 8; ++count)
        EXPECT_EQ(generated(settings, {blanks(count)}).rows[0].best.ids,
                  generated(settings, {blanks(count), blanks(10)}).rows[0].best.ids)
            << count;
}

TEST_F(MdlmSampling, EditsForcePinBanAndMaskAgain) {
    const std::vector<text::TextTemplate> known{
        {{text::kBos, text::kMask, text::kMask, text::kMask, text::kEos}, false}};
    const std::vector<Override> settings{
        {"sampler.steps", "3"}, {"sampler.rule", "budget"}, {"sampler.order", "random"}};
    trace::Trace trace;
    edits_ = {{trace::EditKind::Force, 0, 2, false, kWord + 7, "", {}},
              {trace::EditKind::Pin, 1, 3, false, kWord + 9, "", {}}};
    const auto forced = generated(settings, known, &trace);
    EXPECT_EQ(forced.rows[0].best.ids[1], kWord + 7);
    EXPECT_EQ(forced.rows[0].best.ids[2], kWord + 9);
    EXPECT_EQ(trace.tokens[trace.cell(0, 2)], static_cast<std::uint32_t>(kWord + 7));
    edits_.clear();
    for (std::int32_t word = kWord + 1; word < kVocabulary; ++word)
        edits_.push_back({trace::EditKind::Ban, 0, 1, false, word, "", {}});
    edits_.push_back({trace::EditKind::Ban, 0, 1, false, text::kUnk, "", {}});
    EXPECT_EQ(generated(settings, known).rows[0].best.ids[0], kWord);
    edits_ = {{trace::EditKind::Noise, 2, 1, false, -1, "", {}}};
    (void)generated(settings, known, &trace);
    EXPECT_EQ(trace.state[trace.cell(2, 1)], static_cast<std::uint8_t>(trace::TokenState::New))
        << "masked again";
}

TEST_F(MdlmSampling, BadRequestsAreNamed) {
    model_ = modelOf(configOf());
    const auto refused = [&](const text::TextTemplate& known, const std::vector<Override>& settings = {}) {
        train::GenerateRequest request;
        request.sources.resize(1);
        request.templates = {known};
        const auto made = model_->generate(request, configOf(settings), nullptr);
        return made ? std::string("none") : made.error().code;
    };
    EXPECT_EQ(refused({std::vector<std::int32_t>(11, kWord), true}), "sample.too_long");
    EXPECT_EQ(refused({std::vector<std::int32_t>(13, kWord), false}), "sample.too_long");
    EXPECT_EQ(refused({{text::kBos}}, {{"sampler.length", "13"}}), "sample.length");
    EXPECT_EQ(refused({{text::kBos}}, {{"sampler.length", "2"}}), "sample.length");
    EXPECT_EQ(refused({{text::kBos}}, {{"sampler.length", "12"}}), "none");
}

TEST(MdlmBadSettings, AreNamed) {
    const auto code = [](const std::vector<Override>& settings, const train::TextShape& shape) {
        const auto made = findFamily("mdlm")->create(configOf(settings), {shape, at::kCPU});
        return made ? std::string("none") : made.error().field;
    };
    const train::TextShape text{kVocabulary, kVocabulary, true, 12, false, text::kTrainedSpecials},
        pairs{kVocabulary, kVocabulary, true, 12, true, text::kTrainedSpecials},
        separate{kVocabulary, kVocabulary, false, 12, true, text::kTrainedSpecials};
    EXPECT_EQ(code({}, text), "none");
    EXPECT_EQ(code({{"model.heads", "3"}}, text), "model.heads");
    EXPECT_EQ(code({{"model.time_conditioning", "true"}}, text), "model.time_conditioning");
    EXPECT_EQ(code({}, separate), "data.tokenizer.joint");
    EXPECT_EQ(code({{"model.length", "fixed"}}, pairs), "model.length");
    EXPECT_EQ(code({{"diffusion.t_min", "0.5"}, {"diffusion.t_max", "0.4"}}, text), "diffusion.t_min");
    EXPECT_EQ(code({{"sampler.remasking", "cap"}}, text), "sampler.remasking")
        << "with the preset's budget rule";
    EXPECT_EQ(code({{"diffusion.schedule", "free:0=2,1=-2"}}, text), "diffusion.schedule");
    EXPECT_EQ(code({{"diffusion.schedule", "free-mask:0=8,1=7"}}, text), "diffusion.schedule")
        << "never masks";
    EXPECT_EQ(code({{"diffusion.schedule", "free-mask:0=-7,1=-8"}}, text), "diffusion.schedule")
        << "always masks";
    EXPECT_EQ(code({{"diffusion.schedule", "free-mask:0=7,1=-8"}}, text), "none");
    for (const char* schedule : {"cosine-mask", "linear-mask", "log-linear"})
        EXPECT_EQ(code({{"diffusion.schedule", schedule}}, text), "none") << schedule;
}

}  // namespace
}  // namespace kurve::models::mdlm
