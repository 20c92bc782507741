// The numbers of tests/golden/networks/mdlm.py, parameter counts, initial values and single positions.
#include "models/mdlm/mdlm_net.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "core/tensor/meta_kernels.h"
#include "core/tensor/meta_memory.h"
#include "models/common/neighbour_mixing.h"
#include "models/common/padding.h"
#include "tests/models/family_fixture.h"
#include "tests/support/json_tensors.h"

namespace kurve::models::mdlm {
namespace {

using kurve::testing::difference, kurve::testing::tensorOf;
using nlohmann::json;

const json& golden() {
    static const json all = kurve::testing::goldenFile("networks/mdlm.json");
    return all;
}

MdlmSizes sizesOf(const json& variant) {
    const json& sizes = golden().at("sizes");
    return {
        .vocabulary = sizes.at("vocabulary"),
        .hidden = sizes.at("hidden"),
        .layers = sizes.at("layers"),
        .heads = sizes.at("heads"),
        .ffn = sizes.at("ffn"),
        .conditioning = variant.at("adaln").get<bool>() ? sizes.at("conditioning").get<std::int64_t>() : 0,
        .tied = variant.at("tied"),
        .timeConditioning = variant.at("time"),
        .smoothInput = variant.at("smooth")};
}

/// The map of a variant, if it has one.
std::unique_ptr<TokenMap> mapOf(const json& variant) {
    const json& of = variant.at("map");
    if (of.is_null()) return nullptr;
    std::vector<Override> settings{{"map.kind", "spline"}, {"model.length", "learned"}};
    for (const auto& [key, value] : of.items())
        settings.emplace_back("map." + key, value.is_string() ? value.get<std::string>() : value.dump());
    return std::make_unique<TokenMap>(testing::toyConfig("sclm_mdlm", settings), at::kCPU);
}

/// A variant of the golden file with its weights, in doubles.
class MdlmGolden : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        net->to(net->maybeMap() == nullptr ? torch::kDouble : torch::kFloat);  // maps are float32
        const torch::NoGradGuard noGrad;
        for (auto& item : net->named_parameters())
            item.value().copy_(tensorOf(golden().at("weights").at(item.key())));
        lengths = variant.at("lengths").get<std::vector<std::int32_t>>();
    }

    /// SUBS: the mask is impossible, an open token is certain; weight 1/t, mean over the counted positions.
    [[nodiscard]] at::Tensor loss(const at::Tensor& logits) const {
        const at::Tensor counted = tensorOf(variant.at("counted")), clean = tensorOf(golden().at("clean")),
                         words = logits.narrow(2, 0, logits.size(2) - 1),
                         masked = ids.eq(logits.size(2) - 1).to(at::kDouble) * counted,
                         nll = -at::log_softmax(words, 2).gather(2, clean.to(at::kLong).unsqueeze(2)),
                         weight = 1 / tensorOf(golden().at("t")).unsqueeze(1);
        return (nll.squeeze(2) * masked * weight).sum() / counted.sum();
    }

    const json& variant = golden().at("variants").at(GetParam());
    at::Tensor ids = tensorOf(golden().at("ids")).to(at::kLong), sigma = tensorOf(golden().at("sigma"));
    std::vector<std::int32_t> lengths;
    MdlmNet net{sizesOf(variant), mapOf(variant)};
};

TEST_P(MdlmGolden, LogitsLossAndGradients) {
    const at::Tensor logits = net->logits(net->states(ids, sigma, lengths, ForwardPass{})).to(torch::kDouble);
    const double relative = net->maybeMap() == nullptr ? 1e-9 : 1e-6;
    const auto tolerance = [&](double wanted) { return relative * std::max(1.0, std::abs(wanted)); };
    const at::Tensor wanted = tensorOf(variant.at("logits"));
    EXPECT_LE(difference(logits, wanted), tolerance(wanted.abs().max().item<double>()));
    const at::Tensor total = loss(logits);
    EXPECT_NEAR(total.item<double>(), variant.at("loss"), tolerance(variant.at("loss")));
    total.backward();
    const json& norms = variant.at("gradient_norms");
    EXPECT_EQ(net->named_parameters().size(), norms.size());
    for (const auto& item : net->named_parameters())
        EXPECT_NEAR(item.value().grad().norm().item<double>(), norms.at(item.key()),
                    tolerance(norms.at(item.key())))
            << item.key();
}

TEST_P(MdlmGolden, SinglePositionsEqualTheWholePass) {
    const torch::NoGradGuard noGrad;
    ForwardPass decoding;
    decoding.decoding = true;
    const at::Tensor all = net->states(ids, sigma, lengths, decoding);
    // Unordered, rows with four, none and two of them, one twice.
    const at::Tensor some = at::tensor({6, 20, 0, 3, 14, 3}, at::kLong);
    EXPECT_LE(difference(net->statesAt(ids, sigma, lengths, some),
                         all.view({-1, all.size(2)}).index_select(0, some)),
              1e-12);
    EXPECT_EQ(net->statesAt(ids, sigma, lengths, some.narrow(0, 0, 0)).sizes(),
              at::IntArrayRef({0, all.size(2)}));
    EXPECT_THROW((void)net->statesAt(ids, sigma, lengths, at::tensor({21}, at::kLong)), ContractError);
}

TEST_P(MdlmGolden, CapturesStatesAndAttention) {
    const torch::NoGradGuard noGrad;
    StateCapture capture{.hidden = true, .attention = true};
    train::Activations activations;
    ForwardPass pass;
    pass.maybeCapture = &capture;
    pass.maybeActivations = &activations;
    const at::Tensor states = net->states(ids, sigma, lengths, pass);
    if (TokenMap* map = net->maybeMap()) {
        const at::Tensor words =
            map->layout(lengths, ids.size(1), false)->wordsFromTokens(capture.tensors.at("curve"));
        EXPECT_EQ(difference(words, states), 0);
        return;
    }
    EXPECT_EQ(capture.tensors.size(), 4U);
    EXPECT_TRUE(capture.tensors.at("hidden/1").equal(activations.at("block_1").values));
    const at::Tensor sums = capture.tensors.at("attention/1").sum(-1);
    EXPECT_EQ(sums.sizes(), at::IntArrayRef({3, 2, 7}));
    EXPECT_LE(difference(sums, at::ones_like(sums)), 1e-12);
    EXPECT_EQ(difference(states, net->states(ids, sigma, lengths, ForwardPass{})), 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, MdlmGolden,
                         ::testing::Values("time", "constant", "plain", "tied", "smooth", "padded", "curve",
                                           "curves", "greville", "greville_curves", "lifted"),
                         [](const auto& instance) { return instance.param; });

std::int64_t parameterCount(const MdlmSizes& sizes) {
    const tensor::MadeOnMeta shapesOnly;
    std::int64_t count = 0;
    for (const auto& parameter : MdlmNet(sizes)->parameters()) count += parameter.numel();
    return count;
}

constexpr MdlmSizes kSmall{
    .vocabulary = 30522, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .conditioning = 128},
    kToy{.vocabulary = 13, .hidden = 32, .layers = 2, .heads = 4, .ffn = 64, .conditioning = 8};

TEST(MdlmSizes, HaveThePapersParameterCounts) {
    EXPECT_EQ(parameterCount(kSmall), 139292986);
    MdlmSizes tiny = kSmall;
    tiny.hidden = 512, tiny.layers = tiny.heads = 8, tiny.ffn = 2048;
    EXPECT_EQ(parameterCount(tiny), 59831866);
}

TEST(MdlmSizes, BadOnesAreRefused) {
    MdlmSizes sizes = kToy;
    sizes.heads = 32;  // one coordinate per head cannot be rotated
    EXPECT_THROW(MdlmNet{sizes}, ContractError);
    sizes = kToy;
    sizes.conditioning = 0, sizes.timeConditioning = true;
    EXPECT_THROW(MdlmNet{sizes}, ContractError);
    sizes = kToy;
    sizes.timeConditioning = true, sizes.maxPositions = 4;
    MdlmNet net(sizes);
    const at::Tensor ids = at::zeros({2, 4}, at::kLong);
    EXPECT_THROW((void)net->states(ids, {}, {}, ForwardPass{}), ContractError);
    EXPECT_THROW((void)net->states(at::zeros({2, 5}, at::kLong), at::zeros({2}), {}, ForwardPass{}),
                 ContractError);
}

void initialiseNet(MdlmNet& net) {
    initialise(*net, 5, [&](const std::string& name, const at::Tensor& parameter) {
        return mdlmInitializer(net->sizes(), name, parameter);
    });
}

TEST(MdlmInit, FirstDistributionIsUniform) {
    const torch::NoGradGuard noGrad;
    for (const std::int64_t conditioning : {0, 8}) {
        MdlmSizes sizes = kToy;
        sizes.conditioning = conditioning;
        MdlmNet net(sizes);
        initialiseNet(net);
        const at::Tensor ids = at::arange(20).remainder(13).view({2, 10});
        const at::Tensor states = net->states(ids, {}, {}, ForwardPass{});
        EXPECT_EQ(net->logits(states).abs().max().item<double>(), 0);
        EXPECT_GT(states.std(0).min().item<double>(), 0);
    }
}

TEST(MdlmInit, FollowsThePaper) {
    MdlmNet net(kToy);
    initialiseNet(net);
    const auto parameters = net->named_parameters();
    const auto bound = [&](const char* name) { return parameters[name].abs().max().item<double>(); };
    const auto expectUniform = [&](const char* name, double fanIn) {
        EXPECT_LE(bound(name), 1 / std::sqrt(fanIn)) << name;
        EXPECT_GT(bound(name), 0.7 / std::sqrt(fanIn)) << name;
    };
    expectUniform("embedding.weight", 32);
    expectUniform("block_0.attention.qkv.weight", 32);
    expectUniform("block_1.ffn.in.bias", 32);
    expectUniform("block_1.ffn.out.weight", 64);
    expectUniform("block_1.ffn.out.bias", 64);
    expectUniform("time.in.weight", 256);
    expectUniform("time.in.bias", 256);
    expectUniform("time.out.weight", 8);
    expectUniform("time.out.bias", 8);
    for (const char* name : {"block_0.modulation.weight", "modulation.bias", "output.weight", "output.bias"})
        EXPECT_EQ(bound(name), 0) << name;
    for (const char* name : {"norm.weight", "block_1.ffn_norm.weight"})
        EXPECT_TRUE(parameters[name].eq(1).all().item<bool>()) << name;
}

TEST(MdlmNet, GivesOneDistributionToAllPositionsOfAMaskedCanvas) {
    // Positions enter as differences only, and the attended values are all equal.
    MdlmSizes sizes = kToy;
    sizes.conditioning = 0;
    MdlmNet net(sizes);
    initialiseNet(net);
    const torch::NoGradGuard noGrad;
    const at::Tensor states = net->states(at::full({1, 32}, 12, at::kLong), {}, {}, ForwardPass{});
    EXPECT_LE(difference(states, states.narrow(1, 0, 1).expand_as(states)), 1e-5);
}

TEST(MdlmNet, DropoutDependsOnTheSeed) {
    MdlmSizes sizes = kToy;
    sizes.conditioning = 0;
    MdlmNet net(sizes);
    initialiseNet(net);
    const torch::NoGradGuard noGrad;
    const at::Tensor ids = at::arange(12).view({2, 6});
    const auto states = [&](double rate, std::uint64_t seed) {
        return net->states(ids, {}, {}, ForwardPass{.dropout = rate, .seed = seed});
    };
    EXPECT_TRUE(states(0.5, 1).equal(states(0.5, 1)));
    EXPECT_FALSE(states(0.5, 1).equal(states(0.5, 2)));
    EXPECT_FALSE(states(0.5, 1).equal(states(0, 1)));
}

TEST(MdlmNet, TrainsAfterAPassInInferenceMode) {
    MdlmNet net(kToy);
    const at::Tensor ids = at::zeros({1, 6}, at::kLong);
    {
        const c10::InferenceMode inference;
        (void)net->states(ids, {}, {}, ForwardPass{});
    }
    EXPECT_NO_THROW(net->states(ids, {}, {}, ForwardPass{}).sum().backward());
}

TEST(MdlmNet, ForwardAndBackwardRunOnShapesAlone) {
    tensor::addMetaKernels();
    const tensor::MadeOnMeta shapesOnly;
    for (const bool conditioned : {true, false}) {
        MdlmSizes sizes = kToy;
        sizes.smoothInput = true;
        sizes.timeConditioning = conditioned;
        MdlmNet net(sizes);
        const at::Tensor ids = at::zeros({3, 7}, at::kLong),
                         states = net->states(ids, at::zeros({3}), {}, ForwardPass{});
        const at::Tensor logits = net->logits(states);
        EXPECT_EQ(logits.sizes(), at::IntArrayRef({3, 7, 13}));
        logits.sum().backward();
        EXPECT_TRUE(net->embedding->weight.grad().is_meta());
    }
}

TEST(NeighbourMixing, HasTheStatedWeights) {
    const at::Tensor eye = at::eye(4, at::kDouble).unsqueeze(0);
    const at::Tensor expected =
        at::tensor({3., 1., 0., 0., 1., 2., 1., 0., 0., 1., 2., 1., 0., 0., 1., 3.}, at::kDouble) / 4;
    EXPECT_EQ(difference(mixNeighbours(eye, {}), expected.view({1, 4, 4})), 0);
    const std::vector<std::int32_t> lengths{2};
    const at::Tensor cut = mixNeighbours(eye, attentionMask(lengths, 4, at::kCPU));
    EXPECT_EQ(difference(cut[0][1], at::tensor({.25, .75, 0., 0.}, at::kDouble)), 0);
    EXPECT_TRUE(mixNeighbours(eye.narrow(1, 0, 1), {}).equal(eye.narrow(1, 0, 1)));
}

}  // namespace
}  // namespace kurve::models::mdlm
