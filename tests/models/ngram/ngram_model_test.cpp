// Texts, traces, edits, split losses and perturbed states of the n-gram model.
#include "models/ngram/ngram_model.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/tensor/meta_kernels.h"
#include "core/tensor/meta_memory.h"
#include "models/ngram/ngram_fields.h"
#include "tests/models/transformer/decoder_only_fixture.h"
#include "tests/support/json_tensors.h"

namespace kurve::models::ngram {
namespace {

using kurve::testing::difference;
using transformer::texts::Ids, transformer::texts::batchOf, transformer::texts::generated,
    transformer::texts::prefixOf, transformer::texts::requestOf, transformer::texts::textOf;

constexpr std::int32_t kWord = text::kFirstRegularToken;

RunConfig configOf(const std::vector<Override>& settings = {}) {
    return testing::toyConfig("ngram", settings);
}

NgramNetImpl& netOf(train::SequenceModel& model) {
    return dynamic_cast<NgramNetImpl&>(model.module());
}

/// With confident predictions, as a trained one has.
std::unique_ptr<train::SequenceModel> confidentModel(const RunConfig& config) {
    auto model = testing::toyModel(config);
    const at::NoGradGuard noGrad;
    netOf(*model).embedding->weight.mul_(16);
    netOf(*model).head->recurrent->weight.mul_(4);  // an untrained head hardly looks at the state
    model->module().eval();
    return model;
}

std::vector<Ids> toyTexts() {
    return {textOf({7, 9, 12, 5, 20, 11}), textOf({8}), textOf({}), textOf({15, 6, 19})};
}

const std::vector<std::vector<Override>> kVariants{{},
                                                   {{"map.kind", "spline"}, {"map.curves", "2"}},
                                                   {{"map.kind", "repeat"}},
                                                   {{"map.kind", "band"}, {"map.degree", "2"}},
                                                   {{"ngram.n", "1"}},
                                                   {{"ngram.n", "5"}, {"map.curves", "3"}}};

// As replicas and accumulation split a step: losses, parts and gradients add up to the whole batch's.
TEST(NgramModel, ASplitBatchAddsUpToTheWhole) {
    for (const auto& settings : kVariants) {
        const auto model = testing::toyModel(configOf(settings));
        const std::vector<Ids> texts = toyTexts();
        const train::DeviceBatch whole = batchOf(texts);
        const train::LossReport all = model->loss(whole, {1, 0, 0});
        all.total.backward();
        std::map<std::string, at::Tensor> gradients;
        for (auto& item : model->module().named_parameters()) {
            gradients[item.key()] = item.value().grad().clone();
            item.value().mutable_grad() = at::Tensor();
        }
        double total = 0;
        std::map<std::string, double> parts;
        for (const std::size_t cut : {std::size_t{0}, std::size_t{1}}) {
            train::DeviceBatch part = batchOf(cut == 0 ? std::vector<Ids>{texts[0]}
                                                       : std::vector<Ids>{texts[1], texts[2], texts[3]});
            part.stepDenominators = model->lossDenominators(whole, {1, 0, 0});
            const train::LossReport some = model->loss(part, {1, 0, cut});
            some.total.backward();
            total += some.total.item<double>();
            for (const auto& [name, value] : some.parts) parts[name] += value.item<double>();
        }
        EXPECT_NEAR(total, all.total.item<double>(), 1e-5);
        for (const auto& [name, value] : all.parts) EXPECT_NEAR(parts[name], value.item<double>(), 1e-5);
        for (auto& item : model->module().named_parameters())
            EXPECT_LE(difference(item.value().grad(), gradients[item.key()]), 1e-5) << item.key();
    }
}

// A text's score is the sum of log p by blocks: the tokens of a call have not seen each other.
TEST(NgramModel, ScoresAreThoseOfTheWholePass) {
    for (const auto& settings : kVariants) {
        std::vector<Override> all = settings;
        all.insert(all.end(),
                   {{"sampler.method", "beam"}, {"sampler.beam", "4"}, {"sampler.min_length", "0"}});
        const RunConfig config = configOf(all);
        const auto model = confidentModel(config);
        NgramNetImpl& net = netOf(*model);
        const torch::NoGradGuard noGrad;
        const std::vector<Ids> prefixes{{7, 8}, {}, {9, 10, 11, 12}};
        std::vector<text::TextTemplate> known;
        for (const Ids& prefix : prefixes) known.push_back(prefixOf(prefix));
        const auto found = generated(*model, config, requestOf(known));
        for (std::size_t r = 0; r < prefixes.size(); ++r)
            for (const auto& candidate : found.rows[r].candidates) {
                const Ids text = textOf(candidate.ids);
                const std::int64_t given = static_cast<std::int64_t>(prefixes[r].size()) + 1;
                const at::Tensor target = batchOf({text}).target;
                const at::Tensor states = net.decodingStates(
                    {at::Tensor(), target, {0}, {static_cast<std::int32_t>(text.size()) - 1}}, given, {});
                const at::Tensor logP =
                    at::log_softmax(net.logits(states)[0], -1)
                        .gather(1, target[0].narrow(0, 1, target.size(1) - 1).unsqueeze(1))
                        .narrow(0, given - 1, target.size(1) - given);
                EXPECT_NEAR(candidate.score, logP.mean().item<double>(), 1e-4);
            }
    }
}

TEST(NgramModel, ACallWritesNTokens) {
    const RunConfig config = configOf({{"sampler.min_length", "9"}, {"sampler.max_length_b", "9"}});
    const auto model = confidentModel(config);
    const auto all = generated(*model, config, requestOf({prefixOf({7}), prefixOf({8})}));
    EXPECT_EQ(all.rows[0].best.ids.size(), 10U);
    EXPECT_EQ(all.networkCalls, 4) << "nine tokens, and a fourth call for EOS";
}

TEST(NgramModel, ATraceHasNTokensInAStep) {
    const RunConfig config = configOf({{"sampler.min_length", "7"}, {"sampler.max_length_b", "7"}});
    const auto model = confidentModel(config);
    train::GenerateRequest request = requestOf({prefixOf({7, 8})});
    request.what = {"hidden", "attention"};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto made = generated(*model, config, request, &sink);
    ASSERT_EQ(trace.positions, 11) << "BOS, two given, seven written, EOS";
    ASSERT_EQ(trace.steps, 3);
    const auto state = [&](int step, int position) {
        return static_cast<trace::TokenState>(trace.state[trace.cell(step, position)]);
    };
    using enum trace::TokenState;
    for (int position = 0; position < 11; ++position) {
        const int written = (position - 3) / 3;  // in which step
        for (int step = 0; step < 3; ++step)
            EXPECT_EQ(state(step, position), position < 3     ? Given
                                             : written > step ? Masked
                                             : written < step ? Kept
                                                              : New)
                << step << " " << position;
    }
    for (int i = 0; i < 9; ++i)
        EXPECT_EQ(trace.tokens[trace.cell(2, i + 1)],
                  static_cast<std::uint32_t>(made.rows[0].best.ids[static_cast<std::size_t>(i)]));
    // The tokens of a step have one state, that of the last one before them.
    const trace::Block& hidden = *trace.block("hidden/1");
    const auto row = [&](int position) {
        const auto width = static_cast<std::size_t>(hidden.shape[2]);
        const auto at = (2 * 11 + static_cast<std::size_t>(position)) * width;
        return std::vector<float>(hidden.data.begin() + static_cast<std::ptrdiff_t>(at),
                                  hidden.data.begin() + static_cast<std::ptrdiff_t>(at + width));
    };
    EXPECT_EQ(row(3), row(5));
    EXPECT_NE(row(5), row(6));
    EXPECT_EQ(row(6), row(8));
}

TEST(NgramModel, EditsChangeTheirPositionAndWhatFollows) {
    const RunConfig config = configOf({{"sampler.min_length", "9"}, {"sampler.max_length_b", "9"}});
    const auto model = confidentModel(config);
    train::GenerateRequest request = requestOf({prefixOf({7})});
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const Ids before = generated(*model, config, request, &sink).rows[0].best.ids;
    // Position 6 (BOS is 0, the prefix 1) is the second token of the second step.
    const std::int32_t token = before[5] == 11 ? 12 : 11;
    request.edits = {{trace::EditKind::Force, 1, 6, false, token, "", {}}};
    const auto edited = model->generate(request, config, &sink);
    ASSERT_TRUE(edited) << edited.error().text();
    const Ids after = edited->rows[0].best.ids;
    EXPECT_EQ(after[5], token);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 5, after.begin()));
    EXPECT_EQ(after[6], before[6]) << "of the same call, it has not seen the edited one";
    EXPECT_FALSE(std::equal(before.begin() + 7, before.end(), after.begin() + 7));
    request.edits = {{trace::EditKind::Force, 0, 6, false, token, "", {}}};
    const auto early = model->generate(request, config, &sink);
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, "branch.position");
    EXPECT_NE(early.error().text().find("generated in step 2, not 1"), std::string::npos);
}

TEST(NgramModel, PerturbedStatesGiveTheLogitsOfEveryPosition) {
    for (const auto& settings : kVariants) {
        const RunConfig config = configOf(settings);
        const auto model = testing::toyModel(config);
        train::MultiTokenPrediction& several = *model->multiTokenPrediction();
        const Ids context{text::kBos, 7, 9, 12};
        const auto logits = [&](const train::Perturbation& perturbation) {
            auto made = several.perturbedLogits(context, perturbation);
            EXPECT_TRUE(made);
            return *made;
        };
        const at::Tensor still = logits({.samples = 3, .dropout = 0, .noise = 0});
        const std::int64_t n = config.integer("ngram.n");
        EXPECT_EQ(still.sizes(), at::IntArrayRef({n, 3, kWord + 20}));
        EXPECT_EQ(still.scalar_type(), at::kDouble);
        EXPECT_LE(difference(still.select(1, 0), still.select(1, 2)), 1e-6);
        NgramNetImpl& net = netOf(*model);
        const torch::NoGradGuard noGrad;
        ForwardPass decoding;
        decoding.decoding = true;
        const at::Tensor ids = at::tensor({0, 7, 9, 12}, at::kLong).unsqueeze(0);
        const std::vector<std::int32_t> length{4};
        const at::Tensor whole = net.logits(net.head(net.read(ids, length, {})[0].narrow(0, 3, 1), decoding));
        EXPECT_LE(difference(still.select(1, 0), whole.select(1, 0)), 1e-5);

        const at::Tensor noisy = logits({.samples = 4, .dropout = 0.1, .noise = 0.1, .seed = 3, .row = 1});
        EXPECT_TRUE(
            at::equal(noisy, logits({.samples = 4, .dropout = 0.1, .noise = 0.1, .seed = 3, .row = 1})));
        EXPECT_FALSE(
            at::equal(noisy, logits({.samples = 4, .dropout = 0.1, .noise = 0.1, .seed = 3, .row = 2})));
        EXPECT_GT(difference(noisy.select(1, 0), noisy.select(1, 1)), 1e-4);
    }
    const auto model = testing::toyModel(configOf());
    const auto tooLong =
        model->multiTokenPrediction()->perturbedLogits(Ids(40, 7), {.samples = 2, .noise = 0});
    ASSERT_FALSE(tooLong);
    EXPECT_EQ(tooLong.error().code, "sample.too_long");
}

// On shapes without data, as the memory is estimated before a start.
TEST(NgramModel, LossAndDecodingRunWithoutData) {
    ASSERT_TRUE(tensor::addMetaKernels());
    for (const auto& settings : kVariants) {
        const RunConfig config = configOf(settings);
        const auto model = [&] {
            const tensor::MadeOnMeta shapesOnly;
            auto made = findFamily("ngram")->create(config, {testing::shapeFor("ngram"), at::kMeta});
            EXPECT_TRUE(made) << made.error().text();
            return std::move(*made);
        }();
        const train::DeviceBatch batch = batchOf(toyTexts(), at::kMeta);
        model->loss(batch, {1, 0, 0}).total.backward();
        model->dryRunDecoding(batch, config, at::kMeta);
    }
}

TEST(NgramModel, AControlsWeightsAreMeansOfItsSteps) {
    const auto psi = [](const char* kind) {
        const RunConfig config = configOf({{"map.kind", kind}, {"map.rho", "2"}});
        const HeadSizes head = sizesOf(config, testing::shapeFor("ngram")).head;
        EXPECT_EQ(head.steps(), 6);
        return at::tensor(head.psi().data, at::kDouble).view({3, 6});
    };
    const at::Tensor wanted =
        at::tensor({.5, .5, 0., 0., 0., 0., 0., 0., .5, .5, 0., 0., 0., 0., 0., 0., .5, .5}).view({3, 6});
    EXPECT_LE(difference(psi("repeat"), wanted), 1e-15);
    EXPECT_LE(difference(psi("band").sum(1), at::ones(3, at::kDouble)), 1e-12);
}

TEST(NgramModel, RefusesWhatFitsNot) {
    const auto refusal = [](const std::vector<Override>& settings) {
        const auto made =
            findFamily("ngram")->create(configOf(settings), {testing::shapeFor("ngram"), at::kCPU});
        return made ? std::string() : made.error().field + " " + made.error().code;
    };
    EXPECT_EQ(refusal({{"model.heads", "3"}}), "model.heads model.heads");
    EXPECT_EQ(refusal({{"map.kind", "repeat"}, {"map.rho", "0.9"}}), "map.rho map.control_points");
    EXPECT_EQ(refusal({{"map.kind", "spline"}, {"map.rho", "0.5"}}), "map.rho map.control_points");
    EXPECT_EQ(refusal({{"map.rho", "0.5"}}), "") << "of a map that is not used";
    const auto pairs =
        RunConfig::parse("family = \"ngram\"\n[data]\nkind = \"pairs\"\n", "p.toml", schemaLookup());
    ASSERT_FALSE(pairs);
    EXPECT_EQ(pairs.error().field, "data.kind");
}

}  // namespace
}  // namespace kurve::models::ngram
