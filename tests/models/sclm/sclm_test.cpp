#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "models/common/curve_layout.h"
#include "models/sclm/sclm_net.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::sclm {
namespace {

using testing::toyConfig;
using testing::toyModel;

train::LossReport lossOf(train::SequenceModel& model, std::uint64_t step = 3) {
    return model.loss(train::toDevice(testing::toyBatch(), at::kCPU), {5, step, 0});
}

std::vector<std::vector<std::int32_t>> samples(train::SequenceModel& model, const RunConfig& config) {
    train::GenerateRequest request;
    request.sources = testing::toySources();
    const auto result = model.generate(request, config, nullptr);
    EXPECT_TRUE(result);
    std::vector<std::vector<std::int32_t>> ids;
    for (const auto& row : result->rows)
        for (const auto& candidate : row.candidates) ids.push_back(candidate.ids);
    return ids;
}

class IdentityLimit : public ::testing::TestWithParam<std::vector<Override>> {};

TEST_P(IdentityLimit, GivesTheDifformersLossAndSamplesBitForBit) {
    const std::vector<Override> common{
        {"model.dropout", "0.1"}, {"sampler.noise_beam", "2"}, {"sampler.length_beam", "3"}};
    std::vector<Override> limit = common;
    for (const Override& setting : GetParam()) limit.push_back(setting);
    const RunConfig plainConfig = toyConfig("difformer", common), limitConfig = toyConfig("sclm", limit);
    const auto plain = toyModel(plainConfig), curve = toyModel(limitConfig);
    for (std::uint64_t step = 0; step < 4; ++step) {
        const auto a = lossOf(*plain, step), b = lossOf(*curve, step);
        EXPECT_TRUE(at::equal(a.total, b.total));
        EXPECT_TRUE(at::equal(a.rowLoss, b.rowLoss));
        a.total.backward();
        b.total.backward();
    }
    const auto left = plain->module().named_parameters(), right = curve->module().named_parameters();
    ASSERT_EQ(left.size(), right.size());
    for (const auto& item : left)
        EXPECT_TRUE(at::equal(item.value().grad(), right[item.key()].grad())) << item.key();
    EXPECT_EQ(samples(*plain, plainConfig), samples(*curve, limitConfig));
}
INSTANTIATE_TEST_SUITE_P(
    Limits, IdentityLimit,
    ::testing::Values(std::vector<Override>{{"map.rho", "1"}, {"map.degree", "1"}, {"map.margin", "0"}},
                      std::vector<Override>{{"map.kind", "repeat"}, {"map.rho", "1"}},
                      std::vector<Override>{{"map.kind", "identity"}}));

at::Tensor tensorOf(const curve::Matrix& m) {
    return at::tensor(m.data, at::kDouble).view({m.rows, m.cols});
}

class MapKinds : public ::testing::TestWithParam<std::string> {};

TEST_P(MapKinds, WordsSurviveTheRoundTrip) {
    const RunConfig config =
        toyConfig("sclm", {{"map.kind", GetParam()}, {"map.rho", "2.5"}, {"map.degree", "3"}});
    CurveMaps maps(config, at::kCPU);
    const std::vector<std::int32_t> lengths{7, 12, 3, 12};
    const CurveLayout layout(maps.batch(lengths, 13), 13, false, at::kCPU);
    const at::Tensor words = torch::randn({4, 13, 10});
    const at::Tensor back = layout.wordsFromTokens(layout.tokensFromWords(words));
    for (std::int64_t b = 0; b < 4; ++b) {
        const std::int64_t length = lengths[static_cast<std::size_t>(b)];
        EXPECT_TRUE(at::allclose(back[b].narrow(0, 0, length), words[b].narrow(0, 0, length), 1e-4, 1e-4));
        EXPECT_EQ(back[b].narrow(0, length, 13 - length).abs().sum().item<float>(), 0);
    }
    EXPECT_EQ(layout.tokenLengths()[1], 30);
}

TEST_P(MapKinds, RowsSumToOneAndBatchedRowsAreTheMatrices) {
    const RunConfig config =
        toyConfig("sclm", {{"map.kind", GetParam()}, {"map.rho", "1.7"}, {"map.degree", "3"}});
    CurveMaps maps(config, at::kCPU);
    const std::vector<std::int32_t> lengths{9, 5};
    const CurveMaps::Batch batch = maps.batch(lengths, 9);
    const at::Tensor psi = tensor::denseOf(batch.psi.forward, batch.tokens, at::kDouble),
                     inverse = tensor::denseOf(batch.inverse.forward, 9, at::kDouble);
    for (std::int64_t b = 0; b < 2; ++b) {
        const LengthMap one = lengthMap(config, lengths[static_cast<std::size_t>(b)]);
        EXPECT_TRUE(at::allclose(tensorOf(one.psi).sum(1), at::ones({one.words}, at::kDouble), 1e-12, 1e-12));
        EXPECT_TRUE(at::allclose(psi[b].narrow(0, 0, one.words).narrow(1, 0, one.points), tensorOf(one.psi),
                                 1e-6, 1e-7));
        EXPECT_TRUE(at::allclose(inverse[b].narrow(0, 0, one.points).narrow(1, 0, one.words),
                                 tensorOf(one.inverse), 1e-6, 1e-6));
    }
    const at::Tensor transposed = tensor::denseOf(batch.inverse.transposed, batch.tokens, at::kDouble);
    EXPECT_TRUE(at::allclose(transposed, inverse.transpose(1, 2), 1e-6, 1e-7));
}
INSTANTIATE_TEST_SUITE_P(Kinds, MapKinds, ::testing::Values("spline", "repeat", "band"),
                         [](const auto& i) { return i.param; });

TEST(CurveMaps, RepeatIsCopyingAndAveraging) {
    const LengthMap map = lengthMap(toyConfig("sclm", {{"map.kind", "repeat"}, {"map.rho", "3"}}), 4);
    EXPECT_EQ(map.points, 12);
    EXPECT_DOUBLE_EQ(map.psi.at(1, 3), 1.0 / 3);
    EXPECT_DOUBLE_EQ(map.psi.at(1, 6), 0);
    EXPECT_DOUBLE_EQ(map.inverse.at(5, 1), 1);
    EXPECT_DOUBLE_EQ(inputGain(map), 1);
}

TEST(CurveMaps, ABandThatAmplifiesIsDrawnAgain) {
    // The first draws of twelve of these seeds amplify 10- to 23-fold.
    for (int seed = 1; seed <= 20; ++seed) {
        const std::vector<Override> band{
            {"map.kind", "band"}, {"map.rho", "1.5"}, {"map.degree", "3"}, {"seed", std::to_string(seed)}};
        EXPECT_LE(inputGain(lengthMap(toyConfig("sclm", band), 24)), curve::kHighInputGain) << seed;
    }
}

TEST(SclmNetwork, SmoothTokensAreWordsThatHaveSeenTheirNeighbours) {
    TokenMap map(toyConfig("sclm", {{"map.kind", "smooth"}}), at::kCPU);
    const std::vector<std::int32_t> lengths{3, 2};
    const auto layout = map.layout(lengths, 3, true);
    const at::Tensor words = at::tensor({4.0F, 8.0F, 0.0F, 4.0F, 8.0F, 100.0F}).view({2, 3, 1});
    EXPECT_TRUE(at::equal(layout->tokensFromWords(words)[0].view({3}), at::tensor({5.0F, 5.0F, 2.0F})));
    EXPECT_TRUE(
        at::equal(layout->tokensFromWords(words)[1].view({3}).narrow(0, 0, 2), at::tensor({5.0F, 7.0F})))
        << "padding is nobody's neighbour";
    EXPECT_TRUE(at::equal(layout->wordsFromTokens(words), words));
}

TEST(CurveMaps, KnowAnIllConditionedMap) {
    // M = L, k = 2: gain 5.1 at L = 16 and 19.6 at L = 24; the ridge brings it down
    const std::vector<Override> one{{"map.rho", "1"}, {"map.degree", "2"}};
    EXPECT_NEAR(inputGain(lengthMap(toyConfig("sclm", one), 16)), 5.1, 0.05);
    EXPECT_NEAR(inputGain(lengthMap(toyConfig("sclm", one), 24)), 19.6, 0.1);
    EXPECT_NEAR(inputGain(lengthMap(
                    toyConfig("sclm", {{"map.rho", "1"}, {"map.degree", "2"}, {"map.ridge", "0.01"}}), 32)),
                2.6, 0.1);
    CurveMaps maps(toyConfig("sclm", one), at::kCPU);
    const std::vector<std::int32_t> lengths{4, 24};
    (void)maps.batch(lengths, 24);
    EXPECT_NEAR(maps.worstInputGain(), 19.6, 0.1);
}

TEST(SclmNetwork, GrevillePositionsLieBetweenTheWords) {
    const RunConfig config =
        toyConfig("sclm", {{"map.positions", "greville"}, {"map.rho", "2"}, {"map.degree", "3"}});
    CurveMaps maps(config, at::kCPU);
    const std::vector<std::int32_t> lengths{6, 9};
    const CurveLayout layout(maps.batch(lengths, 9), 9, true, at::kCPU);
    const at::Tensor table = at::arange(-2, 20).to(at::kFloat).unsqueeze(1);  // row 2 + i holds i
    const at::Tensor positions = layout.positions(table);
    const LengthMap map = lengthMap(config, 6);
    for (int j = 0; j < map.points; ++j)
        EXPECT_NEAR(positions[0][j][0].item<float>(), map.greville[static_cast<std::size_t>(j)] * 5, 1e-5);
}

std::vector<std::vector<Override>> variants() {
    return {{{"map.curves", "3"}},
            {{"map.curves", "2"}, {"map.self_cond_space", "curve"}},
            {{"map.self_cond_space", "curve"}},
            {{"map.positions", "greville"}, {"map.curves", "2"}},
            {{"map.kind", "repeat"}, {"map.rho", "3"}},
            {{"map.kind", "band"}, {"map.degree", "3"}},
            {{"map.rho", "1.2"}, {"map.degree", "3"}, {"map.ridge", "0.01"}, {"map.adaptive_margin", "true"}},
            {{"map.knots", "unclamped"}},
            {{"map.lift_layer", "1"}, {"map.rho", "3"}},
            {{"map.lift_layer", "1"}, {"map.curves", "2"}, {"map.positions", "greville"}}};
}
class Variants : public ::testing::TestWithParam<std::vector<Override>> {};

TEST_P(Variants, TrainSampleAndTrace) {
    std::vector<Override> settings = GetParam();
    settings.emplace_back("sampler.steps", "4");
    const RunConfig config = toyConfig("sclm", settings);
    const auto model = toyModel(config);
    at::Tensor total = lossOf(*model, 0).total;
    for (std::uint64_t step = 1; step < 4; ++step) total = total + lossOf(*model, step).total;
    total.backward();
    for (const auto& item : model->module().named_parameters()) {
        ASSERT_TRUE(item.value().grad().defined()) << item.key();
        EXPECT_TRUE(at::isfinite(item.value().grad()).all().item<bool>()) << item.key();
    }
    train::GenerateRequest request;
    request.sources = {testing::toySources()[2]};
    request.what = {"curve", "hidden", "attention"};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    ASSERT_TRUE(model->generate(request, config, &sink));
    ASSERT_NE(trace.block("curve"), nullptr);
    const std::int64_t points = trace.block("curve")->shape[1];
    EXPECT_EQ(trace.block("curve")->shape, (std::vector<std::int64_t>{4, points, 16}));
    EXPECT_EQ(trace.block("psi")->shape, (std::vector<std::int64_t>{trace.positions, points}));
    EXPECT_EQ(trace.block("greville")->shape, std::vector<std::int64_t>{points});
    EXPECT_EQ(trace.block("hidden/0") == nullptr, config.integer("map.lift_layer") == 1);
    EXPECT_EQ(trace.block("hidden/1")->shape, (std::vector<std::int64_t>{4, points, 32}));
    EXPECT_EQ(trace.block("attention/1")->shape, (std::vector<std::int64_t>{4, 2, points, points}));
    // The words are the map of the control points.
    const at::Tensor psi = at::tensor(trace.block("psi")->data).view({trace.positions, points});
    const at::Tensor curve = at::tensor(trace.block("curve")->data).view({4, points, 16});
    const at::Tensor latent = at::tensor(trace.block("latent")->data).view({4, trace.positions, 16});
    EXPECT_TRUE(at::allclose(at::matmul(psi, curve), latent, 1e-3, 1e-4));
    // The logits' similarity, from a block that is as narrow as the latents.
    ASSERT_NE(trace.block("logits"), nullptr);
    EXPECT_EQ(trace.block("logits")->shape, (std::vector<std::int64_t>{4, trace.positions, 16}));
    const auto& net = dynamic_cast<const difformer::DifformerNetImpl&>(model->module());
    const at::Tensor narrow = at::tensor(trace.block("logits")->data).view({4, trace.positions, 16});
    const at::Tensor logits = at::matmul(latent, net.embedding->weight.detach().t());
    const at::Tensor products = at::matmul(logits, logits.transpose(1, 2));
    EXPECT_TRUE(at::allclose(at::matmul(narrow, narrow.transpose(1, 2)), products, 1e-2,
                             1e-2 * products.abs().max().item<double>()));
    const std::int64_t curves = config.integer("map.curves");
    ASSERT_EQ(trace.block("curves") != nullptr, curves > 1);
    if (curves == 1) return;
    EXPECT_EQ(trace.block("curves")->shape, (std::vector<std::int64_t>{4, curves, points, 16}));
    const at::Tensor all = at::tensor(trace.block("curves")->data).view({4, curves, points, 16});
    const at::Tensor weights = at::tensor(trace.block("curve_weights")->data).view({4, curves});
    EXPECT_TRUE(at::allclose(weights.sum(1), at::ones({4}), 1e-3, 1e-3));
    // The recorded curve is the one with the largest weight.
    for (std::int64_t step = 0; step < 4; ++step)
        EXPECT_TRUE(
            at::allclose(all[step][weights[step].argmax().item<std::int64_t>()], curve[step], 1e-3, 1e-4));
}
INSTANTIATE_TEST_SUITE_P(Settings, Variants, ::testing::ValuesIn(variants()));

TEST(SclmNetwork, OneOfTheCurvesIsChosenWhileDecoding) {
    torch::manual_seed(1);
    const RunConfig config = toyConfig("sclm", {{"map.curves", "3"}});
    const auto model = toyModel(config);
    auto& net = dynamic_cast<SclmNetImpl&>(model->module());
    const torch::NoGradGuard noGrad;
    auto parameters = net.named_parameters();
    parameters["curve_tokens.weight"].normal_(0, 3);
    parameters["curve_scorer.out.weight"].normal_(
        0, 1e5);  // the scorer is certain, so that the mixture is one curve
    const at::Tensor ids = at::arange(5, 11).view({1, 6}).to(at::kLong), words = torch::randn({1, 4, 16});
    const std::vector<std::int32_t> source{6}, target{4};
    const auto crossCache = net.precomputeCrossAttention(net.encode(ids, source, {}), source);
    const at::Tensor time = net.timeEmbedding(std::vector<double>{3});
    ForwardPass choosing;
    choosing.decoding = true;
    const auto layout = net.layout(target, 4);
    const at::Tensor mixed = net.denoise({words, {}, time}, crossCache, *layout, {}).words;
    const at::Tensor chosen = net.denoise({words, {}, time}, crossCache, *layout, choosing).words;
    EXPECT_TRUE(at::allclose(mixed, chosen, 1e-2, 1e-2));
}

TEST(SclmPresets, AreTable3) {
    const auto config =
        RunConfig::parse("family = \"sclm\"\npreset = \"iwslt14-en-de-kd\"\n", "t.toml", schemaLookup());
    ASSERT_TRUE(config) << config.error().text();
    // rho = 1 + r at L = 25: (88, 8), N 3
    EXPECT_EQ(pointsFor(*config, 25), 88);
    EXPECT_EQ(config->integer("map.curves"), 3);
    EXPECT_EQ(config->integer("model.ffn"), 1024);
    EXPECT_EQ(config->integer("train.batch_tokens"), 8192);
    EXPECT_EQ(config->integer("train.steps"), 300000);
    EXPECT_EQ(findFamily("sclm")->ownSchema().presets.size(), 7u);
}

/// Both models of a comparison are trained and decoded alike.
TEST(SclmPresets, DifferFromDifformersInTheMapOnly) {
    const auto values = [](const char* family, const char* preset) {
        return *RunConfig::parse(fmt::format("family = \"{}\"\npreset = \"{}\"\n", family, preset), "t.toml",
                                 schemaLookup());
    };
    for (const char* paper : {"iwslt14", "wmt14"})
        for (const auto& row :
             difference(values("difformer", paper), values("sclm", fmt::format("{}-en-de", paper).c_str())))
            EXPECT_TRUE(row.key.starts_with("map.") || row.key == "family" || row.key == "preset") << row.key;
    EXPECT_EQ(values("sclm", "wmt14-en-de").integer("train.batch_tokens"), 32768);
}

TEST(SclmErrors, TooFewControlPointsForAnySentenceAreRefused) {
    const auto made = findFamily("sclm")->create(
        toyConfig("sclm", {{"map.kind", "spline"}, {"map.rho", "0.05"}}), {testing::toyShape(), at::kCPU});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().field, "map.rho");
}

TEST(SclmErrors, RepeatingLessThanOnceIsRefused) {
    const auto made = findFamily("sclm")->create(
        toyConfig("sclm", {{"map.kind", "repeat"}, {"map.rho", "0.5"}}), {testing::toyShape(), at::kCPU});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().field, "map.rho");
}

}  // namespace
}  // namespace kurve::models::sclm
