#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "core/text/trained_specials.h"
#include "models/common/candidates.h"
#include "models/common/padding.h"
#include "models/difformer/difformer_model.h"
#include "models/difformer/generator.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::difformer {
namespace {

std::int64_t parameterCount(const std::string& preset, std::int64_t vocabulary) {
    const auto config = RunConfig::parse("family = \"difformer\"\npreset = \"" + preset + "\"\n",
                                         "paper.toml", schemaLookup());
    EXPECT_TRUE(config) << config.error().text();
    const DifformerNet net(
        *config, train::TextShape{vocabulary, vocabulary, true, 1024, true, text::kTrainedSpecials}, 1024);
    std::int64_t count = 0;
    for (const auto& parameter : net->parameters()) count += parameter.numel();
    return count;
}

TEST(DifformerSizes, HaveThePapersParameterCounts) {
    EXPECT_EQ(parameterCount("wmt14", 40000), 53524992);
    EXPECT_EQ(parameterCount("iwslt14", 10152), 37109248);
}

TEST(DifformerSizes, SeparateVocabulariesHaveTheirOwnSourceTable) {
    const RunConfig config = testing::toyConfig("difformer");
    const auto model = testing::toyModel(config, false);
    EXPECT_TRUE(model->module().named_parameters().contains("source_embedding.weight"));
    EXPECT_TRUE(std::isfinite(
        model->loss(train::toDevice(testing::toyBatch(), at::kCPU), {1, 0, 0}).total.item<double>()));
}

TEST(DifformerLength, ClassesAndCandidatesAreClamped) {
    EXPECT_EQ(lengthClass(18, 20), 126);
    EXPECT_EQ(lengthClass(200, 10), 255);
    EXPECT_EQ(lengthClass(20, 300), 0);
    EXPECT_EQ(candidateLengths(10, 5, 100), (std::vector<std::int32_t>{8, 9, 10, 11, 12}));
    EXPECT_EQ(candidateLengths(10, 2, 100), (std::vector<std::int32_t>{9, 10}));
    EXPECT_EQ(candidateLengths(2, 3, 100), (std::vector<std::int32_t>{2, 2, 3}));
    EXPECT_EQ(candidateLengths(100, 3, 100), (std::vector<std::int32_t>{99, 100, 100}));
}

TEST(FusedLinearCrossEntropy, EqualsThePlainComposition) {
    torch::manual_seed(1);
    const at::Tensor x = torch::randn({7, 5}, torch::dtype(at::kDouble).requires_grad(true)),
                     table = torch::randn({11, 5}, torch::dtype(at::kDouble).requires_grad(true));
    const at::Tensor targets = at::tensor({0, 3, 3, 10, 1, 3, 6});
    const at::Tensor logP = at::log_softmax(at::mm(x, table.t()), 1), weight = torch::randn({7}, at::kDouble);
    const at::Tensor nll = -logP.gather(1, targets.unsqueeze(1)).squeeze(1), smooth = -logP.mean(1);
    const auto gradients = [&](const at::Tensor& a, const at::Tensor& b) {
        return torch::autograd::grad({((a * 0.9 + b * 0.1) * weight).sum()}, {x, table}, {}, true);
    };
    const auto expected = gradients(nll, smooth);
    for (const diffusion::TokenNll& ours :
         {diffusion::fusedLinearCrossEntropy(x, table, table.index_select(0, targets)),
          diffusion::meanNll(x, table, targets)}) {
        EXPECT_TRUE(at::allclose(ours.nll, nll) && at::allclose(ours.smooth, smooth));
        const auto got = gradients(ours.nll, ours.smooth);
        EXPECT_TRUE(at::allclose(got[0], expected[0]) && at::allclose(got[1], expected[1]));
    }
    const torch::NoGradGuard noGrad;
    EXPECT_TRUE(at::allclose(diffusion::meanNll(x, table, targets).smooth, smooth));
}

TEST(FusedLinearCrossEntropy, ABiasIsAddedToTheLogits) {
    torch::manual_seed(2);
    const auto random = [](at::IntArrayRef shape) {
        return torch::randn(shape, torch::dtype(at::kDouble).requires_grad(true));
    };
    const at::Tensor x = random({7, 5}), table = random({11, 5}), bias = random({11}),
                     targets = at::tensor({0, 3, 3, 10, 1, 3, 6}), weight = torch::randn({7}, at::kDouble),
                     logP = at::log_softmax(at::addmm(bias, x, table.t()), 1),
                     nll = -logP.gather(1, targets.unsqueeze(1)).squeeze(1), smooth = -logP.mean(1);
    const auto gradients = [&](const at::Tensor& a, const at::Tensor& b) {
        return torch::autograd::grad({((a * 0.9 + b * 0.1) * weight).sum()}, {x, table, bias}, {}, true);
    };
    const diffusion::TokenNll ours = diffusion::meanNll(x, table, targets, bias);
    EXPECT_TRUE(at::allclose(ours.nll, nll) && at::allclose(ours.smooth, smooth));
    const auto expected = gradients(nll, smooth), got = gradients(ours.nll, ours.smooth);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(at::allclose(got[i], expected[i])) << i;
    const torch::NoGradGuard noGrad;
    EXPECT_TRUE(at::allclose(diffusion::meanNll(x, table, targets, bias).nll, nll));
}

TEST(FusedLinearCrossEntropy, LabelSmoothingOracle) {
    // logits (2, 1, 0, -1), target 0: NLL 0.4401896986, loss with smoothing 0.1 0.5901896986
    const at::Tensor table = at::tensor({2.0, 1.0, 0.0, -1.0}, at::kDouble).view({4, 1}),
                     x = at::ones({1, 1}, at::kDouble);
    const diffusion::TokenNll token = diffusion::fusedLinearCrossEntropy(x, table, table.narrow(0, 0, 1));
    EXPECT_NEAR(token.nll.item<double>(), 0.4401896986, 1e-10);
    EXPECT_NEAR(0.9 * token.nll.item<double>() + 0.1 * token.smooth.item<double>(), 0.5901896986, 1e-10);
}

TEST(DifformerInit, FollowsTheSpec) {
    auto config = RunConfig::parse("family = \"difformer\"\n[model]\nmax_positions = 64\n", "init.toml",
                                   schemaLookup());
    ASSERT_TRUE(config);
    const auto made = findFamily("difformer")
                          ->create(*config, {{500, 500, true, 64, true, text::kTrainedSpecials}, at::kCPU});
    ASSERT_TRUE(made);
    const auto parameters = (*made)->module().named_parameters();
    const auto stddev = [&](const char* name) { return parameters[name].std().item<double>(); };
    EXPECT_NEAR(stddev("embedding.weight"), 0.02, 1e-3);
    EXPECT_EQ(parameters["embedding.weight"][1].abs().sum().item<double>(), 0);  // pad
    EXPECT_NEAR(stddev("encoder_positions.weight"), 1 / std::sqrt(512.0), 2e-3);
    EXPECT_NEAR(stddev("decoder_positions.weight"), 0.02, 1e-3);
    EXPECT_NEAR(stddev("encoder_layer_0.attention.qkv.weight"), std::sqrt(6.0 / 1024 / 2 / 3), 1e-3);
    EXPECT_NEAR(stddev("encoder_layer_0.ffn.in.weight"), 1 / std::sqrt(512.0 * 3), 1e-3);
    EXPECT_NEAR(stddev("decoder_layer_5.cross.key_value.weight"), 0.02, 1e-3);
    EXPECT_EQ(parameters["decoder_layer_0.ffn.in.bias"].abs().sum().item<double>(), 0);
    EXPECT_NEAR(stddev("decoder_project_out.weight"), 0.02, 1e-3);
    EXPECT_NEAR(stddev("length.weight"), 0.02, 1e-3);
}

TEST(DifformerInit, TinyStartsAligned) {
    const auto model = testing::toyModel(testing::toyConfig("difformer"));
    const auto parameters = model->module().named_parameters();
    EXPECT_TRUE(at::equal(parameters["encoder_positions.weight"].narrow(0, 2, 24),
                          parameters["decoder_positions.weight"].narrow(0, 2, 24)));
    EXPECT_TRUE(at::equal(parameters["decoder_layer_0.cross.query.weight"], at::eye(32)));
    EXPECT_TRUE(
        at::equal(parameters["decoder_layer_0.cross.key_value.weight"].narrow(0, 0, 32), at::eye(32)));
    EXPECT_NEAR(parameters["decoder_layer_0.ffn.in.weight"].std().item<double>(), 1 / std::sqrt(32.0), 0.02);
}

TEST(DifformerNetwork, PaddingDoesNotReachRealPositions) {
    const RunConfig config = testing::toyConfig("difformer");
    const auto model = testing::toyModel(config);
    auto& net = dynamic_cast<DifformerNetImpl&>(model->module());
    const torch::NoGradGuard noGrad;
    const std::vector<std::int32_t> sources{5, 7}, targets{4, 6};
    const auto run = [&](std::int64_t extra) {
        at::Tensor ids = at::full({2, 7 + extra}, 1, at::kLong);
        ids.narrow(1, 0, 5).fill_(9);
        ids[1].narrow(0, 5, 2).fill_(11);
        at::Tensor words = at::full({2, 6 + extra, 16}, 1e3);  // what padding holds must not matter
        words.narrow(1, 0, 6).copy_(at::arange(192).view({2, 6, 16}).to(at::kFloat).sin());
        const EncoderOutput encoded = net.encode(ids, sources, {});
        const std::vector<double> times{3, 8};
        return net
            .denoise({words, {}, net.timeEmbedding(times)}, net.precomputeCrossAttention(encoded, sources),
                     *net.layout(targets, 6 + extra), {})
            .words.narrow(1, 0, 6);
    };
    const at::Tensor narrow = run(0), wide = run(3);
    EXPECT_TRUE(at::allclose(narrow[0].narrow(0, 0, 4), wide[0].narrow(0, 0, 4), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(narrow[1], wide[1], 1e-5, 1e-6));
}

TEST(DifformerNetwork, CandidatesShareTheirSourcesCrossAttentionCache) {
    const auto model = testing::toyModel(testing::toyConfig("difformer"));
    auto& net = dynamic_cast<DifformerNetImpl&>(model->module());
    const torch::NoGradGuard noGrad;
    const at::Tensor ids = at::arange(5, 17).view({2, 6}).to(at::kLong);
    const std::vector<std::int32_t> sources{6, 6}, four(4, 5);
    const at::Tensor words = at::arange(4 * 5 * 16).view({4, 5, 16}).to(at::kFloat).cos();
    const at::Tensor time = net.timeEmbedding(std::vector<double>{3});
    const EncoderOutput both = net.encode(ids, sources, {});
    const at::Tensor folded =
        net.denoise({words, {}, time}, net.precomputeCrossAttention(both, sources), *net.layout(four, 5), {})
            .words;
    const EncoderOutput repeated{both.states.repeat_interleave(2, 0), {}};
    const std::vector<std::int32_t> copies(4, 6);
    const at::Tensor plain = net.denoise({words, {}, time}, net.precomputeCrossAttention(repeated, copies),
                                         *net.layout(four, 5), {})
                                 .words;
    EXPECT_TRUE(at::allclose(folded, plain, 1e-5, 1e-6));
}

TEST(DifformerNetwork, ZeroPreviousEstimateEqualsNone) {
    const auto model = testing::toyModel(testing::toyConfig("difformer"));
    auto& net = dynamic_cast<DifformerNetImpl&>(model->module());
    const torch::NoGradGuard noGrad;
    const at::Tensor ids = at::arange(5, 11).view({1, 6}).to(at::kLong), words = at::ones({1, 4, 16});
    const std::vector<std::int32_t> source{6}, target{4};
    const CrossAttentionCache crossCache = net.precomputeCrossAttention(net.encode(ids, source, {}), source);
    const at::Tensor time = net.timeEmbedding(std::vector<double>{3});
    const at::Tensor none = net.denoise({words, {}, time}, crossCache, *net.layout(target, 4), {}).words;
    const at::Tensor zero =
        net.denoise({words, at::zeros_like(words), time}, crossCache, *net.layout(target, 4), {}).words;
    EXPECT_TRUE(at::allclose(none, zero, 1e-5, 1e-6));
}

TEST(DifformerProcess, ForwardFactorsAreTheOracles) {
    const auto config = RunConfig::parse("family = \"difformer\"\n", "d.toml", schemaLookup());
    const diffusion::GaussianProcess process = processOf(*config);
    // z_0 = 0.5, eps = -1.25, F = 4
    const auto forward = [&](int i) {
        const auto noising = process.at((i + 0.5) / 2000);
        EXPECT_EQ(noising.t, i);
        return noising.signal * 0.5 + noising.noise * -1.25;
    };
    EXPECT_NEAR(forward(0), -0.1086802406, 1e-6);
    EXPECT_NEAR(forward(999), -3.9239614650, 1e-6);
    EXPECT_NEAR(forward(1999), -4.9997747504, 1e-6);
    EXPECT_DOUBLE_EQ(process.at(0.5).modelTime, 500);
    const auto steps = process.reverseSteps(20, 5);
    EXPECT_EQ(steps.size(), 15u);
    EXPECT_EQ(steps.front().t, 1999);
    EXPECT_EQ(steps.back().t, 526);
}

TEST(DifformerProcess, AnotherScheduleKeepsItsLevelsWithTheTimesOfTraining) {
    const auto config = RunConfig::parse("family = \"difformer\"\n", "d.toml", schemaLookup());
    const diffusion::GaussianProcess process = processOf(*config);
    const std::shared_ptr<const schedule::NoiseSchedule> cosine =
        std::move(*schedule::makeSchedule("cosine"));
    const auto own = process.reverseSteps(20), other = process.reverseSteps(20, 0, {cosine});
    const auto alone = schedule::respace(*cosine, 20);
    ASSERT_EQ(other.size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(other[i].alphaBar, alone[19 - i].alphaBar);
        EXPECT_EQ(other[i].sigma, alone[19 - i].sigma);
    }
    // The trained schedule itself changes nothing.
    const std::shared_ptr<const schedule::NoiseSchedule> same = std::move(*schedule::makeSchedule("sqrt"));
    const auto again = process.reverseSteps(20, 0, {same});
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(again[i].t, own[i].t);
        EXPECT_NEAR(again[i].modelTime, own[i].modelTime, 1e-9);
        EXPECT_EQ(again[i].c1, own[i].c1);
    }
    // Even in log-SNR: every step falls alike but for the rounding to training steps.
    const auto even = process.reverseSteps(10, 0, {nullptr, schedule::Spacing::LogSnr});
    EXPECT_NEAR(even[4].logSnr - even[3].logSnr, even[5].logSnr - even[4].logSnr, 0.1);
}

}  // namespace
}  // namespace kurve::models::difformer
