// The networks of CALM in float64 against tests/golden/networks/calm.py, by their published names: codes,
// losses and their parts, gradients of all parameters, drawn vectors.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "core/train/published_format.h"
#include "models/calm/denoising_head.h"
#include "models/calm/energy_head.h"
#include "models/calm/published_names.h"
#include "models/calm_autoencoder/published_names.h"
#include "tests/models/golden_numbers.h"

namespace kurve::models::calm {
namespace {

using calm_autoencoder::autoencoderNames;
using calm_autoencoder::AutoencoderNet;
using calm_autoencoder::AutoencoderSizes;
using nlohmann::json;
using testing::expectClose;
using testing::expectGradient;
using testing::goldenNetwork;
using testing::tensorOf;

constexpr double kRelative = 1e-9;

const json& golden() {
    return goldenNetwork("calm.json");
}

using Names = std::map<std::string, std::string>;

/// Sets weights by their published names; all must be there.
void setWeights(torch::nn::Module& module, const Names& names, const json& weights) {
    module.to(at::kDouble);
    const torch::NoGradGuard noGrad;
    for (const auto& [published, own] : names)
        train::publishedPart(module, own).copy_(tensorOf(weights.at(published)));
}

void expectGradients(torch::nn::Module& module, const Names& names, const json& of,
                     const std::string& prefix = "") {
    std::size_t checked = 0;
    for (const auto& [published, own] : names) {
        const std::string plain = own.substr(0, own.find('@'));
        at::Tensor gradient = module.named_parameters()[plain].grad();
        ASSERT_TRUE(gradient.defined()) << own;
        if (const auto at = own.find('@'); at != std::string::npos) {
            const std::int64_t parts = std::stoll(own.substr(own.find('/') + 1)),
                               rows = gradient.size(0) / parts;
            gradient = gradient.narrow(0, std::stoll(own.substr(at + 1)) * rows, rows);
        }
        expectGradient(gradient, of, prefix + published);
        ++checked;
    }
    EXPECT_EQ(checked, names.size());
}

AutoencoderSizes autoencoderSizes() {
    const json& sizes = golden().at("sizes");
    AutoencoderSizes out;
    out.vocabulary = sizes.at("vocabulary");
    out.hidden = sizes.at("autoencoder_hidden");
    out.ffn = sizes.at("autoencoder_ffn");
    out.chunk = sizes.at("chunk");
    out.latent = sizes.at("latent");
    out.encoderLayers = sizes.at("encoder_layers");
    out.decoderLayers = sizes.at("decoder_layers");
    return out;
}

AutoencoderNet autoencoder() {
    AutoencoderNet net(autoencoderSizes());
    setWeights(*net, autoencoderNames(autoencoderSizes()), golden().at("autoencoder").at("weights"));
    return net;
}

/// Chunks [R, C, K].
at::Tensor chunkIds() {
    return tensorOf(golden().at("ids")).to(at::kLong).view({2, 5, 2});
}

class AutoencoderGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(AutoencoderGolden, CodesLossAndGradientsAgree) {
    const json &all = golden().at("autoencoder"), &of = all.at("cases").at(GetParam());
    const bool dropout = std::string(GetParam()) == "dropout";
    AutoencoderNet net = autoencoder();
    const at::Tensor ids = chunkIds().flatten(0, 1);
    at::Tensor read = ids;
    if (dropout) read = ids.masked_fill(tensorOf(all.at("token_mask")).to(at::kBool).view({10, 2}), 0);
    const auto posterior = net->encode(read);
    expectClose(posterior.mean, of.at("mean"), "mean");
    expectClose(posterior.logStd, of.at("log_std"), "log_std");
    at::Tensor z = posterior.mean + posterior.logStd.exp() * tensorOf(all.at("noise")).view({10, 3});
    if (dropout)
        z = z * (1 - tensorOf(all.at("latent_mask")).view({10, 3})) /
            (1 - all.at("dropout_rate").get<double>());
    const at::Tensor logits = at::matmul(net->decode(z), net->outputTable().t());
    expectClose(logits, of.at("logits"), "logits");
    const at::Tensor nll = at::cross_entropy_loss(logits.flatten(0, 1), ids.flatten());
    expectClose(nll, of.at("cross_entropy"), "cross entropy");
    const at::Tensor kl =
        0.5 * (posterior.mean.square() + (2 * posterior.logStd).exp() - 1 - 2 * posterior.logStd);
    const at::Tensor clipped = kl.clamp_min(all.at("kl_clip").get<double>()).sum(1).mean();
    expectClose(clipped, of.at("kl_clipped"), "clipped KL");
    const at::Tensor loss = 2 * nll + all.at("beta").get<double>() * clipped;
    expectClose(loss, of.at("loss"), "loss");
    loss.backward();
    expectGradients(*net, autoencoderNames(autoencoderSizes()), of);
}
INSTANTIATE_TEST_SUITE_P(Calm, AutoencoderGolden, ::testing::Values("plain", "dropout"),
                         [](const auto& info) { return std::string(info.param); });

CalmSizes calmSizes(ChunkInput input) {
    const json& sizes = golden().at("sizes");
    CalmSizes out;
    out.vocabulary = sizes.at("vocabulary");
    out.hidden = sizes.at("hidden");
    out.ffn = sizes.at("ffn");
    out.layers = sizes.at("layers");
    out.heads = sizes.at("heads");
    out.chunk = sizes.at("chunk");
    out.latent = sizes.at("latent");
    out.input = input;
    out.maxChunks = 6;
    return out;
}

CalmNet backbone(ChunkInput input) {
    CalmNet net(calmSizes(input));
    setWeights(*net, backboneNames(calmSizes(input)), golden().at("backbone").at("weights"));
    return net;
}

at::Tensor inputsOf(CalmNet& net, std::int64_t chunks) {
    return net->inputs(chunkIds().narrow(1, 0, chunks),
                       tensorOf(golden().at("latents")).narrow(1, 0, chunks));
}

/// [N, R, P, …] as the heads have it: [R P, N, …].
at::Tensor byPosition(const json& values) {
    const at::Tensor x = tensorOf(values);
    return x.dim() == 3 ? x.permute({1, 2, 0}).flatten(0, 1) : x.permute({1, 2, 0, 3}).flatten(0, 1);
}

struct Form {
    const char* name;
    ChunkInput input;
};
class EnergyGolden : public ::testing::TestWithParam<Form> {};

TEST_P(EnergyGolden, StatesSamplesLossAndGradientsAgree) {
    const json &sizes = golden().at("sizes"), &all = golden().at("energy"),
               &of = all.at("forms").at(GetParam().name);
    for (const json& by : of.at("alphas")) {
        CalmNet net = backbone(GetParam().input);
        EnergyHead head({sizes.at("hidden"), sizes.at("latent"), sizes.at("noise"), sizes.at("head_blocks"),
                         sizes.at("samples"), sizes.at("target_samples"), by.at("alpha")});
        setWeights(head, energyHeadNames(sizes.at("head_blocks")), [&] {
            json plain;
            for (const auto& [name, value] : all.at("weights").items())
                plain[name.substr(std::string("generative_head.").size())] = value;
            return plain;
        }());
        const at::Tensor h = net->states(inputsOf(net, 4), {});
        expectClose(h, of.at("hidden"), "states");
        const at::Tensor x = head.vectors(h.flatten(0, 1), byPosition(all.at("noise")));
        EXPECT_TRUE(at::allclose(x, byPosition(of.at("samples")), kRelative, kRelative));
        const auto found = tensor::energyLoss(x, byPosition(all.at("targets")), by.at("alpha"));
        expectClose(found.loss, by.at("losses"), "losses");
        expectClose(found.fidelity.mean(), by.at("fidelity"), "fidelity");
        expectClose(found.diversity.mean(), by.at("diversity"), "diversity");
        found.loss.mean().backward();
        expectGradients(*net, backboneNames(calmSizes(GetParam().input)), by);
        expectGradients(head, energyHeadNames(sizes.at("head_blocks")), by, "generative_head.");
    }
}
INSTANTIATE_TEST_SUITE_P(Calm, EnergyGolden,
                         ::testing::Values(Form{"discrete", ChunkInput::Discrete},
                                           Form{"continuous", ChunkInput::Continuous},
                                           Form{"both", ChunkInput::Both}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EnergyGolden, ChunksOneByOneGiveTheStatesOfAllAtOnce) {
    const json& of = golden().at("prefix").at(GetParam().name);
    CalmNet net = backbone(GetParam().input);
    const torch::NoGradGuard noGrad;
    const at::Tensor inputs = inputsOf(net, 5);
    DecodingCache cache = net->newCache(2);
    for (std::int64_t chunk = 0; chunk < 5; ++chunk)
        expectClose(net->extend(inputs.narrow(1, chunk, 1), cache).squeeze(1),
                    of.at(static_cast<std::size_t>(chunk)), "chunk " + std::to_string(chunk));
}

/// A denoising head over the discrete backbone, with the golden's weights.
struct Denoising {
    explicit Denoising(const std::string& kind)
        : of(golden().at(kind)),
          net(backbone(ChunkInput::Discrete)),
          head({net->sizes().hidden, net->sizes().latent, 2, 3, kind == "flow"}) {
        json plain;
        for (const auto& [name, value] : of.at("weights").items())
            plain[name.substr(std::string("generative_head.").size())] = value;
        setWeights(head, denoisingHeadNames(2), plain);
        states = net->states(inputsOf(net, 4), {});
        const at::Tensor h = states.flatten(0, 1);
        noised = {byPosition(of.at("targets")).flatten(0, 1), byPosition(of.at("noise")).flatten(0, 1),
                  h.repeat_interleave(3, 0)};
    }
    const json& of;
    CalmNet net;
    DenoisingHead head;
    at::Tensor states;
    DenoisingHead::Noised noised;
};

TEST(DiffusionGolden, LossGradientsAndReverseStepsAgree) {
    Denoising d("diffusion");
    const at::Tensor t = byPosition(d.of.at("t")).flatten().to(at::kLong);
    const HeadLoss found = d.head.diffusionLoss(d.noised, t);
    EXPECT_TRUE(at::allclose(found.parts.at("noise_mse"), byPosition(d.of.at("mses")).flatten(), kRelative,
                             kRelative));
    EXPECT_TRUE(at::allclose(found.parts.at("variance_bound"), byPosition(d.of.at("vlbs")).flatten(), 1e-8,
                             kRelative));
    expectClose(found.loss.mean(), d.of.at("loss"), "loss");
    found.loss.mean().backward();
    expectGradients(d.head, denoisingHeadNames(2), d.of, "generative_head.");
    expectGradients(*d.net, backboneNames(calmSizes(ChunkInput::Discrete)), d.of);

    const torch::NoGradGuard noGrad;
    const json& sampling = d.of.at("sampling");
    const LearnedRange range(100);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(range.steps()[i].time, sampling.at("timesteps").at(i).get<int>());
        EXPECT_NEAR(range.steps()[i].beta, sampling.at("betas").at(i).get<double>(), 1e-12);
    }
    // The last three steps, which begin at a given state.
    const json& end = sampling.at("end");
    at::Tensor x = tensorOf(end.at("x"));
    const at::Tensor noise = tensorOf(end.at("noise")), h = d.states.select(1, 3);
    for (std::int64_t i = 0; i < 3; ++i) {
        x = d.head.stepBack(x, h, range.steps()[static_cast<std::size_t>(2 - i)],
                            i < 2 ? noise[i] : at::zeros_like(x));
        expectClose(x, end.at("states").at(static_cast<std::size_t>(i)), "step " + std::to_string(i));
    }
}

TEST(FlowGolden, LossGradientsAndSolversAgree) {
    Denoising d("flow");
    const HeadLoss found = d.head.flowLoss(d.noised, byPosition(d.of.at("t")).flatten().unsqueeze(1));
    EXPECT_TRUE(at::allclose(found.loss, byPosition(d.of.at("losses")).flatten(), kRelative, kRelative));
    expectClose(found.loss.mean(), d.of.at("loss"), "loss");
    found.loss.mean().backward();
    expectGradients(d.head, denoisingHeadNames(2), d.of, "generative_head.");
    const torch::NoGradGuard noGrad;
    const json& sampling = d.of.at("sampling");
    for (const bool midpoint : {false, true}) {
        const at::Tensor x =
            d.head.denoise(tensorOf(sampling.at("x")), d.states.select(1, 3), {4, midpoint}, {});
        expectClose(x, sampling.at(midpoint ? "midpoint" : "euler").at(3), midpoint ? "midpoint" : "euler");
    }
}

}  // namespace
}  // namespace kurve::models::calm
