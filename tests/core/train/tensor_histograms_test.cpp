#include "core/train/tensor_histograms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace kurve::train {
namespace {

struct TwoLayersImpl : torch::nn::Module {
    TwoLayersImpl() {
        embedding = register_module("embedding", torch::nn::Linear(5, 7));
        layers = register_module("layers",
                                 torch::nn::ModuleList(torch::nn::Linear(3, 5), torch::nn::Linear(5, 2)));
    }
    torch::nn::Linear embedding{nullptr};
    torch::nn::ModuleList layers;
};

TEST(TensorHistograms, GroupsByLayer) {
    EXPECT_EQ(layerGroup("decoder.layers.0.fc1.weight"), "decoder.layers.0");
    EXPECT_EQ(layerGroup("embedding.weight"), "embedding");
    EXPECT_EQ(layerGroup("out"), "out");
}

// Against counting one by one.
TEST(TensorHistograms, CountEveryParameterOnce) {
    torch::manual_seed(3);
    TwoLayersImpl module;
    const FlatParameters flat(module);
    {
        const torch::NoGradGuard noGrad;
        module.embedding->weight.fill_(0);
        module.embedding->bias.fill_(3e-5);
        module.layers[0]->as<torch::nn::Linear>()->bias[1] = 1e30;  // beyond the last edge
        module.layers[1]->as<torch::nn::Linear>()->bias[0] = std::nan("");
    }
    const auto histograms = magnitudeHistograms(flat, flat.values());
    ASSERT_EQ(histograms.size(), 3U);
    for (const auto& [group, bins] : histograms) {
        std::vector<std::int64_t> expected(40, 0);
        std::int64_t all = 0;
        for (const auto& parameter : module.named_parameters()) {
            if (layerGroup(parameter.key()) != group) continue;
            const auto values = parameter.value().detach().reshape({-1}).contiguous();
            for (std::int64_t i = 0; i < values.numel(); ++i, ++all) {
                const double power = std::log10(std::abs(static_cast<double>(values.data_ptr<float>()[i])));
                if (!(power >= -8 && power <= 2)) continue;
                ++expected[static_cast<std::size_t>(std::min(39.0, std::floor((power + 8) * 4)))];
            }
        }
        EXPECT_EQ(bins["weights"].get<std::vector<std::int64_t>>(), expected) << group;
        ASSERT_EQ(bins["edges"].size(), 41U);
        for (std::size_t i = 0; i < 40; ++i)
            EXPECT_DOUBLE_EQ(bins["values"][i].get<double>(),
                             static_cast<double>(expected[i]) / static_cast<double>(all));
    }
}

TEST(TensorHistograms, OfActivationsOnlyRealPositionsCount) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const at::Tensor values = at::full({2, 3, 4}, 0.5f);
    values[0][2].fill_(50.0f);  // padding
    const at::Tensor mask = at::zeros({2, 1, 1, 3});
    mask[0][0][0][2] = -kInf;
    const auto masked = magnitudeHistograms(Activations{{"layer_0", {values, mask}}}).at("layer_0");
    const auto plain = magnitudeHistograms(Activations{{"layer_0", {values, {}}}}).at("layer_0");
    const auto bin = [](double value) { return static_cast<std::size_t>((std::log10(value) + 8) * 4); };
    EXPECT_EQ(masked["weights"][bin(0.5)], 20);
    EXPECT_EQ(masked["values"][bin(0.5)], 1.0);
    EXPECT_EQ(masked["weights"][bin(50)], 0);
    EXPECT_EQ(plain["weights"][bin(50)], 4);
}

}  // namespace
}  // namespace kurve::train
