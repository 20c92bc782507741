#include "core/tensor/ops/energy_loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

#include "core/base/check.h"
#include "tests/support/json_tensors.h"

namespace kurve::tensor {
namespace {

using nlohmann::json;
using testing::goldenFile;
using testing::tensorOf;

const RowStream kNoise{StreamId(3, "test.energy", 5), 40};

const json& golden() {
    static const json all = goldenFile("oracles/calm_energy.json");
    return all;
}

/// x [P, N, l] of standard normals.
at::Tensor normalSamples(std::int64_t positions, std::int64_t count, std::int64_t width) {
    return normalRows({positions, count, width}, {StreamId(3, "test.samples", 1), 0}, at::kCPU);
}

/// The targets that energyLoss() draws.
at::Tensor drawnTargets(const EnergyTargets& targets) {
    const std::int64_t positions = targets.mean.size(0), width = targets.mean.size(1);
    const at::Tensor noise = normalRows({positions * targets.samples, width}, targets.stream, at::kCPU);
    return targets.mean.unsqueeze(1) +
           targets.logStd.exp().unsqueeze(1) * noise.view({positions, targets.samples, width});
}

/// Eq. 9-10 in ATen, for samples that do not coincide.
at::Tensor composedEnergy(const at::Tensor& x, const at::Tensor& y, double alpha) {
    const auto norms = [alpha](const at::Tensor& square) { return square.sum(-1).pow(alpha / 2); };
    const std::int64_t n = x.size(1);
    const at::Tensor own =
        (x.unsqueeze(1) - x.unsqueeze(2)).square() + 1e-40;  // keeps the diagonal's gradient finite
    return norms((x.unsqueeze(2) - y.unsqueeze(1)).square()).flatten(1).mean(1) * 2 -
           norms(own).flatten(1).sum(1) / static_cast<double>(n * (n - 1));
}

TEST(EnergyLossOp, EqualsThePaperOnSmallSamples) {
    const json& samples = golden().at("samples");
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const double tolerance = type == at::kDouble ? 1e-12 : 1e-5;
        const at::Tensor x = tensorOf(samples.at("x")).unsqueeze(0).to(type),
                         y = tensorOf(samples.at("y")).unsqueeze(0).to(type);
        for (const json& one : samples.at("cases")) {
            const EnergyLoss got = energyLoss(x, y, one.at("alpha"));
            EXPECT_NEAR(got.loss.item<double>(), one.at("loss"), tolerance);
            EXPECT_NEAR(got.fidelity.item<double>(), one.at("fidelity"), tolerance);
            EXPECT_NEAR(got.diversity.item<double>(), one.at("diversity"), tolerance);
        }
    }
}

TEST(EnergyLossOp, EqualsThePaperOnSamplesOfTheHead) {
    const json& head = golden().at("head");
    for (const json& one : head.at("cases")) {
        const at::Tensor loss =
            energyLoss(tensorOf(head.at("x")), tensorOf(head.at("y")), one.at("alpha")).loss;
        EXPECT_LT(testing::difference(loss, tensorOf(one.at("loss"))), 1e-12);
    }
}

TEST(EnergyLossOp, DrawsTheTargetsOfAPositionByItsNumber) {
    constexpr std::int64_t kTargets = 5;
    const at::Tensor x = at::randn({2, 3, 7}), mean = at::randn({2, 7}), logStd = at::randn({2, 7});
    const StreamId id(3, "test.energy", 1);
    const EnergyLoss both =
        energyLoss(x, {mean, logStd, kTargets, {id, 0}, at::tensor(std::vector<std::int64_t>{9, 4})});
    for (const auto& [position, number] : {std::pair(0, 9), std::pair(1, 4)}) {
        const EnergyLoss alone =
            energyLoss(x.narrow(0, position, 1), {mean.narrow(0, position, 1),
                                                  logStd.narrow(0, position, 1),
                                                  kTargets,
                                                  {id, static_cast<std::uint64_t>(number * kTargets)}});
        EXPECT_TRUE(at::equal(both.loss.narrow(0, position, 1), alone.loss));
    }
}

/// The mean over positions lies within four standard errors of what is expected, and those errors are small.
void expectLevel(const at::Tensor& values, double expected) {
    const double error = values.std().item<double>() / std::sqrt(static_cast<double>(values.size(0)));
    EXPECT_NEAR(values.mean().item<double>(), expected, 4 * error + 1e-6 * std::abs(expected));
    EXPECT_LT(error, 0.03 * std::abs(expected));
}

TEST(EnergyLossOp, HasTheExpectedLevelsBetweenGaussians) {
    constexpr std::int64_t kPositions = 2000;
    for (const json& one : golden().at("gaussians")) {
        SCOPED_TRACE(one.dump());
        const std::int64_t width = one.at("width");
        const at::Tensor x = normalSamples(kPositions, 8, width) * one.at("model").get<double>();
        const double shift = std::sqrt(one.at("square").get<double>() / static_cast<double>(width));
        const at::Tensor mean = at::full({kPositions, width}, shift);
        const at::Tensor logStd = at::full({kPositions, width}, std::log(one.at("target").get<double>()));
        const EnergyLoss got = energyLoss(x, {mean, logStd, 8, kNoise}, one.at("alpha"));
        expectLevel(got.loss, one.at("loss"));
        expectLevel(got.fidelity, one.at("fidelity"));
        expectLevel(got.diversity, one.at("diversity"));
    }
}

TEST(EnergyLossOp, HasTheExpectedLevelsAgainstAPoint) {
    for (const json& one : golden().at("points")) {
        SCOPED_TRACE(one.dump());
        const at::Tensor x =
            normalSamples(4000, 8, 1) * one.at("sigma").get<double>() + one.at("mu").get<double>();
        const at::Tensor mean = at::full({4000, 1}, one.at("y").get<double>());
        const at::Tensor noNoise = at::full({4000, 1}, -std::numeric_limits<double>::infinity());
        expectLevel(energyLoss(x, {mean, noNoise, 1, kNoise}).loss, -one.at("score").get<double>());
    }
}

TEST(EnergyLossOp, HasTheLevelsThatTrainingLogs) {
    const json& levels = golden().at("levels");
    const at::Tensor mean = at::ones({1000, 128}), logStd = at::full({1000, 128}, std::log(0.3));
    const auto loss = [&](const at::Tensor& x) { return energyLoss(x, {mean, logStd, 16, kNoise}).loss; };
    expectLevel(loss(1 + 0.3 * normalSamples(1000, 8, 128)), levels.at("perfect"));
    expectLevel(loss(at::ones({1000, 8, 128})), levels.at("collapsed"));
    expectLevel(loss(at::zeros({1000, 8, 128})), levels.at("zero"));
}

TEST(EnergyLossOp, GradientIsThatOfTheComposition) {
    const at::Tensor weight = at::tensor({1.0, -2.0, 0.5}, at::kDouble);
    for (const double alpha : {0.75, 1.0, 1.5, 2.0}) {
        const at::Tensor x = normalSamples(3, 4, 7).to(at::kDouble).requires_grad_(),
                         y = at::randn({3, 5, 7}, at::kDouble);
        const at::Tensor loss = energyLoss(x, y, alpha).loss, composed = composedEnergy(x, y, alpha);
        EXPECT_TRUE(at::allclose(loss, composed, 1e-10));
        const at::Tensor got = torch::autograd::grad({(loss * weight).sum()}, {x})[0],
                         expected = torch::autograd::grad({(composed * weight).sum()}, {x})[0];
        EXPECT_TRUE(at::allclose(got, expected, 1e-9, 1e-12)) << alpha;
    }
}

TEST(EnergyLossOp, DrawsItsTargetsFromTheRowsOfTheStream) {
    const at::Tensor x = normalSamples(3, 8, 65).requires_grad_();
    const EnergyTargets plain{at::zeros({3, 65}), at::zeros({3, 65}), 40, kNoise};
    EXPECT_TRUE(at::equal(energyLoss(x, plain).loss, energyLoss(x, drawnTargets(plain)).loss));
    const EnergyTargets targets{at::randn({3, 65}), at::randn({3, 65}), 40, kNoise};
    const at::Tensor loss = energyLoss(x, targets, 1.5).loss,
                     given = energyLoss(x, drawnTargets(targets), 1.5).loss;
    EXPECT_TRUE(at::allclose(loss, given, 1e-6));
    EXPECT_TRUE(at::allclose(torch::autograd::grad({loss.sum()}, {x})[0],
                             torch::autograd::grad({given.sum()}, {x})[0], 1e-5, 1e-6));
    const EnergyTargets exact{targets.mean.to(at::kDouble), targets.logStd.to(at::kDouble), 40, kNoise};
    EXPECT_TRUE(at::allclose(energyLoss(x.to(at::kDouble), exact, 1.5).loss, loss.to(at::kDouble), 1e-6));
}

TEST(EnergyLossOp, IsEqualAtAnyThreadCountAndSplit) {
    const at::Tensor x = normalSamples(24, 8, 64).requires_grad_(), mean = at::randn({24, 64}),
                     logStd = at::full({24, 64}, -1.0);
    const auto run = [&](std::int64_t first, std::int64_t count) {
        const RowStream stream{kNoise.id, kNoise.firstRow + static_cast<std::uint64_t>(first) * 100};
        const at::Tensor part = x.narrow(0, first, count),
                         loss = energyLoss(part, {mean.narrow(0, first, count),
                                                  logStd.narrow(0, first, count), 100, stream})
                                    .loss;
        return std::pair(loss.detach(), torch::autograd::grad({loss.sum()}, {x})[0].narrow(0, first, count));
    };
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const auto one = run(0, 24);
    at::set_num_threads(2);
    const auto two = run(0, 24), upper = run(10, 14);
    at::set_num_threads(before);
    EXPECT_TRUE(at::equal(one.first, two.first) && at::equal(one.second, two.second));
    EXPECT_TRUE(at::equal(one.first.narrow(0, 10, 14), upper.first));
    EXPECT_TRUE(at::equal(one.second.narrow(0, 10, 14), upper.second));
}

TEST(EnergyLossOp, StartsFromEqualSamples) {
    for (const double alpha : {0.75, 1.0, 1.5, 2.0}) {
        const at::Tensor x = at::zeros({4, 8, 32}).requires_grad_();
        const EnergyLoss got = energyLoss(x, {at::randn({4, 32}), at::zeros({4, 32}), 10, kNoise}, alpha);
        got.loss.mean().backward();
        EXPECT_EQ(got.diversity.abs().max().item<float>(), 0);
        EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
        EXPECT_GT(x.grad().abs().max().item<float>(), 0);
    }
}

TEST(EnergyLossOp, OnlyTheLossHasAGradientAndOnlyByTheSamples) {
    const at::Tensor x = normalSamples(2, 4, 8).requires_grad_();
    const EnergyTargets targets{torch::zeros({2, 8}, torch::requires_grad()),
                                torch::zeros({2, 8}, torch::requires_grad()), 5, kNoise};
    const EnergyLoss got = energyLoss(x, targets);
    EXPECT_FALSE(got.fidelity.requires_grad() || got.diversity.requires_grad());
    got.loss.sum().backward();
    EXPECT_FALSE(targets.mean.grad().defined() || targets.logStd.grad().defined());
    const EnergyLoss plain = energyLoss(x.detach(), targets);
    EXPECT_FALSE(plain.loss.requires_grad());
    EXPECT_TRUE(at::equal(plain.loss, got.loss));
    EXPECT_EQ(energyLoss(x.to(at::kMeta), targets.mean.to(at::kMeta).unsqueeze(1)).loss.sizes(),
              got.loss.sizes());
}

TEST(EnergyLossOp, RefusesWhatItCannotCompute) {
    const at::Tensor x = at::zeros({2, 4, 8}), y = at::zeros({2, 3, 8});
    EXPECT_THROW((void)energyLoss(x.narrow(1, 0, 1), y), ContractError);
    EXPECT_THROW((void)energyLoss(x, y.narrow(1, 0, 0)), ContractError);
    EXPECT_THROW((void)energyLoss(x, y.narrow(2, 0, 7)), ContractError);
    EXPECT_THROW((void)energyLoss(x, y.to(at::kDouble)), ContractError);
    EXPECT_THROW((void)energyLoss(x.to(at::kHalf), y.to(at::kHalf)), ContractError);
    EXPECT_THROW((void)energyLoss(x, y, 0), ContractError);
    EXPECT_THROW((void)energyLoss(x, y, 2.5), ContractError);
}

}  // namespace
}  // namespace kurve::tensor
