// The networks of LCM and its sentence autoencoder in float64 against tests/golden/networks/lcm.py:
// predictions, losses, gradients of all parameters, sampled vectors.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "core/schedule/noise_schedule.h"
#include "models/common/padding.h"
#include "models/common/quantizer.h"
#include "models/concept/concept_net.h"
#include "models/lcm/denoising.h"
#include "models/lcm/fragility.h"
#include "models/lcm/lcm_net.h"
#include "tests/models/golden_numbers.h"

namespace kurve::models::lcm {
namespace {

using nlohmann::json;
using testing::expectClose;
using testing::expectGradient;
using testing::goldenNetwork;
using testing::tensorOf;

constexpr std::int64_t kContext = 2;  // sentences of document 0 that sampling goes on from

const json& golden() {
    return goldenNetwork("lcm.json");
}

void setWeights(torch::nn::Module& module, const json& weights) {
    module.to(at::kDouble);
    const torch::NoGradGuard noGrad;
    auto parameters = module.named_parameters();
    ASSERT_EQ(parameters.size(), weights.size());
    for (const auto& [name, values] : weights.items()) {
        at::Tensor* const parameter = parameters.find(name);
        ASSERT_NE(parameter, nullptr) << name;
        parameter->copy_(tensorOf(values));
    }
}

void expectGradients(torch::nn::Module& module, const json& of) {
    for (const auto& item : module.named_parameters()) {
        const at::Tensor gradient = item.value().grad();
        ASSERT_TRUE(gradient.defined()) << item.key();
        expectGradient(gradient, of, item.key());
        item.value().mutable_grad() = at::Tensor();
    }
}

at::Tensor vectors() {
    return tensorOf(golden().at("vectors"));
}

std::shared_ptr<LcmNetImpl> netOf(LcmKind kind, const json& part) {
    LcmSizes sizes{.kind = kind,
                   .width = 6,
                   .hidden = 8,
                   .ffn = 12,
                   .heads = 2,
                   .layers = 2,
                   .denoiserLayers = 2,
                   .timeFeatures = 16,
                   .steps = 100,
                   .maxSentences = 4,
                   .books = 3,
                   .centroids = 5};
    auto net = makeNet(sizes);
    setWeights(*net, part.at("weights"));
    return net;
}

std::vector<double> alphaBars() {
    const auto schedule =
        std::move(*schedule::makeSchedule("cosine", {{"steps", "100"}, {"zero_terminal", "true"}}));
    return {schedule->alphaBars().begin(), schedule->alphaBars().end()};
}

TEST(LcmGolden, BasePredictsTheNextVector) {
    const json& part = golden().at("base");
    const auto net = netOf(LcmKind::Base, part);
    const at::Tensor predicted = net->predict(vectors(), {}),
                     losses = (predicted - vectors().narrow(1, 1, 3)).square().sum(-1);
    expectClose(predicted, part.at("predictions"), "predictions");
    expectClose(losses, part.at("losses"), "losses");
    losses.mean().backward();
    expectClose(losses.mean(), part.at("loss"), "loss");
    expectGradients(*net, part);
    const torch::NoGradGuard noGrad;
    const auto next = net->begin(1);
    for (std::int64_t s = 0; s < kContext; ++s) next->append(vectors()[0].narrow(0, s, 1));
    expectClose(next->predict({}, 0, true), part.at("next"), "next");
}

struct Diffusing {
    const char* part;
    LcmKind kind;
    const char* name;
};

class LcmDiffusion : public ::testing::TestWithParam<Diffusing> {};

diffusion::Target targetNamed(const std::string& name) {
    return name.starts_with("x0") ? diffusion::Target::X0
           : name == "epsilon"    ? diffusion::Target::Epsilon
                                  : diffusion::Target::V;
}

TEST_P(LcmDiffusion, LossesAndGradientsAgree) {
    const json& part = golden().at(GetParam().part);
    const auto net = netOf(GetParam().kind, part);
    const at::Tensor clean = vectors(), noise = tensorOf(part.at("noise")),
                     t = tensorOf(part.at("t")).to(at::kLong),
                     bars = at::tensor(alphaBars(), at::kDouble).index_select(0, t.flatten()).view(t.sizes()),
                     signal = bars.sqrt().unsqueeze(-1), level = (1 - bars).sqrt().unsqueeze(-1);
    const NoisySentences noisy{signal * clean + level * noise, t, tensorOf(part.at("dropped")).to(at::kBool)};
    expectClose(noisy.vectors, part.at("noisy"), "noisy");
    for (const auto& [name, of] : part.at("cases").items()) {
        const at::Tensor predicted = net->predict(clean, noisy),
                         target = diffusion::targetOf(targetNamed(name), {clean, noise}, {signal, level});
        at::Tensor losses = (predicted - target).square().sum(-1);
        if (of.at("weight") == "clamped_snr") losses = losses * (bars / (1 - bars)).clamp(0.001, 5);
        expectClose(predicted, of.at("predictions"), name + " predictions");
        expectClose(losses, of.at("losses"), name + " losses");
        losses.mean().backward();
        expectClose(losses.mean(), of.at("loss"), name + " loss");
        expectGradients(*net, of);
    }
}

TEST_P(LcmDiffusion, SampledVectorsAgree) {
    const torch::NoGradGuard noGrad;
    const json& part = golden().at(GetParam().part);
    const json& sampling = part.at("sampling");
    const auto net = netOf(GetParam().kind, part);
    const auto next = net->begin(1);
    for (std::int64_t s = 0; s < kContext; ++s) next->append(vectors()[0].narrow(0, s, 1));
    const std::vector<double> bars = alphaBars();
    const auto indices = denoisingIndices(100, 5, false);
    expectClose(at::tensor(std::vector<double>(indices.begin(), indices.end())), sampling.at("timesteps"),
                "t");
    const at::Tensor noises = tensorOf(sampling.at("noise"));
    for (const auto& [name, of] : sampling.at("cases").items()) {
        DenoisingSettings settings;
        settings.steps = denoisingSteps(bars, indices, false);
        settings.guidance = of.at("guidance");
        settings.rescale = of.at("rescale");
        settings.start = of.at("sigma_init");
        settings.epsilonScaling = of.at("epsilon_scaling");
        settings.eta = of.at("eta");
        std::vector<at::Tensor> seen, estimates;
        const at::Tensor found =
            denoise(tensorOf(sampling.at("start")).unsqueeze(0), settings,
                    {[&](const at::Tensor& x, std::int64_t index, bool withContext) {
                         return next->predict(x, index, withContext);
                     },
                     [&](std::size_t step) { return noises.narrow(0, static_cast<std::int64_t>(step), 1); },
                     [&](std::size_t, const at::Tensor& x, const at::Tensor& estimate) {
                         seen.push_back(x);
                         estimates.push_back(estimate);
                     },
                     [&](const at::Tensor& x, std::int64_t index) {
                         const auto both = next->predictBoth(x, index);
                         EXPECT_TRUE(at::allclose(both.first, next->predict(x, index, true), 1e-12, 1e-12));
                         EXPECT_TRUE(at::allclose(both.second, next->predict(x, index, false), 1e-12, 1e-12));
                         return both;
                     }});
        expectClose(at::cat(estimates), of.at("estimates"), name + " estimates");
        // The golden states are those after a step.
        expectClose(at::cat(seen).narrow(0, 1, 4),
                    json(std::vector<json>(of.at("states").begin(), of.at("states").end() - 1)),
                    name + " states");
        expectClose(found, of.at("result"), name);
    }
}

INSTANTIATE_TEST_SUITE_P(Lcm, LcmDiffusion,
                         ::testing::Values(Diffusing{"two_tower", LcmKind::TwoTower, "TwoTower"},
                                           Diffusing{"one_tower", LcmKind::OneTower, "OneTower"}),
                         [](const auto& info) { return info.param.name; });

Quantizer goldenQuantizer() {
    Quantizer quantizer(3, 5, 6);
    quantizer->to(at::kDouble);
    quantizer->codebooks.copy_(tensorOf(golden().at("codebooks")));
    return quantizer;
}

TEST(LcmGolden, ResidualCodesAgree) {
    const auto quantizer = goldenQuantizer();
    expectClose(quantizer->codes(vectors().flatten(0, 1)), golden().at("codes"), "codes");
}

class LcmQuant : public ::testing::TestWithParam<Diffusing> {};

TEST_P(LcmQuant, LossesAndGradientsAgree) {
    const json& part = golden().at(GetParam().part);
    const bool discrete = GetParam().kind == LcmKind::QuantD;
    const auto net = netOf(GetParam().kind, part);
    const auto quantizer = goldenQuantizer();
    const at::Tensor clean = vectors(), k = tensorOf(part.at("k")).to(at::kLong),
                     codes = quantizer->codes(clean.flatten(0, 1)),
                     known = quantizer->sums(codes)
                                 .gather(1, (k.flatten() - 1).view({-1, 1, 1}).expand({8, 1, 6}))
                                 .view(clean.sizes());
    const at::Tensor found = net->predict(clean, {known, k, tensorOf(part.at("dropped")).to(at::kBool)});
    expectClose(found, part.at(discrete ? "logits" : "predictions"), "predictions");
    const at::Tensor losses = discrete
                                  ? at::nll_loss(at::log_softmax(found.flatten(0, 1), -1),
                                                 codes.gather(1, (k.flatten() - 1).unsqueeze(1)).squeeze(1),
                                                 {}, at::Reduction::None)
                                  : (found - clean).square().sum(-1);
    expectClose(losses, part.at("losses"), "losses");
    losses.mean().backward();
    expectClose(losses.mean(), part.at("loss"), "loss");
    expectGradients(*net, part);
}

TEST_P(LcmQuant, CentroidsAreChosenAlike) {
    const torch::NoGradGuard noGrad;
    const json& part = golden().at(GetParam().part);
    const auto net = netOf(GetParam().kind, part);
    const auto quantizer = goldenQuantizer();
    const auto next = net->begin(1);
    for (std::int64_t s = 0; s < kContext; ++s) next->append(vectors()[0].narrow(0, s, 1));
    for (const char* name : {"sampling", "unguided_sampling"}) {
        const json& of = part.at(name);
        at::Tensor sum = at::zeros({1, 6}, at::kDouble);
        for (std::int64_t k = 1; k <= 3; ++k) {
            const at::Tensor output = diffusion::guided(next->predict(sum, k, true),
                                                        next->predict(sum, k, false), of.at("guidance"));
            const auto at = static_cast<std::size_t>(k - 1);
            expectClose(output, of.at("outputs")[at], name);
            const at::Tensor code = GetParam().kind == LcmKind::QuantD
                                        ? output.argmax(1)
                                        : at::cdist(output - sum, quantizer->codebooks[k - 1]).argmin(1);
            EXPECT_EQ(code.item<std::int64_t>(), of.at("codes")[at].get<std::int64_t>());
            sum = sum + quantizer->codebooks[k - 1].index_select(0, code);
            expectClose(sum, of.at("vectors")[at], name);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Lcm, LcmQuant,
                         ::testing::Values(Diffusing{"quant_c", LcmKind::QuantC, "C"},
                                           Diffusing{"quant_d", LcmKind::QuantD, "D"}),
                         [](const auto& info) { return info.param.name; });

class ConceptGolden : public ::testing::TestWithParam<const char*> {};

sentence_concept::ConceptNet goldenConcepts(const json& part, bool slots) {
    sentence_concept::ConceptSizes sizes{.vocabulary = 9,
                                         .hidden = 8,
                                         .ffn = 12,
                                         .heads = 2,
                                         .encoderLayers = 1,
                                         .decoderLayers = 1,
                                         .width = 6,
                                         .maxTokens = 5,
                                         .slots = slots};
    sizes.special.bos = 0;
    sizes.special.pad = 1;
    sizes.special.eos = 2;
    sentence_concept::ConceptNet net(sizes);
    setWeights(*net, part.at("weights"));
    return net;
}

std::vector<std::int32_t> lengthsOf(const at::Tensor& ids) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t row = 0; row < ids.size(0); ++row)
        lengths.push_back(static_cast<std::int32_t>(ids[row].ne(1).sum().item<std::int64_t>()));
    return lengths;
}

TEST_P(ConceptGolden, VectorsLossAndGradientsAgree) {
    const json& part = golden().at(std::string("concept_") + GetParam());
    auto net = goldenConcepts(part, std::string(GetParam()) == "slots");
    const at::Tensor ids = tensorOf(part.at("ids")).to(at::kLong);
    const std::vector<std::int32_t> lengths = lengthsOf(ids);
    const at::Tensor vectors = net->encode({ids, lengths});
    expectClose(vectors, part.at("vectors"), "vectors");
    const at::Tensor read = vectors + part.at("sigma").get<double>() * tensorOf(part.at("noise")),
                     logits = at::matmul(net->decode(read, ids), net->outputTable().t());
    expectClose(logits, part.at("logits"), "logits");
    const at::Tensor places = realIndices(lengths, ids.size(1), at::kCPU);
    const at::Tensor loss = at::nll_loss(at::log_softmax(logits.flatten(0, 1).index_select(0, places), -1),
                                         ids.flatten().index_select(0, places));
    expectClose(loss, part.at("loss"), "loss");
    loss.backward();
    expectGradients(*net, part);
}

INSTANTIATE_TEST_SUITE_P(Lcm, ConceptGolden, ::testing::Values("slots", "mean"),
                         [](const auto& info) { return info.param; });

TEST(LcmGolden, FragilityAgrees) {
    const json& part = golden().at("fragility");
    auto concepts = goldenConcepts(part, true);
    concepts->center.copy_(tensorOf(part.at("center")));
    concepts->scale.copy_(tensorOf(part.at("scale")));
    const at::Tensor ids = tensorOf(part.at("ids")).to(at::kLong);
    const std::vector<std::int32_t> lengths = lengthsOf(ids);
    const at::Tensor normalised = concepts->normalised(concepts->encode({ids, lengths}));
    expectClose(normalised, part.at("normalised"), "normalised");
    std::vector<FragileNoise> draws;
    for (const json& draw : part.at("draws"))
        draws.push_back({tensorOf(draw.at("variance")).unsqueeze(1), tensorOf(draw.at("noise"))});
    const at::Tensor found = fragility(*concepts, {ids, lengths}, normalised, draws);
    expectClose(found, part.at("fragility"), "fragility");
    expectClose(fragilityWeight(found, -4, 3.5), part.at("loss_weight"), "weight");
    EXPECT_FALSE(found.requires_grad()) << "the autoencoder is frozen";
}

// LCM, eq. 19 at a = -4, b = 3.5: what withstands all noise counts 0.971, what none 0.378.
TEST(Lcm, FragileSentencesCountLess) {
    const at::Tensor weights = fragilityWeight(at::tensor({0., 0.5, 0.875, 1.}), -4, 3.5);
    EXPECT_TRUE(at::allclose(
        weights, at::tensor({0.970687769, 0.817574476, 0.5, 0.377540669}).to(weights.scalar_type()), 1e-6));
}

// The levels are nine, a row's of nine draws all of them; a row's numbers do not depend on its neighbours.
TEST(Lcm, FragilityDrawsItsLevelsEvenly) {
    const at::Tensor rows = at::zeros({5, 3});
    const auto draws = fragileNoise(9, rows, {1, 2, 0}),
               later = fragileNoise(9, rows.narrow(0, 0, 2), {1, 2, 3});
    for (std::int64_t k = 0; k < 9; ++k) {
        const auto& one = draws[static_cast<std::size_t>(k)];
        EXPECT_TRUE(at::allclose(one.variance, at::full({5, 1}, 0.1 * static_cast<double>(k + 1)))) << k;
        EXPECT_TRUE(at::equal(one.noise.narrow(0, 3, 2), later[static_cast<std::size_t>(k)].noise));
    }
    EXPECT_FALSE(at::equal(draws[0].noise, draws[1].noise));
    double sum = 0;
    for (const FragileNoise& one : fragileNoise(2, at::zeros({4000, 1}), {1, 2, 0}))
        sum += one.variance.mean().item<double>() / 2;
    EXPECT_NEAR(sum, 0.5, 0.01);
}

}  // namespace
}  // namespace kurve::models::lcm
