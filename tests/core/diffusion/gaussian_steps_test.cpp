// Targets, levels, reverse steps and guidance: against tests/golden/diffusion/steps.py, and on normally
// distributed data, whose exact denoiser and marginals are known.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/base/check.h"
#include "core/diffusion/flow_matching.h"
#include "core/diffusion/gaussian_process.h"
#include "core/diffusion/gaussian_target.h"
#include "tests/support/json_tensors.h"

namespace kurve::diffusion {
namespace {

using kurve::testing::difference, kurve::testing::tensorOf;
using nlohmann::json;
using sampling::GaussianStep, sampling::NoiseLevel;

constexpr double kBound = 1e-12;
constexpr std::array kTargets{Target::X0, Target::Epsilon, Target::V, Target::Velocity};

const json& golden(const char* part) {
    static const json all = kurve::testing::goldenFile("diffusion/steps.json");
    return all.at(part);
}

/// The levels of a chain from the noisiest one to the data.
std::vector<NoiseLevel> descendingLevels(const json& part) {
    std::vector<NoiseLevel> levels{{1, 0}};
    for (const double alphaBar : part.at("alpha_bar")) levels.push_back(NoiseLevel::ofAlphaBar(alphaBar));
    return {levels.rbegin(), levels.rend()};
}

LevelTensors tensors(const NoiseLevel& level, const at::Tensor& like) {
    return levelTensors(std::span(&level, 1), like);
}

TEST(GaussianSteps, AncestralStepsOfDdpm) {
    const json& part = golden("ddpm");
    const std::vector<NoiseLevel> levels = descendingLevels(part);
    at::Tensor z = tensorOf(part.at("z"));
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const json& wanted = part.at("steps").at(i);
        const sampling::ReverseVariance variance = sampling::reverseVariance(levels[i], levels[i + 1]);
        EXPECT_NEAR(variance.forward, wanted.at("forward"), kBound);
        EXPECT_NEAR(variance.posterior, wanted.at("posterior"), kBound);
        const Decomposition estimate =
            decompose(Target::X0, tensorOf(wanted.at("x0")), z, tensors(levels[i], z));
        const at::Tensor noise = tensorOf(wanted.at("noise"));
        const auto next = [&](double v) {
            return reverseStep(sampling::ancestralStep(levels[i], levels[i + 1], v), estimate, noise);
        };
        const at::Tensor small = tensorOf(wanted.at("small"));
        EXPECT_LE(difference(next(variance.posterior), small), kBound);
        EXPECT_LE(
            difference(reverseStep(sampling::ddimStep(levels[i], levels[i + 1], 1), estimate, noise), small),
            kBound);
        const bool last = i + 2 == levels.size();
        z = last ? next(0) : next(variance.forward);
        EXPECT_LE(difference(z, tensorOf(wanted.at("z"))), kBound);
        if (last) EXPECT_TRUE(z.equal(estimate.x0));
    }
}

TEST(GaussianSteps, DdimFromPureNoiseWithGuidance) {
    const json& part = golden("ddim");
    const std::vector<NoiseLevel> levels = descendingLevels(part);
    ASSERT_EQ(levels.front().signal, 0);
    at::Tensor z = tensorOf(part.at("z"));
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const json& wanted = part.at("steps").at(i);
        const LevelTensors level = tensors(levels[i], z);
        Decomposition estimate = decompose(Target::X0, tensorOf(wanted.at("conditional")), z, level);
        if (levels[i].signal > 0) {
            const at::Tensor conditional = estimate.epsilon,
                             unconditional =
                                 decompose(Target::X0, tensorOf(wanted.at("unconditional")), z, level)
                                     .epsilon,
                             both = guided(conditional, unconditional, part.at("guidance"));
            estimate =
                decompose(Target::Epsilon, rescaleGuidance(both, conditional, part.at("rescale")), z, level);
        }
        EXPECT_LE(difference(estimate.x0, tensorOf(wanted.at("x0"))), 1e-10);
        GaussianStep step = sampling::ddimStep(levels[i], levels[i + 1], part.at("eta"));
        step.epsilon /= part.at("epsilon_scaling").get<double>();
        z = reverseStep(step, estimate, tensorOf(wanted.at("noise")));
        EXPECT_LE(difference(z, tensorOf(wanted.at("z"))), 1e-10);
    }
}

TEST(GaussianSteps, DpmSolverOfSecondOrder) {
    const json& part = golden("dpm");
    std::vector<NoiseLevel> levels;
    for (const double alphaBar : part.at("alpha_bar")) levels.push_back(NoiseLevel::ofAlphaBar(alphaBar));
    at::Tensor z = tensorOf(part.at("z")), last;
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const at::Tensor x0 = tensorOf(part.at("steps").at(i).at("x0"));
        at::Tensor used = x0;
        if (i > 0)
            used = x0 + (x0 - last) * sampling::multistepWeight(levels[i - 1], levels[i], levels[i + 1]);
        z = reverseStep(sampling::ddimStep(levels[i], levels[i + 1], 0),
                        decompose(Target::X0, used, z, tensors(levels[i], z)), {});
        EXPECT_LE(difference(z, tensorOf(part.at("steps").at(i).at("z"))), kBound);
        last = x0;
    }
}

TEST(GaussianTargets, PredictionsGiveBackTheirParts) {
    torch::manual_seed(3);
    const std::vector<NoiseLevel> levels{{0.8, 0.6}, {0.3, 0.7}, {2, 5}};  // variance kept, flow, neither
    const at::Tensor x0 = torch::randn({3, 2, 4}, at::kDouble),
                     epsilon = torch::randn({3, 2, 4}, at::kDouble);
    const LevelTensors level = levelTensors(levels, x0);
    EXPECT_EQ(level.noise.sizes(), at::IntArrayRef({3, 1, 1}));
    const at::Tensor z = compose({x0, epsilon}, level);
    for (std::int64_t r = 0; r < 3; ++r) {
        const auto& [signal, noise] = levels[static_cast<std::size_t>(r)];
        EXPECT_LE(difference(z[r], signal * x0[r] + noise * epsilon[r]), kBound);
        EXPECT_LE(
            difference(targetOf(Target::V, {x0, epsilon}, level)[r], signal * epsilon[r] - noise * x0[r]),
            kBound);
    }
    EXPECT_TRUE(targetOf(Target::Velocity, {x0, epsilon}, level).equal(x0 - epsilon));
    for (const Target target : kTargets) {
        const Decomposition got = decompose(target, targetOf(target, {x0, epsilon}, level), z, level);
        EXPECT_LE(difference(got.x0, x0), kBound);
        EXPECT_LE(difference(got.epsilon, epsilon), kBound);
    }
    EXPECT_THROW((void)levelTensors(std::span(levels).first(2), x0), ContractError);
}

TEST(GaussianTargets, EndsOfTheProcess) {
    const at::Tensor x0 = at::full({1, 2}, 3., at::kDouble), epsilon = at::full({1, 2}, -5., at::kDouble);
    for (const NoiseLevel& end : {NoiseLevel{1, 0}, NoiseLevel{0, 1}}) {
        const LevelTensors level = tensors(end, x0);
        const at::Tensor z = compose({x0, epsilon}, level);
        for (const Target target : kTargets) {
            if (target == (end.noise == 0 ? Target::X0 : Target::Epsilon)) continue;
            const Decomposition got = decompose(target, targetOf(target, {x0, epsilon}, level), z, level);
            EXPECT_TRUE(got.x0.equal(x0) && got.epsilon.equal(epsilon)) << static_cast<int>(target);
        }
    }
}

TEST(GaussianTargets, GuidanceOfScaleOneAndZeroChangesNoBit) {
    torch::manual_seed(8);
    const at::Tensor conditional = torch::randn({5, 64}) * 1e3, unconditional = torch::randn({5, 64});
    EXPECT_TRUE(guided(conditional, unconditional, 1).equal(conditional));
    EXPECT_TRUE(guided(conditional, unconditional, 0).equal(unconditional));
    const at::Tensor strong = guided(conditional, unconditional, 4).to(at::kDouble);
    EXPECT_LE(difference(rescaleGuidance(strong, conditional.to(at::kDouble), 1).std(-1),
                         conditional.to(at::kDouble).std(-1)),
              1e-9);
    EXPECT_TRUE(rescaleGuidance(strong, conditional, 0).equal(strong));
}

TEST(GaussianTargets, StepsThatNeedNoiseAskForIt) {
    const at::Tensor x = at::ones({1, 2});
    EXPECT_THROW((void)reverseStep({1, 0, 0.5}, {x, x}, {}), ContractError);
    EXPECT_THROW((void)sampling::ddimStep({1, 0}, {1, 0}, 0), ContractError);
    EXPECT_THROW((void)sampling::ancestralStep({0, 1}, {0, 1}, 0), ContractError);
}

std::unique_ptr<schedule::NoiseSchedule> scheduleOf(const std::string& id) {
    auto made = schedule::makeSchedule(id);
    EXPECT_TRUE(made);
    return std::move(*made);
}

TEST(GaussianLevels, FollowTheSchedule) {
    const auto cosine = scheduleOf("continuous-cosine");
    const NoiseLevel level = levelAt(*cosine, 0.25);
    EXPECT_NEAR(level.signal, std::cos(0.125 * M_PI), kBound);
    EXPECT_NEAR(level.noise, std::sin(0.125 * M_PI), kBound);
    EXPECT_NEAR(level.logSnr(), cosine->logSnr(0.25), kBound);
    EXPECT_THROW((void)levelAt(*scheduleOf("log-linear"), 0.5), ContractError);
}

// Data N(m, s^2) in one dimension. Of jointly normal x0 and z the conditional mean is linear, and so is every
// step: a sampler is an affine map of its start, of which two points tell mean and standard deviation.
constexpr double kMean = 2, kDeviation = 0.5;

at::Tensor exactX0(const at::Tensor& z, const NoiseLevel& level) {
    const double variance = kDeviation * kDeviation,
                 total = level.signal * level.signal * variance + level.noise * level.noise;
    return kMean + (z - level.signal * kMean) * (level.signal * variance / total);
}

/// Mean and standard deviation of N(0, 1) after an affine map of the points 0 and 1.
struct Moments {
    double mean = 0, deviation = 1;
    explicit Moments(const at::Tensor& mapped)
        : mean(mapped[0].item<double>()), deviation((mapped[1] - mapped[0]).item<double>()) {}
    [[nodiscard]] double error() const { return std::hypot(mean - kMean, deviation - kDeviation); }
};
at::Tensor twoPoints() {
    return at::tensor({0., 1.}, at::kDouble);
}

/// In equal parts of time.
std::vector<NoiseLevel> evenLevels(int steps, double from = 1, double to = 0) {
    const auto cosine = scheduleOf("continuous-cosine");
    std::vector<NoiseLevel> levels;
    for (int i = 0; i <= steps; ++i) levels.push_back(levelAt(*cosine, from + (to - from) * i / steps));
    return levels;
}

double ddimError(int steps) {
    const std::vector<NoiseLevel> levels = evenLevels(steps);
    at::Tensor z = twoPoints();
    for (std::size_t i = 0; i + 1 < levels.size(); ++i)
        z = reverseStep(sampling::ddimStep(levels[i], levels[i + 1], 0),
                        decompose(Target::X0, exactX0(z, levels[i]), z, tensors(levels[i], z)), {});
    return Moments(z).error();
}

/// Standardised, a state stays where it is along the deterministic path.
at::Tensor standardised(const at::Tensor& z, const NoiseLevel& level) {
    return (z - level.signal * kMean) / std::hypot(level.signal * kDeviation, level.noise);
}

double dpmError(int steps) {
    const std::vector<NoiseLevel> levels = evenLevels(steps, 0.9, 0.1);
    at::Tensor z = twoPoints(), last;
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const at::Tensor x0 = exactX0(z, levels[i]);
        at::Tensor used = x0;
        if (i > 0)
            used = x0 + (x0 - last) * sampling::multistepWeight(levels[i - 1], levels[i], levels[i + 1]);
        z = reverseStep(sampling::ddimStep(levels[i], levels[i + 1], 0),
                        decompose(Target::X0, used, z, tensors(levels[i], z)), {});
        last = x0;
    }
    return difference(standardised(z, levels.back()), standardised(twoPoints(), levels.front()));
}

/// eta > 0 adds independent noise, whose variance goes through the maps of the later steps.
double stochasticError(int steps, double eta) {
    const std::vector<NoiseLevel> levels = evenLevels(steps);
    double mean = 0, variance = 1;
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        GaussianStep step = sampling::ddimStep(levels[i], levels[i + 1], eta);
        const double added = step.noise * step.noise;
        step.noise = 0;
        const at::Tensor z = twoPoints() + mean,
                         next = reverseStep(
                             step, decompose(Target::X0, exactX0(z, levels[i]), z, tensors(levels[i], z)),
                             {});
        const Moments map(next);
        mean = map.mean;
        variance = map.deviation * map.deviation * variance + added;
    }
    return std::hypot(mean - kMean, std::sqrt(variance) - kDeviation);
}

TEST(GaussianSampling, MeanAndVarianceConvergeWithTheSolversOrder) {
    EXPECT_LT(ddimError(256), 5e-3);
    EXPECT_NEAR(ddimError(256) / ddimError(512), 2, 0.1);
    EXPECT_LT(dpmError(256), 1e-4);
    EXPECT_NEAR(dpmError(256) / dpmError(512), 4, 0.2);
    for (const double eta : {0.5, 1.0}) {
        EXPECT_LT(stochasticError(256, eta), 1e-2);
        EXPECT_NEAR(stochasticError(256, eta) / stochasticError(512, eta), 2, 0.1) << eta;
    }
}

/// The exact velocity, by way of the targets.
at::Tensor exactVelocity(const at::Tensor& z, double t) {
    const LevelTensors level = tensors(flowLevel(t), z);
    if (t == 0) return kMean - z;  // x0 is independent of z there
    return targetOf(Target::Velocity, decompose(Target::X0, exactX0(z, flowLevel(t)), z, level), level);
}

using FlowStep = at::Tensor (*)(const VelocityField&, const at::Tensor&, double, double);
at::Tensor flowed(FlowStep step, at::Tensor z, int steps) {
    const double dt = 1.0 / steps;
    for (int i = 0; i < steps; ++i) z = step(exactVelocity, z, i * dt, dt);
    return z;
}

// The field in closed form: v = m + ((t s^2 - (1 - t)) / ((1 - t)^2 + t^2 s^2)) (z - t m).
TEST(FlowMatching, VelocityTargetIsTheFieldOfThePath) {
    const at::Tensor z = at::tensor({-1., 0.3, 2.}, at::kDouble);
    for (const double t : {0.0, 0.2, 0.7, 0.95}) {
        const double variance = kDeviation * kDeviation, left = 1 - t;
        const at::Tensor field =
            kMean + (z - t * kMean) * ((t * variance - left) / (left * left + t * t * variance));
        EXPECT_LE(difference(exactVelocity(z, t), field), kBound) << t;
    }
}

TEST(FlowMatching, EulerAndMidpointSteps) {
    for (const auto& [steps, wanted] : golden("flow").items()) {
        const auto end = [n = std::stoi(steps)](FlowStep step) {
            return flowed(step, at::ones({1}, at::kDouble), n).item<double>();
        };
        EXPECT_NEAR(end(eulerStep), wanted.at("euler"), kBound) << steps;
        EXPECT_NEAR(end(midpointStep), wanted.at("midpoint"), kBound) << steps;
    }
    const auto error = [](FlowStep step, int steps) {
        return Moments(flowed(step, twoPoints(), steps)).error();
    };
    EXPECT_NEAR(error(eulerStep, 256) / error(eulerStep, 512), 2, 0.1);
    EXPECT_GT(error(midpointStep, 256) / error(midpointStep, 512),
              3.9);  // 8: from these starts one order better
}

}  // namespace
}  // namespace kurve::diffusion
