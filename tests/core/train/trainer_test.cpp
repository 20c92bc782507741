#include "core/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include <algorithm>

#include "core/base/check.h"
#include "core/train/device_batch.h"
#include "core/train/step_plan.h"
#include "tests/core/train/echo_family.h"

namespace kurve::train {
namespace {

using namespace testing;

std::unique_ptr<Trainer> makeTrainer(const RunConfig& config, int replicas = 1) {
    std::vector<std::unique_ptr<SequenceModel>> models;
    for (int r = 0; r < replicas; ++r)
        models.push_back(*EchoFamily().create(config, {echoShape(), c10::kCPU}));
    return std::make_unique<Trainer>(std::move(models), config, c10::kCPU);
}

std::vector<double> trainFor(Trainer& trainer, text::BatchStream& data, int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) losses.push_back(trainer.step({data.next()}, 0.01).loss.item<double>());
    EXPECT_FALSE(trainer.nonFinite());
    return losses;
}

text::BatchStream stream() {
    return {echoSplit(40), 64, 3};
}

TEST(FlatParameters, ViewsShareTheBlockAndKeepTheValues) {
    torch::nn::Linear linear(3, 5);
    const auto before = linear->weight.detach().clone();
    FlatParameters flat(*linear);
    EXPECT_TRUE(at::equal(linear->weight.detach(), before));
    EXPECT_EQ(flat.entries()[1].offset % 16, 0);
    {
        torch::NoGradGuard noGrad;
        flat.values().fill_(2);
    }
    EXPECT_TRUE(at::equal(linear->bias.detach(), at::full({5}, 2.0F)));
    linear->forward(at::ones({1, 3})).sum().backward();
    EXPECT_TRUE(at::equal(flat.tensors()[1].grad(), at::ones({5})));
}

TEST(FlatParameters, NamesTheFirstNonFiniteTensor) {
    torch::nn::Linear linear(3, 5);
    FlatParameters flat(*linear);
    auto block = at::zeros_like(flat.values());
    EXPECT_EQ(flat.firstNonFinite(block), std::nullopt);
    EXPECT_EQ(flat.firstNonFiniteGradient(), std::nullopt);
    block[flat.entries()[1].offset + 2] = NAN;
    EXPECT_EQ(flat.firstNonFinite(block), "bias");
    (linear->forward(at::ones({1, 3})).sum() * INFINITY).backward();
    EXPECT_EQ(flat.firstNonFiniteGradient(), "weight");
}

// The update written out by the formulas of Loshchilov & Hutter (2019), algorithm 2, in doubles.
TEST(FlatAdam, EqualsTheFormula) {
    const RunConfig config = echoConfig({{"train.weight_decay", "0.1"}});
    auto values = at::tensor({1.0F, -2.0F, 0.5F});
    const auto gradient = at::tensor({0.3F, -0.1F, 2.0F});
    FlatAdam adam(values, FlatParts({{0, values.numel()}}));
    std::vector<double> w{1, -2, 0.5}, m(3, 0.0), v(3, 0.0);
    for (int t = 1; t <= 3; ++t) {
        adam.beginStep();
        adam.update(values, gradient.clone(), {1, 1, {{0, 3}}}, config, 0.05, at::full({}, 2.0F),
                    at::zeros({}));
        for (std::size_t i = 0; i < 3; ++i) {
            const double g = gradient[static_cast<std::int64_t>(i)].item<double>() / 2;
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.98 * v[i] + 0.02 * g * g;
            w[i] -= 0.05 * 0.1 * w[i];
            w[i] -=
                0.05 * (m[i] / (1 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1 - std::pow(0.98, t))) + 1e-8);
            EXPECT_NEAR(values[static_cast<std::int64_t>(i)].item<double>(), w[i], 1e-6);
        }
    }
}

TEST(FlatAdam, SkipsIfRequested) {
    const RunConfig config = echoConfig();
    auto values = at::ones({4});
    FlatAdam adam(values, FlatParts({{0, values.numel()}}));
    adam.beginStep();
    adam.update(values, at::full({4}, NAN), {1, 1, {{0, 4}}}, config, 0.05, at::ones({}), at::ones({}));
    EXPECT_TRUE(at::equal(values, at::ones({4})));
    EXPECT_TRUE(at::equal(adam.mean(), at::zeros({4})));
}

TEST(Trainer, LearnsToCopy) {
    auto trainer = makeTrainer(echoConfig());
    auto data = stream();
    const auto losses = trainFor(*trainer, data, 60);
    EXPECT_LT(losses.back(), 0.3 * losses.front());
}

TEST(Trainer, GivesTheSameNumbersAgain) {
    auto one = makeTrainer(echoConfig()), two = makeTrainer(echoConfig());
    auto dataOne = stream(), dataTwo = stream();
    EXPECT_EQ(trainFor(*one, dataOne, 8), trainFor(*two, dataTwo, 8));
    EXPECT_TRUE(at::equal(one->parameters().values(), two->parameters().values()));
}

TEST(Trainer, ReplicasAgreeWithOneModelAndWithThemselves) {
    auto one = makeTrainer(echoConfig()), two = makeTrainer(echoConfig(), 2),
         again = makeTrainer(echoConfig(), 2);
    auto dataOne = stream(), dataTwo = stream(), dataAgain = stream();
    trainFor(*one, dataOne, 8);
    trainFor(*two, dataTwo, 8);
    trainFor(*again, dataAgain, 8);
    EXPECT_TRUE(at::equal(two->parameters().values(), again->parameters().values()));
    EXPECT_TRUE(at::allclose(one->parameters().values(), two->parameters().values(), 1e-4, 1e-5));
}

TEST(Trainer, AccumulationEqualsOneLargeBatch) {
    auto apart = makeTrainer(echoConfig()), whole = makeTrainer(echoConfig());
    const auto split = echoSplit(6);
    const std::vector<std::int32_t> all{0, 1, 2, 3, 4, 5}, first{0, 1, 2}, rest{3, 4, 5};
    const auto a = apart->step({text::makeBatch(*split, first), text::makeBatch(*split, rest)}, 0.01);
    const auto b = whole->step({text::makeBatch(*split, all)}, 0.01);
    EXPECT_NEAR(a.loss.item<double>(), b.loss.item<double>(), 1e-5);
    EXPECT_NEAR(a.gradientNorm.item<double>(), b.gradientNorm.item<double>(), 1e-5);
    EXPECT_EQ(a.targetTokens, b.targetTokens);
}

TEST(Trainer, ClipsTheGradientOnly) {
    auto trainer = makeTrainer(echoConfig({{"train.max_grad_norm", "0.001"}}));
    auto data = stream();
    const auto report = trainer->step({data.next()}, 0.01, /*measureUpdate=*/true);
    const auto norm = trainer->gradients().norm().item<double>();
    EXPECT_GT(report.gradientNorm.item<double>(), 0.01);
    EXPECT_NEAR(norm, 0.001, 1e-6);
    EXPECT_GT(report.updateRatio.item<double>(), 0);
}

TEST(Trainer, ANonFiniteStepChangesNothingAndIsNamed) {
    for (const int replicas : {1, 2}) {
        auto trainer =
            makeTrainer(echoConfig({{"model.explode_at", "4"}, {"train.ema_decay", "0.9"}}), replicas);
        auto data = stream();
        for (int i = 0; i < 3; ++i) trainer->step({data.next()}, 0.01);
        const auto good = trainer->parameters().values().clone(), average = trainer->averaged().clone();
        for (int i = 0; i < 3; ++i) trainer->step({data.next()}, 0.01);
        const auto failure = trainer->nonFinite();
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->step, 4);
        EXPECT_EQ(failure->tensor, "loss");
        EXPECT_TRUE(at::equal(trainer->parameters().values(), good));
        EXPECT_TRUE(at::equal(trainer->averaged(), average));
    }
}

// The numbers of the specification (6.4): an average that starts at 0 and meets the values 1, 1, 2.
TEST(Trainer, AveragesByTheOfficialWarmUp) {
    auto trainer = makeTrainer(echoConfig({{"train.ema_decay", "0.9999"}, {"train.lr", "0"}}));
    auto data = stream();
    torch::NoGradGuard noGrad;
    trainer->averaged().zero_();
    const std::pair<double, double> expected[] = {{1, 0.8181818182}, {1, 0.9545454545}, {2, 1.6783216783}};
    for (const auto& [value, average] : expected) {
        const_cast<at::Tensor&>(trainer->parameters().values()).fill_(value);
        {
            torch::AutoGradMode on(true);
            trainer->step({data.next()}, 0.0);
        }
        EXPECT_NEAR(trainer->averaged()[0].item<double>(), average, 1e-6);
    }
}

TEST(Trainer, AveragesTheWeights) {
    auto trainer = makeTrainer(echoConfig({{"train.ema_decay", "0.9"}}));
    auto data = stream();
    auto shadow = trainer->parameters().values().clone();
    for (int n = 1; n <= 5; ++n) {
        trainer->step({data.next()}, 0.01);
        shadow =
            shadow + (1 - std::min(0.9, (1.0 + n) / (10.0 + n))) * (trainer->parameters().values() - shadow);
    }
    EXPECT_TRUE(at::allclose(trainer->averaged(), shadow, 1e-5, 1e-6));
    const auto trained = trainer->parameters().values().clone();
    {
        const Trainer::Evaluation evaluation(*trainer);
        EXPECT_TRUE(at::equal(trainer->parameters().values(), trainer->averaged()));
        EXPECT_FALSE(trainer->model().module().is_training());
    }
    EXPECT_TRUE(at::equal(trainer->parameters().values(), trained));
}

text::Batch batchOfLengths(const std::vector<std::int32_t>& lengths) {
    text::Batch batch;
    batch.rows = static_cast<int>(lengths.size());
    batch.sourceLength = batch.targetLength = *std::max_element(lengths.begin(), lengths.end());
    batch.sourceLengths = batch.targetLengths = lengths;
    batch.source = batch.target =
        std::vector<std::int32_t>(static_cast<std::size_t>(batch.rows * batch.sourceLength), 5);
    return batch;
}

std::vector<std::int64_t> rowsOfParts(const std::vector<std::int32_t>& lengths, int parts) {
    std::vector<std::int64_t> rows;
    double weights = 0;
    std::uint64_t next = 0;
    for (const auto& part : splitStep({batchOfLengths(lengths)}, parts, c10::kCPU)) {
        EXPECT_EQ(part.row, next);
        next += static_cast<std::uint64_t>(part.batch.rows);
        weights += part.weight;
        rows.push_back(part.batch.rows);
    }
    EXPECT_NEAR(weights, 1, 1e-12);
    EXPECT_EQ(next, lengths.size());
    return rows;
}

TEST(SplitStep, PartsHaveNearlyEquallyManyTokensAndAllHaveRows) {
    using Rows = std::vector<std::int64_t>;
    EXPECT_EQ(rowsOfParts({4, 4, 4, 4, 4, 4}, 2), (Rows{3, 3}));
    EXPECT_EQ(rowsOfParts({12, 1, 1, 1, 1, 8}, 2), (Rows{1, 5}));
    EXPECT_EQ(rowsOfParts({1, 1, 1, 9}, 2), (Rows{3, 1}));
    EXPECT_EQ(rowsOfParts({9, 1, 1}, 3), (Rows{1, 1, 1}));
    EXPECT_EQ(rowsOfParts({5, 5}, 3), (Rows{1, 1}));
    EXPECT_EQ(rowsOfParts({2, 2, 2, 6, 6, 6}, 3), (Rows{3, 2, 1}));
}

TEST(SplitStep, DocumentsStayWhole) {
    text::Batch batch = batchOfLengths({4, 4, 4, 4, 4, 4, 4});
    batch.sentences = {1, 3, 1, 2};
    const auto parts = splitStep({batch}, 3, c10::kCPU);
    std::vector<std::vector<std::int32_t>> documents;
    for (const auto& part : parts) {
        documents.push_back(part.batch.sentences);
        EXPECT_EQ(std::accumulate(documents.back().begin(), documents.back().end(), 0), part.batch.rows);
    }
    EXPECT_EQ(documents, (std::vector<std::vector<std::int32_t>>{{1, 3}, {1}, {2}}));
    EXPECT_LE(splitStep({batch}, 8, c10::kCPU).size(), 4U);
}

TEST(StepPlan, LastsItsTimeWhereTooFewStepsWereExpected) {
    StepPlan plan(echoConfig({{"train.steps", "0"}, {"train.expected_steps", "60"}}));
    constexpr double kLimit = 7200, kStepsPerSecond = 20;
    std::int64_t done = 0;
    while (done < plan.total(done)) {
        ++done;
        plan.correct({done, static_cast<double>(done) / kStepsPerSecond, kLimit});
    }
    EXPECT_NEAR(static_cast<double>(done), kLimit * kStepsPerSecond, 2);
    EXPECT_LT(plan.corrections().size(), 40U);
}

TEST(ReplicaPool, RunsEveryPartAndPassesErrorsOn) {
    ReplicaPool pool(3, 1);
    std::vector<int> seen(3, 0);
    for (int round = 0; round < 100; ++round) pool.run([&](int r) { ++seen[static_cast<std::size_t>(r)]; });
    EXPECT_THAT(seen, ::testing::Each(100));
    EXPECT_THROW(pool.run([](int r) {
        if (r == 2) throw ContractError("third");
    }),
                 ContractError);
    pool.run([&](int r) { ++seen[static_cast<std::size_t>(r)]; });
    EXPECT_THAT(seen, ::testing::Each(101));
}

}  // namespace
}  // namespace kurve::train
