// The order of DiffuSIA's layers, its sizes and what its networks see of each other.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fmt/format.h>

#include "models/diffusia/diffusia_net.h"

namespace kurve::models::diffusia {
namespace {

/// "C0(c0,x0)": encoder layer 0 from c^0 and x^0; "D1(x1,c2)": decoder layer 1 from x^1 and c^2.
std::string shown(NetworkKind kind, std::size_t encoderLayers, std::size_t decoderLayers) {
    std::string all;
    for (const LayerCall& call : layerOrder(kind, encoderLayers, decoderLayers))
        all += fmt::format("{}{}{}({}{},{}{})", all.empty() ? "" : " ", call.decoder ? 'D' : 'C', call.layer,
                           call.decoder ? 'x' : 'c', call.layer, call.decoder ? 'c' : 'x', call.reads);
    return all;
}

TEST(DiffusiaNet, LayersTakeTurns) {
    EXPECT_EQ(shown(NetworkKind::Diffusia, 6, 6),
              "C0(c0,x0) D0(x0,c1) C1(c1,x1) D1(x1,c2) C2(c2,x2) D2(x2,c3) C3(c3,x3) D3(x3,c4) C4(c4,x4) "
              "D4(x4,c5) C5(c5,x5) D5(x5,c6)");
    EXPECT_EQ(shown(NetworkKind::Diffusia, 4, 8),
              "C0(c0,x0) D0(x0,c1) C1(c1,x1) D1(x1,c2) C2(c2,x2) D2(x2,c3) C3(c3,x3) D3(x3,c4) D4(x4,c4) "
              "D5(x5,c4) D6(x6,c4) D7(x7,c4)");
    EXPECT_EQ(shown(NetworkKind::Diffusia, 8, 4),
              "C0(c0,x0) C1(c1,x0) C2(c2,x0) C3(c3,x0) C4(c4,x0) D0(x0,c5) C5(c5,x1) D1(x1,c6) C6(c6,x2) "
              "D2(x2,c7) C7(c7,x3) D3(x3,c8)");
    EXPECT_EQ(shown(NetworkKind::WithoutSi, 6, 6),
              "C0(c0,x0) C1(c1,x0) C2(c2,x0) C3(c3,x0) C4(c4,x0) C5(c5,x0) D0(x0,c6) D1(x1,c6) D2(x2,c6) "
              "D3(x3,c6) D4(x4,c6) D5(x5,c6)");
}

struct Counts {
    std::int64_t layers = 0, other = 0;
};

/// At the paper's size, without the vocabularies of 10 words.
Counts countsOf(NetworkKind kind, std::int64_t encoderLayers, std::int64_t decoderLayers) {
    NetSizes sizes{.kind = kind,
                   .sourceVocabulary = 10,
                   .targetVocabulary = 10,
                   .hidden = 768,
                   .latent = 128,
                   .heads = 12,
                   .ffn = 3072,
                   .encoderLayers = encoderLayers,
                   .decoderLayers = decoderLayers,
                   .conditionLength = 512,
                   .targetLength = 32};
    DiffusiaNet net(sizes);
    Counts counts;
    for (const auto& item : net->named_parameters())
        (item.key().find("coder_layer_") != std::string::npos ? counts.layers : counts.other) +=
            item.value().numel();
    return counts;
}

TEST(DiffusiaNet, HasThePublishedNumberOfParameters) {
    // BERT's layers have 7,087,872 parameters, with cross-attention 9,451,776.
    const Counts spiral = countsOf(NetworkKind::Diffusia, 6, 6);
    EXPECT_EQ(spiral.layers, 113421312);
    EXPECT_EQ(countsOf(NetworkKind::WithoutSi, 6, 6).layers, 113421312);
    EXPECT_EQ(countsOf(NetworkKind::Diffused, 6, 6).layers, 99237888);
    EXPECT_EQ(countsOf(NetworkKind::Diffuseq, 12, 0).layers, 85054464);
    // Both projections, the time's, the mix, tables of 10 words and of the positions, two norms.
    EXPECT_EQ(spiral.other,
              689664 + 689024 + 460032 + 32896 + 10 * (768 + 128 + 1) + (512 + 32) * 768 + 4 * 768);
}

/// The condition's last states for x_t and for x_t moved at one position.
std::pair<at::Tensor, at::Tensor> conditionStates(NetworkKind kind) {
    const torch::NoGradGuard noGrad;
    torch::manual_seed(1);
    NetSizes sizes{.kind = kind,
                   .sourceVocabulary = 10,
                   .targetVocabulary = 10,
                   .hidden = 16,
                   .latent = 6,
                   .heads = 2,
                   .ffn = 24,
                   .encoderLayers = 2,
                   .decoderLayers = 2,
                   .conditionLength = 5,
                   .targetLength = 4};
    DiffusiaNet net(sizes);
    for (auto& parameter : net->parameters()) parameter.normal_();
    const std::vector<std::int32_t> lengths{4};
    const Condition condition = net->encode(at::tensor({1, 4, 7, 2}).view({1, 4}), lengths, {});
    const TokenLayout layout(std::span<const std::int32_t>(lengths), 4, at::kCPU);
    const at::Tensor x = at::randn({1, 4, 6}), moved = x.clone();
    moved[0][1].add_(1.0);
    std::pair<at::Tensor, at::Tensor> both;
    for (at::Tensor* states : {&both.first, &both.second}) {
        StateCapture capture{true, false, {}};
        ForwardPass pass;
        pass.maybeCapture = &capture;
        (void)net->denoise({states == &both.first ? x : moved, {}, net->timeEmbedding(at::full({1}, 500.0F))},
                           condition, layout, pass);
        *states = capture.tensors.at("condition/2");
    }
    return both;
}

TEST(DiffusiaNet, OnlySpiralConditionsSeeTheTarget) {
    for (const NetworkKind kind : {NetworkKind::Diffusia, NetworkKind::WithoutSi}) {
        const auto [before, after] = conditionStates(kind);
        EXPECT_GT((before - after).abs().max().item<float>(), 1e-4);
    }
    const auto [before, after] = conditionStates(NetworkKind::Diffused);
    EXPECT_TRUE(at::equal(before, after));
}

}  // namespace
}  // namespace kurve::models::diffusia
