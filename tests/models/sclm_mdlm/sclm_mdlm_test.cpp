// SCLM on MDLM: its identity limit is MDLM bit for bit, and every map trains, samples and traces. The
// network's numbers: MdlmGolden.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/text/trained_specials.h"
#include "core/train/likelihood.h"
#include "models/mdlm/mdlm_net.h"
#include "tests/models/family_fixture.h"

namespace kurve::models {
namespace {

using testing::toyConfig;

std::vector<Override> onTexts(std::vector<Override> settings) {
    settings.insert(settings.begin(), {{"data.kind", "text"}, {"sampler.steps", "5"}});
    return settings;
}

std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config) {
    train::TextShape shape = testing::toyShape();
    shape.hasSource = false;
    auto made = findFamily(config.family())->create(config, {shape, at::kCPU});
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

train::DeviceBatch texts() {
    text::Batch batch = testing::toyBatch();
    batch.source.clear();
    batch.sourceLength = 0;
    batch.sourceLengths.assign(static_cast<std::size_t>(batch.rows), 0);
    return train::toDevice(batch, at::kCPU);
}

std::vector<std::vector<std::int32_t>> samples(train::SequenceModel& model, const RunConfig& config) {
    train::GenerateRequest request;
    request.sources.resize(5);
    std::vector<std::vector<std::int32_t>> ids;
    const auto made = model.generate(request, config, nullptr);
    for (const auto& row : made->rows) ids.push_back(row.best.ids);
    return ids;
}

struct Limit {
    std::vector<Override> curve, plain;
};

class MdlmLimit : public ::testing::TestWithParam<Limit> {};

TEST_P(MdlmLimit, GivesMdlmsLossGradientsAndSamplesBitForBit) {
    std::vector<Override> plain = GetParam().plain, limit = GetParam().curve;
    for (auto* settings : {&plain, &limit}) settings->emplace_back("model.dropout", "0.1");
    const RunConfig plainConfig = toyConfig("mdlm", onTexts(plain)),
                    limitConfig = toyConfig("sclm_mdlm", onTexts(limit));
    const auto a = modelOf(plainConfig), b = modelOf(limitConfig);
    for (std::uint64_t step = 0; step < 3; ++step) {
        const auto left = a->loss(texts(), {5, step, 0}), right = b->loss(texts(), {5, step, 0});
        EXPECT_TRUE(at::equal(left.total, right.total));
        left.total.backward();
        right.total.backward();
    }
    const auto ours = b->module().named_parameters();
    ASSERT_EQ(a->module().named_parameters().size(), ours.size());
    for (const auto& item : a->module().named_parameters())
        EXPECT_TRUE(at::equal(item.value().grad(), ours[item.key()].grad())) << item.key();
    EXPECT_EQ(samples(*a, plainConfig), samples(*b, limitConfig));
}
INSTANTIATE_TEST_SUITE_P(
    Limits, MdlmLimit,
    ::testing::Values(Limit{{{"map.kind", "identity"}}, {{"model.smooth_input", "false"}}},
                      Limit{{{"map.kind", "smooth"}}, {{"model.smooth_input", "true"}}},
                      Limit{{{"map.rho", "1"}, {"map.degree", "1"}, {"map.margin", "0"}},
                            {{"model.smooth_input", "false"}}},
                      Limit{{{"map.kind", "repeat"}, {"map.rho", "1"}}, {{"model.smooth_input", "false"}}}));

class MdlmMaps : public ::testing::TestWithParam<std::vector<Override>> {};

TEST_P(MdlmMaps, TrainSampleAndTrace) {
    const RunConfig config = toyConfig("sclm_mdlm", onTexts(GetParam()));
    const auto model = modelOf(config);
    at::Tensor total = model->loss(texts(), {5, 0, 0}).total;
    for (std::uint64_t step = 1; step < 4; ++step) total = total + model->loss(texts(), {5, step, 0}).total;
    total.backward();
    for (const auto& item : model->module().named_parameters()) {
        ASSERT_TRUE(item.value().grad().defined()) << item.key();
        EXPECT_TRUE(at::isfinite(item.value().grad()).all().item<bool>()) << item.key();
    }
    train::GenerateRequest request;
    request.sources.resize(1);
    request.what = {"curve", "hidden", "attention"};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    ASSERT_TRUE(model->generate(request, config, &sink));
    ASSERT_NE(trace.block("curve"), nullptr);
    const std::int64_t points = trace.block("curve")->shape[1], steps = trace.steps, words = trace.positions;
    EXPECT_EQ(trace.block("curve")->shape, (std::vector<std::int64_t>{steps, points, 32}));
    EXPECT_EQ(trace.block("psi")->shape, (std::vector<std::int64_t>{words, points}));
    EXPECT_EQ(trace.block("hidden/1")->shape, (std::vector<std::int64_t>{steps, points, 32}));
    EXPECT_EQ(trace.block("attention/1")->shape, (std::vector<std::int64_t>{steps, 2, points, points}));
    // The words' features are the map of the control points.
    const at::Tensor psi = at::tensor(trace.block("psi")->data).view({words, points}),
                     curve = at::tensor(trace.block("curve")->data).view({steps, points, 32}),
                     features = at::tensor(trace.block("features")->data).view({steps, words, 32});
    EXPECT_TRUE(at::allclose(at::matmul(psi, curve), features, 1e-3, 1e-4));
    EXPECT_EQ(trace.block("vocab/latent")->shape[0], trace.block("vocab/ids")->shape[0]);
    const std::int64_t curves = config.integer("map.curves");
    ASSERT_EQ(trace.block("curves") != nullptr, curves > 1);
    if (curves == 1) return;
    const at::Tensor all = at::tensor(trace.block("curves")->data).view({steps, curves, points, 32}),
                     weights = at::tensor(trace.block("curve_weights")->data).view({steps, curves});
    for (std::int64_t step = 0; step < steps; ++step)
        EXPECT_TRUE(
            at::allclose(all[step][weights[step].argmax().item<std::int64_t>()], curve[step], 1e-3, 1e-4));
}
INSTANTIATE_TEST_SUITE_P(
    Settings, MdlmMaps,
    ::testing::Values(
        std::vector<Override>{{"map.rho", "2"}},
        std::vector<Override>{
            {"map.curves", "3"}, {"model.conditioning", "16"}, {"model.time_conditioning", "true"}},
        std::vector<Override>{{"map.positions", "greville"}, {"map.curves", "2"}},
        std::vector<Override>{{"map.kind", "repeat"}, {"map.rho", "3"}},
        std::vector<Override>{{"map.kind", "band"}, {"map.degree", "3"}},
        std::vector<Override>{{"map.rho", "3"}, {"map.lift_layer", "1"}},
        std::vector<Override>{
            {"map.rho", "1.2"}, {"map.degree", "3"}, {"map.ridge", "0.01"}, {"model.length", "fixed"}}));

TEST(SclmMdlm, BoundsTheLikelihoodAndKnowsItsGain) {
    const RunConfig config = toyConfig("sclm_mdlm", onTexts({{"map.rho", "1"}, {"map.degree", "2"}}));
    const auto model = modelOf(config);
    (void)model->loss(texts(), {5, 0, 0});
    const double gain = model->healthMetrics().at("map_input_gain");
    EXPECT_GT(gain, 1);
    train::BoundRequest request;
    for (const auto& target : testing::toySources()) request.targets.push_back(target);
    request.sources.resize(request.targets.size());
    const auto bounds = model->likelihoodBound()->bound(request);
    ASSERT_TRUE(bounds) << bounds.error().text();
    for (const double nats : bounds->nats) EXPECT_GT(nats, 0);
    EXPECT_EQ(model->healthMetrics().at("map_input_gain"), gain) << "evaluation does not count";
}

TEST(SclmMdlm, AMapThatLeavesNoLayerForControlPointsIsRefused) {
    const auto made = findFamily("sclm_mdlm")
                          ->create(toyConfig("sclm_mdlm", onTexts({{"map.lift_layer", "2"}})),
                                   {testing::toyShape(), at::kCPU});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().field, "map.lift_layer");
}

}  // namespace
}  // namespace kurve::models
