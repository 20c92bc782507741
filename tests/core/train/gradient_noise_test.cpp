#include "core/train/gradient_noise.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/tensor/random.h"
#include "tests/core/train/echo_family.h"

namespace kurve::train {
namespace {

using nlohmann::json;

// The level is drawn between 0 and 2; the loss w . (3, 4) * (1 or 2) has the gradient norm 5 below level 1
// and 10 above it.
class SteepModel final : public SequenceModel {
public:
    explicit SteepModel(bool noisy) : noisy_(noisy) {
        module_->register_parameter("w", torch::zeros({2}));
        module_->eval();
    }
    torch::nn::Module& module() override { return *module_; }
    LossReport loss(const DeviceBatch& batch, const StepRandom& random) override {
        EXPECT_EQ(batch.rows, 1);
        EXPECT_TRUE(module_->is_training());
        ++calls;
        const float level = 2 * tensor::uniformAt(random.stream("level"), random.row);
        LossReport report;
        report.total = (module_->parameters()[0] * torch::tensor({3.0F, 4.0F})).sum() * (level < 1 ? 1 : 2);
        if (noisy_) report.logSnr = torch::full({1}, level);
        return report;
    }
    Result<Generation> generate(const GenerateRequest& /*request*/, const RunConfig& /*sampler*/,
                                trace::TraceSink* /*maybeTrace*/) override {
        return Generation();
    }
    int calls = 0;

private:
    std::shared_ptr<torch::nn::Module> module_ = std::make_shared<torch::nn::Module>();
    bool noisy_;
};

TEST(GradientNoise, IsTheRootMeanSquareByLevel) {
    SteepModel model(true);
    NoiseHistogram histogram;
    const auto split = testing::echoSplit(20);
    measureGradients(model, *split, {40, 1, 7, c10::kCPU}, histogram);
    EXPECT_EQ(model.calls, 40);
    EXPECT_FALSE(model.module().is_training()) << "as it was";
    EXPECT_FALSE(model.module().parameters()[0].grad().defined());
    const json bins = histogram.take();
    EXPECT_FLOAT_EQ(bins["gradient"][16], 5) << bins.dump();  // log-SNR 0 to 1
    EXPECT_FLOAT_EQ(bins["gradient"][17], 10);
    EXPECT_TRUE(bins["gradient"][15].is_null());
    EXPECT_DOUBLE_EQ(bins["gradient_rows"][16].get<double>() + bins["gradient_rows"][17].get<double>(), 40);
    EXPECT_NEAR(histogram.take()["gradient_rows"][16], 0.7 * bins["gradient_rows"][16].get<double>(), 1e-12);
}

TEST(GradientNoise, LeavesAFamilyWithoutNoiseLevelsAlone) {
    SteepModel model(false);
    NoiseHistogram histogram;
    measureGradients(model, *testing::echoSplit(20), {40, 1, 7, c10::kCPU}, histogram);
    EXPECT_EQ(model.calls, 1);
    EXPECT_FALSE(histogram.take().contains("gradient"));
}

TEST(NoiseHistogram, MixesSquaresNotNorms) {
    NoiseHistogram histogram;
    histogram.addGradient(0.5, 9);
    histogram.addGradient(0.5, 25);
    histogram.addGradient(NAN, 1);
    histogram.addGradient(0.5, INFINITY);
    EXPECT_DOUBLE_EQ(histogram.take()["gradient"][16], std::sqrt(17.0));
}

}  // namespace
}  // namespace kurve::train
