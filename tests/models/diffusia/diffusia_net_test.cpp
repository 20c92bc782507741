// The order of DiffuSIA's layers, its sizes and what its networks see of each other.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "models/common/padding.h"
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

/// A small network of random weights with what two passes captured, of x_t and of x_t moved at one position.
/// Row 0 has two candidates of a source of 4 tokens, padded to 5, and targets of 4 and of 3 words.
struct SmallNet {
    using Captured = std::map<std::string, at::Tensor>;
    explicit SmallNet(NetworkKind kind, std::int64_t encoderLayers = 2, std::int64_t decoderLayers = 2)
        : net(NetSizes{.kind = kind,
                       .sourceVocabulary = 10,
                       .targetVocabulary = 10,
                       .hidden = 16,
                       .latent = 6,
                       .heads = 2,
                       .ffn = 24,
                       .encoderLayers = encoderLayers,
                       .decoderLayers = kind == NetworkKind::Diffuseq ? 0 : decoderLayers,
                       .conditionLength = 5,
                       .targetLength = 4}) {
        const torch::NoGradGuard noGrad;
        torch::manual_seed(1);
        for (auto& parameter : net->parameters()) parameter.normal_(0, 0.5);
        x = at::randn({2, 4, 6});
        captured = run(x);
        at::Tensor moved = x.clone();
        moved[0][1].add_(1.0);
        ofMoved = run(moved);
    }
    Captured run(const at::Tensor& noisy) {
        const torch::NoGradGuard noGrad;
        const std::vector<std::int32_t> source{4}, target{4, 3};
        StateCapture capture{true, true, {}};
        ForwardPass pass;
        pass.maybeCapture = &capture;
        const Condition condition =
            net->repeated(net->encode(at::tensor({1, 4, 7, 2, 0}).view({1, 5}), source, {}), 2);
        const TokenLayout layout(std::span<const std::int32_t>(target), 4, at::kCPU);
        (void)net->denoise({noisy, {}, net->timeEmbedding(at::full({1}, 500.0F))}, condition, layout, pass);
        return capture.tensors;
    }
    [[nodiscard]] double change(const std::string& name) const {
        return (captured.at(name)[0] - ofMoved.at(name)[0]).abs().max().item<double>();
    }

    DiffusiaNet net;
    at::Tensor x;
    Captured captured, ofMoved;
};

TEST(DiffusiaNet, OnlySpiralConditionsSeeTheTarget) {
    for (const NetworkKind kind : {NetworkKind::Diffusia, NetworkKind::WithoutSi})
        EXPECT_GT(SmallNet(kind).change("condition/2"), 1e-4);
    EXPECT_EQ(SmallNet(NetworkKind::Diffused).change("condition/2"), 0);
}

/// softmax(Q K^T / sqrt(width)) by loops, of queries [L, H] to keys [S, H] of which the first `real` count.
at::Tensor attentionByHand(const at::Tensor& queries, const at::Tensor& keys, std::int64_t real) {
    constexpr std::int64_t kHeads = 2;
    const std::int64_t width = queries.size(1) / kHeads;
    at::Tensor weights = at::zeros({kHeads, queries.size(0), keys.size(0)});
    for (std::int64_t h = 0; h < kHeads; ++h)
        for (std::int64_t i = 0; i < queries.size(0); ++i) {
            double sum = 0;
            for (std::int64_t j = 0; j < real; ++j) {
                double score = 0;
                for (std::int64_t d = h * width; d < (h + 1) * width; ++d)
                    score += queries[i][d].item<double>() * keys[j][d].item<double>();
                weights[h][i][j] = std::exp(score / std::sqrt(static_cast<double>(width)));
                sum += weights[h][i][j].item<double>();
            }
            weights[h][i].div_(sum);
        }
    return weights;
}

/// Of the cross-attention of `layer`, whose own states before it are `own` and those that it reads `read`.
at::Tensor crossAttentionByHand(DiffusiaNetImpl& net, const std::string& layer, const at::Tensor& own,
                                const at::Tensor& read, std::array<std::int64_t, 2> real) {
    const torch::NoGradGuard noGrad;
    auto* of = net.named_modules()[layer]->as<DecoderLayerImpl>();
    const std::vector<std::int32_t> lengths{static_cast<std::int32_t>(real[0])};
    const at::Tensor x = own.unsqueeze(0), mask = attentionMask(lengths, own.size(0), at::kCPU);
    const at::Tensor inner = of->attentionNorm(x + of->attention(x, mask, ForwardPass{}, ""))[0];
    const at::Tensor &map = of->cross->keyValue->weight, &bias = of->cross->keyValue->bias;
    return attentionByHand(of->cross->query(inner),
                           at::linear(read, map.narrow(0, 0, 16), bias.narrow(0, 0, 16)), real[1]);
}

TEST(DiffusiaNet, CrossAttentionIsThatOfTheStatesItReads) {
    SmallNet spiral(NetworkKind::Diffusia);
    const auto state = [&](const char* name, int row) { return spiral.captured.at(name)[row]; };
    for (const int row : {0, 1}) {
        const std::int64_t words = row == 0 ? 4 : 3;
        // D1 reads c^2 with x^1, the output of D0; C1 reads x^1 with c^1.
        EXPECT_TRUE(at::allclose(state("cross_attention/1", row),
                                 crossAttentionByHand(*spiral.net, "decoder_layer_1", state("hidden/0", row),
                                                      state("condition/2", row), {words, 4}),
                                 1e-4, 1e-5));
        EXPECT_TRUE(
            at::allclose(state("condition_cross_attention/1", row),
                         crossAttentionByHand(*spiral.net, "encoder_layer_1", state("condition/1", row),
                                              state("hidden/0", row), {4, words}),
                         1e-4, 1e-5));
    }
    // DiffuED's candidates share the source's keys.
    SmallNet plain(NetworkKind::Diffused);
    for (const int row : {0, 1})
        EXPECT_TRUE(at::allclose(
            plain.captured.at("cross_attention/1")[row],
            crossAttentionByHand(*plain.net, "decoder_layer_1", plain.captured.at("hidden/0")[row],
                                 plain.captured.at("condition/2")[row], {row == 0 ? 4 : 3, 4}),
            1e-4, 1e-5));
}

TEST(DiffusiaNet, CrossAttentionGoesToRealPositionsOfTheOtherSide) {
    for (const NetworkKind kind : {NetworkKind::Diffusia, NetworkKind::WithoutSi, NetworkKind::Diffuseq}) {
        const SmallNet small(kind);
        for (const char* layer : {"0", "1"}) {
            const at::Tensor toSource = small.captured.at(std::string("cross_attention/") + layer),
                             toTarget = small.captured.at(std::string("condition_cross_attention/") + layer);
            EXPECT_EQ(toSource.sizes(), (std::vector<std::int64_t>{2, 2, 4, 5}));
            EXPECT_EQ(toTarget.sizes(), (std::vector<std::int64_t>{2, 2, 5, 4}));
            EXPECT_EQ(toSource.select(3, 4).abs().max().item<float>(), 0) << "padding of the source";
            EXPECT_EQ(toTarget[1].select(2, 3).abs().max().item<float>(), 0) << "beyond the target";
            at::Tensor sums = toSource.sum(3);  // of one tower: over both sides
            if (kind == NetworkKind::Diffuseq)
                sums = sums + small.captured.at(std::string("attention/") + layer).sum(3);
            EXPECT_TRUE(at::allclose(sums, at::ones_like(sums)));
        }
        EXPECT_GT(small.change("condition_cross_attention/0"), 1e-3);
    }
    EXPECT_FALSE(SmallNet(NetworkKind::Diffused).captured.contains("condition_cross_attention/0"));
}

using Layer = std::pair<bool, std::int64_t>;  // of the target or not, number

std::vector<LayerRead> readsOf(const SmallNet& small) {
    const at::Tensor rows = small.captured.at("layer_reads");
    std::vector<LayerRead> reads;
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
        const auto at = [&](int column) { return rows[i][column].item<std::int64_t>(); };
        reads.push_back({at(0) == 1, at(1), at(2), at(3)});
    }
    return reads;
}

/// The layers whose outputs other outputs of `noisy` change, by what was recorded.
std::set<Layer> reached(const std::vector<LayerRead>& reads, std::set<Layer> noisy) {
    for (const LayerRead& read : reads)
        if (noisy.contains({read.target, read.own - 1}) || noisy.contains({!read.target, read.other - 1}))
            noisy.emplace(read.target, read.layer);
    return noisy;
}

/// The same, seen: the bias of a layer's last norm adds noise to its output.
std::set<Layer> changed(SmallNet& small, const std::string& module) {
    const torch::NoGradGuard noGrad;
    at::Tensor bias = small.net->named_parameters()[module + ".ffn_norm.bias"];
    const at::Tensor before = bias.clone();
    bias.add_(at::randn_like(bias));
    const auto now = small.run(small.x);
    bias.copy_(before);
    std::set<Layer> layers;
    for (const LayerRead& read : readsOf(small)) {
        const std::string state = read.target ? "hidden/" + std::to_string(read.layer)
                                              : "condition/" + std::to_string(read.layer + 1);
        if (!at::equal(now.at(state), small.captured.at(state))) layers.emplace(read.target, read.layer);
    }
    return layers;
}

TEST(DiffusiaNet, RecordsWhatItsLayersRead) {
    using enum NetworkKind;
    for (const NetworkKind kind : {Diffused, Diffusia, WithoutSi, Diffuseq})
        for (const auto& [encoder, decoder] : {std::pair{2, 2}, {1, 3}, {3, 1}}) {
            SmallNet small(kind, encoder, decoder);
            const std::vector<LayerRead> reads = readsOf(small);
            ASSERT_EQ(std::ssize(reads), kind == Diffuseq ? 2 * encoder : encoder + decoder);
            for (const LayerRead& read : reads) {
                const std::string number = std::to_string(read.layer);
                std::set<Layer> noisy{{read.target, read.layer}};
                if (kind == Diffuseq) noisy.emplace(!read.target, read.layer);  // one tower
                const bool ofDecoder = read.target && kind != Diffuseq;
                EXPECT_EQ(reached(reads, noisy),
                          changed(small, (ofDecoder ? "decoder_layer_" : "encoder_layer_") + number))
                    << static_cast<int>(kind) << ": " << encoder << " + " << decoder << ", " << number;
            }
        }
    EXPECT_EQ(readsOf(SmallNet(Diffusia, 1, 3)),
              (std::vector<LayerRead>{{false, 0, 0, 0}, {true, 0, 0, 1}, {true, 1, 1, 1}, {true, 2, 2, 1}}));
    EXPECT_EQ(readsOf(SmallNet(Diffused, 1, 1)),
              (std::vector<LayerRead>{{false, 0, 0, -1}, {true, 0, 0, 1}}));
}

}  // namespace
}  // namespace kurve::models::diffusia
