// What holds for every variant of CMLM.
#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/text/trained_specials.h"
#include "core/train/trainer.h"
#include "models/cmlm/cmlm_net.h"
#include "models/cmlm/position_index.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::cmlm {
namespace {

/// Variants that the suite of all families does not cover.
struct Variant {
    const char* name;
    std::vector<Override> settings;
};
void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

const std::vector<Variant> kVariants{
    {"plain", {}},
    {"contrast", {{"contrastive.weight", "1"}}},
    {"contrastMacroPaper",
     {{"contrastive.weight", "2"},
      {"contrastive.form", "paper"},
      {"contrastive.reduce", "macro"},
      {"contrastive.positions", "masked"}}},
    {"contrastOrdinaryCentred",
     {{"contrastive.weight", "1"}, {"contrastive.positions", "ordinary"}, {"contrastive.center", "row"}}},
    {"neighbours", {{"look_neighbors.attention", "true"}, {"look_neighbors.top", "official"}}},
    {"paperTop",
     {{"look_neighbors.attention", "true"}, {"look_neighbors.top", "paper"}, {"look_neighbors.window", "2"}}},
    {"correct", {{"self_correction.rule", "isotropy"}, {"self_correction.start_update", "0"}}},
    {"all",
     {{"self_correction.rule", "cmlmc"},
      {"self_correction.start_update", "0"},
      {"contrastive.weight", "1"},
      {"look_neighbors.attention", "true"},
      {"look_neighbors.top", "official"}}},
    {"lengthToken", {{"length.kind", "token"}}},
    {"maskPredict",
     {{"mask.rule", "mask-predict"}, {"mask.is_unk", "true"}, {"sampler.rule", "mask-predict"}}},
};

class CmlmVariant : public ::testing::TestWithParam<Variant> {
protected:
    static RunConfig config(std::vector<Override> more = {}) {
        std::vector<Override> all = GetParam().settings;
        all.insert(all.end(), more.begin(), more.end());
        return testing::toyConfig("cmlm", all);
    }
};

/// Gradients of a step of `replicas` models, and its loss.
std::pair<at::Tensor, double> stepOf(const RunConfig& config, int replicas) {
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    for (int r = 0; r < replicas; ++r) models.push_back(testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    const train::StepReport report = trainer.step({testing::toyBatch(5), testing::toyBatch(8)}, 0);
    return {trainer.gradients().clone(), report.loss.item<double>()};
}

TEST_P(CmlmVariant, ASplitStepIsTheWholeStep) {
    const RunConfig one = config({{"model.dropout", "0.1"}, {"train.max_grad_norm", "0"}});
    const auto [whole, wholeLoss] = stepOf(one, 1);
    const auto [split, splitLoss] = stepOf(one, 3);
    EXPECT_NEAR(wholeLoss, splitLoss, 2e-5);
    EXPECT_LE((whole - split).abs().max().item<double>(), 2e-5);
    EXPECT_GT(whole.abs().max().item<double>(), 1e-3);
}

TEST_P(CmlmVariant, PaddingChangesNothingAndEveryParameterLearns) {
    const auto model = testing::toyModel(config());
    train::DeviceBatch batch = train::toDevice(testing::toyBatch(), at::kCPU);
    at::Tensor total;
    for (std::uint64_t step = 0; step < 3; ++step) {
        const at::Tensor loss = model->loss(batch, {5, step, 0}).total;
        total = total.defined() ? total + loss : loss;
    }
    total.backward();
    for (const auto& item : model->module().named_parameters()) {
        ASSERT_TRUE(item.value().grad().defined()) << item.key();
        EXPECT_TRUE(at::isfinite(item.value().grad()).all().item<bool>()) << item.key();
        EXPECT_GT(item.value().grad().abs().max().item<float>(), 0) << item.key();
    }
    const double narrow = model->loss(batch, {5, 0, 0}).total.item<double>();
    batch.target = at::constant_pad_nd(batch.target, {0, 3}, text::kPad);
    batch.targetMask = at::constant_pad_nd(batch.targetMask, {0, 3}, 0);
    batch.targetLength += 3;
    EXPECT_NEAR(model->loss(batch, {5, 0, 0}).total.item<double>(), narrow, 2e-5);
}

TEST_P(CmlmVariant, DecodingDoesNotDependOnTheOtherSources) {
    for (const char* kind : {"window", "topk"}) {
        const RunConfig settings = config(
            {{"sampler.length_beam", "4"}, {"sampler.length_beam_kind", kind}, {"sampler.steps", "4"}});
        const auto model = testing::toyModel(settings);
        train::GenerateRequest all;
        all.sources = testing::toySources();
        all.sources.push_back({text::kBos, text::kEos});  // an empty text is a text
        const auto together = model->generate(all, settings, nullptr);
        ASSERT_TRUE(together) << together.error().text();
        for (std::size_t r = 0; r < all.sources.size(); ++r) {
            train::GenerateRequest one;
            one.sources = {all.sources[r]};
            const auto alone = model->generate(one, settings, nullptr);
            ASSERT_TRUE(alone);
            ASSERT_EQ(alone->rows[0].candidates.size(), 4u);
            EXPECT_FALSE(alone->rows[0].best.ids.empty());
            for (std::size_t c = 0; c < 4; ++c) {
                EXPECT_EQ(alone->rows[0].candidates[c].ids, together->rows[r].candidates[c].ids) << r;
                EXPECT_NEAR(alone->rows[0].candidates[c].score, together->rows[r].candidates[c].score, 1e-5);
            }
        }
    }
}

TEST_P(CmlmVariant, StatesOfSomePositionsAreThoseOfAll) {
    const RunConfig settings = config();
    const auto made = testing::toyModel(settings);
    auto& net = dynamic_cast<CmlmNetImpl&>(made->module());
    net.eval();
    const c10::InferenceMode inference;
    const train::DeviceBatch batch = train::toDevice(testing::toyBatch(), at::kCPU);
    const CrossAttentionCache crossCache =
        net.precomputeCrossAttention(net.encode(batch.source, batch.sourceLengths, {}));
    at::Tensor read = batch.target.clone();
    std::vector<std::int64_t> positions;
    for (std::int64_t r = 0; r < batch.rows;
         ++r)  // row 3 has none; in others some stand alone, some side by side
        for (std::int32_t position = 1; position + 1 < batch.targetLengths[static_cast<std::size_t>(r)];
             ++position)
            if (r != 3 && (position * (r + 2)) % 3 != 0)
                positions.push_back(r * batch.targetLength + position);
    const at::Tensor index = at::tensor(positions);
    read.view(-1).index_fill_(0, index, text::kMask);
    const at::Tensor all = net.decode(read, batch.targetLengths, crossCache, {});
    const at::Tensor some =
        net.finalLayerAtPositions(net.penultimateStates(read, batch.targetLengths, crossCache),
                                  batch.targetLengths, crossCache, positions);
    const at::Tensor expected = all.reshape({-1, all.size(2)}).index_select(0, index);
    ASSERT_EQ(some.sizes(), expected.sizes());
    EXPECT_LE((some - expected).abs().max().item<double>(), 1e-5);
    EXPECT_GT((expected[0] - expected[1]).abs().max().item<double>(), 1e-2);
}

TEST_P(CmlmVariant, TracesAndStatisticsChangeNothing) {
    const RunConfig settings = config({{"sampler.length_beam", "2"}, {"sampler.steps", "5"}});
    const auto model = testing::toyModel(settings);
    train::GenerateRequest request;
    request.sources = testing::toySources();
    const auto plain = model->generate(request, settings, nullptr);
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto recorded = model->generate(request, settings, &sink);
    request.collectStatistics = true;
    const auto measured = model->generate(request, settings, nullptr);
    ASSERT_TRUE(plain && recorded && measured);
    for (std::size_t r = 0; r < request.sources.size(); ++r)
        for (std::size_t c = 0; c < 2; ++c) {
            EXPECT_EQ(plain->rows[r].candidates[c].ids, recorded->rows[r].candidates[c].ids) << r;
            EXPECT_EQ(plain->rows[r].candidates[c].ids, measured->rows[r].candidates[c].ids) << r;
            EXPECT_NEAR(plain->rows[r].candidates[c].score, measured->rows[r].candidates[c].score, 1e-5);
        }
}

/// Large random weights: the input matters, and every pass changes tokens. They magnify the rounding of
/// floats to 1e-3 of a score, so they are doubles.
void randomiseWeights(torch::nn::Module& module) {
    const torch::NoGradGuard noGrad;
    auto generator = at::detail::createCPUGenerator(7);
    for (auto& item : module.named_parameters())
        if (item.value().dim() > 1)
            item.value().normal_(0, item.key().find("positions") == std::string::npos ? 1 : 0.1, generator);
    module.to(at::kDouble);
}

// Finished sentences leave the batch.
TEST_P(CmlmVariant, ASentenceThatStopsDoesNotChangeTheOthers) {
    const RunConfig settings =
        config({{"sampler.length_beam", "2"}, {"sampler.steps", "12"}, {"sampler.stop", "unchanged"}});
    const auto model = testing::toyModel(settings);
    randomiseWeights(model->module());
    train::GenerateRequest all;
    all.sources = testing::toySources();
    const auto together = model->generate(all, settings, nullptr);
    ASSERT_TRUE(together) << together.error().text();
    std::int64_t least = 12, most = 0;
    for (std::size_t r = 0; r < all.sources.size(); ++r) {
        train::GenerateRequest one;
        one.sources = {all.sources[r]};
        const auto alone = model->generate(one, settings, nullptr);
        ASSERT_TRUE(alone);
        least = std::min(least, alone->networkCalls);
        most = std::max(most, alone->networkCalls);
        for (std::size_t c = 0; c < 2; ++c) {
            EXPECT_EQ(alone->rows[0].candidates[c].ids, together->rows[r].candidates[c].ids) << r;
            EXPECT_NEAR(alone->rows[0].candidates[c].score, together->rows[r].candidates[c].score, 1e-9);
        }
    }
    EXPECT_LT(least, most);
    EXPECT_EQ(together->networkCalls, most);
}

INSTANTIATE_TEST_SUITE_P(All, CmlmVariant, ::testing::ValuesIn(kVariants),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(PositionIndex, HoldsThePositionsAndTheirNeighbours) {
    // Two rows of 7: positions 2, 3 and 5 of the first, 4 of the second.
    const std::vector<std::int64_t> positions{2, 3, 5, 11};
    const PositionIndex bare = positionIndex(positions, {2, 7, 0});
    EXPECT_EQ(bare.width, 3);
    EXPECT_THAT(bare.from, ::testing::ElementsAre(2, 3, 5, 11, 7, 7));
    EXPECT_THAT(bare.own, ::testing::ElementsAre(0, 1, 2, 3));
    const PositionIndex near = positionIndex(positions, {2, 7, 1});
    EXPECT_EQ(near.width, 6);
    EXPECT_THAT(near.from, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 10, 11, 12, 7, 7, 7));
    EXPECT_THAT(near.own, ::testing::ElementsAre(1, 2, 4, 7));
    EXPECT_THAT(near.left, ::testing::ElementsAre(0, 1, 3, 6));
    EXPECT_THAT(near.right, ::testing::ElementsAre(2, 3, 5, 8));
}

}  // namespace
}  // namespace kurve::models::cmlm
