#include "core/train/parameter_groups.h"

#include <gtest/gtest.h>

#include "core/train/checkpoint.h"
#include "core/train/make_trainer.h"
#include "tests/core/train/echo_family.h"
#include "tests/support/temporary_folder.h"

namespace kurve::train {
namespace {

using namespace testing;
using Changes = std::vector<Override>;

RunConfig configOf(const std::string& groups, Changes more = {}) {
    more.emplace_back("train.parameter_groups", groups);
    return echoConfig(std::move(more));
}

std::unique_ptr<Trainer> trainerOf(const RunConfig& config, int replicas = 1) {
    std::vector<std::unique_ptr<SequenceModel>> models;
    for (int r = 0; r < replicas; ++r) {
        auto made = makeModel(EchoFamily(), config, {echoShape(), c10::kCPU});
        if (!made) throw std::runtime_error(made.error().text());
        models.push_back(std::move(*made));
    }
    return std::make_unique<Trainer>(std::move(models), config, c10::kCPU);
}

at::Tensor parameter(Trainer& trainer, const std::string& name) {
    return trainer.model().module().named_parameters()[name].detach().clone();
}

void trainFor(Trainer& trainer, text::BatchStream& data, int steps) {
    for (int i = 0; i < steps; ++i) {
        trainer.step({data.next()}, 0.02);
        ASSERT_FALSE(trainer.nonFinite());
    }
}

TEST(ParameterGroups, AFrozenPartIsBitEqualAfterAThousandSteps) {
    for (const int replicas : {1, 2}) {
        auto trainer = trainerOf(
            configOf("hidden.*: frozen", {{"train.weight_decay", "0.1"}, {"train.ema_decay", "0.9"}}),
            replicas);
        const at::Tensor weight = parameter(*trainer, "hidden.weight"),
                         bias = parameter(*trainer, "hidden.bias"), out = parameter(*trainer, "out.weight");
        text::BatchStream data(echoSplit(40), 64, 3);
        trainFor(*trainer, data, 1000);
        EXPECT_TRUE(at::equal(parameter(*trainer, "hidden.weight"), weight));
        EXPECT_TRUE(at::equal(parameter(*trainer, "hidden.bias"), bias));
        EXPECT_FALSE(at::equal(parameter(*trainer, "out.weight"), out));
        const Trainer::Evaluation guard(*trainer);
        EXPECT_TRUE(at::equal(parameter(*trainer, "hidden.weight"), weight)) << "with averaged weights";
    }
}

TEST(ParameterGroups, OptimizerNormAndAverageKnowTheTrainedOnesAlone) {
    auto all = trainerOf(configOf("", {{"train.ema_decay", "0.9"}})),
         some = trainerOf(configOf("hidden.*: frozen", {{"train.ema_decay", "0.9"}}));
    const std::int64_t frozen = 16 * 16 + 16;
    EXPECT_EQ(some->parameters().frozenCount(), frozen);
    EXPECT_EQ(all->parameters().trainedCount() - some->parameters().trainedCount(), frozen);
    for (const at::Tensor& block : {some->optimizer().mean(), some->optimizer().square(), some->averaged(),
                                    some->gradients(), some->parameters().values()})
        EXPECT_EQ(block.numel(), all->optimizer().mean().numel() - frozen);
    text::BatchStream data(echoSplit(40), 64, 3), same(echoSplit(40), 64, 3);
    all->step({data.next()}, 0.02);
    const double norm = some->step({same.next()}, 0.02).gradientNorm.item<double>();
    double square = 0;
    for (const auto& entry : all->parameters().entries())
        if (!entry.name.starts_with("hidden"))
            square +=
                FlatParameters::view(all->gradients(), entry).to(at::kDouble).square().sum().item<double>();
    EXPECT_NEAR(norm, std::sqrt(square), 1e-5 * norm);
}

// After one step from the same values: what a group's factors give is what other settings give to all.
TEST(ParameterGroups, FactorsScaleLearningRateAndDecay) {
    const Changes decay{{"train.weight_decay", "0.5"}};
    const auto after = [&](const RunConfig& config, double rate, int replicas) {
        auto trainer = trainerOf(config, replicas);
        text::BatchStream data(echoSplit(40), 64, 3);
        trainer->step({data.next()}, rate);
        return trainer;
    };
    for (const int replicas : {1, 2}) {
        auto groups =
            after(configOf("out.*: lr 0.5; *.bias: lr 0; hidden.*: decay 0", decay), 0.02, replicas);
        auto whole = after(configOf("", decay), 0.02, replicas),
             half = after(configOf("", decay), 0.01, replicas),
             none = after(configOf("", {{"train.weight_decay", "0"}}), 0.02, replicas);
        EXPECT_TRUE(at::equal(parameter(*groups, "embed"), parameter(*whole, "embed"))) << "in no group";
        EXPECT_TRUE(at::equal(parameter(*groups, "out.weight"), parameter(*half, "out.weight")));
        EXPECT_TRUE(at::equal(parameter(*groups, "out.bias"), parameter(*half, "out.bias"))) << "first match";
        EXPECT_TRUE(at::equal(parameter(*groups, "hidden.weight"), parameter(*none, "hidden.weight")));
        EXPECT_FALSE(at::equal(parameter(*whole, "hidden.weight"), parameter(*none, "hidden.weight")));
        EXPECT_TRUE(at::equal(parameter(*groups, "hidden.bias"),
                              parameter(*trainerOf(configOf("", decay)), "hidden.bias")));
    }
}

TEST(ParameterGroups, StopAndResumeIsExact) {
    const RunConfig config = configOf("hidden.weight: frozen; out.*: lr 0.5, decay 0",
                                      {{"train.ema_decay", "0.9"}, {"train.weight_decay", "0.1"}});
    const kurve::testing::TemporaryFolder folder;
    auto whole = trainerOf(config), first = trainerOf(config),
         second = trainerOf(config.with(Changes{{"seed", "5"}}).value());
    text::BatchStream data(echoSplit(40), 64, 3), same(echoSplit(40), 64, 3);
    trainFor(*whole, data, 24);
    trainFor(*first, same, 12);
    TrainingState state;
    state.step = 12;
    state.config = config.canonicalText();
    const auto saved = saveCheckpoint(folder.path(), *first, state);
    ASSERT_TRUE(saved) << saved.error().text();
    ASSERT_TRUE(loadTrainer(saved->folder, *readCheckpoint(saved->folder), *second));
    second->setConfig(config);  // the seed of the noise
    trainFor(*second, same, 12);
    for (const auto& item : whole->model().module().named_parameters())
        EXPECT_TRUE(at::equal(parameter(*second, item.key()), item.value().detach())) << item.key();
    EXPECT_TRUE(at::equal(second->averaged(), whole->averaged()));
    EXPECT_TRUE(at::equal(second->optimizer().square(), whole->optimizer().square()));
    auto evaluated = *EchoFamily().create(config, {echoShape(), c10::kCPU});
    ASSERT_TRUE(loadWeights(saved->folder, evaluated->module())) << "the averaged weights are a whole model";
    EXPECT_TRUE(at::equal(evaluated->module().named_parameters()["hidden.weight"].detach(),
                          parameter(*first, "hidden.weight")));
}

struct SavedRun {
    std::unique_ptr<Trainer> trainer;
    std::filesystem::path checkpoint;
};
SavedRun savedAfterSteps(const std::string& groups, const std::filesystem::path& folder) {
    SavedRun run{trainerOf(configOf(groups, {{"train.ema_decay", "0.9"}})), {}};
    text::BatchStream data(echoSplit(40), 64, 3);
    trainFor(*run.trainer, data, 12);
    TrainingState state;
    state.step = 12;
    state.config = run.trainer->config().canonicalText();
    run.checkpoint = saveCheckpoint(folder, *run.trainer, state).value().folder;
    return run;
}

// Of the rest nothing changes: it goes on with its moments, of as many steps.
TEST(ParameterGroups, AForkMayFreezeWhatItsParentTrained) {
    const kurve::testing::TemporaryFolder folder;
    const SavedRun parent = savedAfterSteps("", folder.path());
    auto fork = trainerOf(configOf("hidden.*: frozen", {{"train.ema_decay", "0.9"}}));
    const Status loaded = loadTrainer(parent.checkpoint, *readCheckpoint(parent.checkpoint), *fork);
    ASSERT_TRUE(loaded) << loaded.error().text();
    const auto& all = parent.trainer->parameters().entries();
    for (const auto& own : fork->parameters().entries()) {
        const auto same = std::ranges::find(all, own.name, &FlatParameters::Entry::name);
        const auto equal = [&](const at::Tensor& mine, const at::Tensor& theirs) {
            return at::equal(FlatParameters::view(mine, own), FlatParameters::view(theirs, *same));
        };
        EXPECT_TRUE(equal(fork->optimizer().mean(), parent.trainer->optimizer().mean())) << own.name;
        EXPECT_TRUE(equal(fork->optimizer().square(), parent.trainer->optimizer().square())) << own.name;
        EXPECT_TRUE(equal(fork->averaged(), parent.trainer->averaged())) << own.name;
    }
    EXPECT_EQ(fork->optimizer().steps(), 12);
    EXPECT_TRUE(at::equal(parameter(*fork, "hidden.weight"), parameter(*parent.trainer, "hidden.weight")))
        << "as it was trained, not averaged";
}

TEST(ParameterGroups, AForkThatTrainsWhatWasFrozenIsRefused) {
    const kurve::testing::TemporaryFolder folder;
    const SavedRun parent = savedAfterSteps("hidden.*: frozen", folder.path());
    auto fork = trainerOf(configOf("", {{"train.ema_decay", "0.9"}}));
    const Status loaded = loadTrainer(parent.checkpoint, *readCheckpoint(parent.checkpoint), *fork);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().field, "train.parameter_groups");
    EXPECT_NE(loaded.error().message.find("hidden.weight"), std::string::npos) << loaded.error().text();
    EXPECT_NE(loaded.error().remedy.find("train.init_from"), std::string::npos);
}

TEST(ParameterGroups, WhatIsNoGroupIsRefused) {
    const auto refusal = [](const std::string& groups) {
        const auto made = makeModel(EchoFamily(), configOf(groups), {echoShape(), c10::kCPU});
        EXPECT_FALSE(made) << groups;
        if (made) return std::string();
        EXPECT_EQ(made.error().field, "train.parameter_groups");
        EXPECT_EQ(made.error().code, "train.parameter_groups");
        return made.error().message + "; " + made.error().remedy;
    };
    for (const char* text : {"hidden", ": lr 1", "hidden.*: lr", "hidden.*: lr -1", "hidden.*: lr nan",
                             "hidden.*: speed 3", "hidden.*: frozen now", "hidden.*:"})
        refusal(text);
    EXPECT_NE(refusal("hiden.*: frozen").find("hidden.weight"), std::string::npos) << "names what there is";
    EXPECT_NE(refusal("*: frozen").find("no parameter is left"), std::string::npos);
    EXPECT_TRUE(makeModel(EchoFamily(), configOf(" ; hidden.* : frozen ;"), {echoShape(), c10::kCPU}));
}

}  // namespace
}  // namespace kurve::train
