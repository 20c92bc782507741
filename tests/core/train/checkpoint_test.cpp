#include "core/train/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "core/base/file.h"
#include "core/train/tensor_file.h"
#include "tests/core/train/echo_family.h"
#include "tests/support/temporary_folder.h"

namespace kurve::train {
namespace {

using namespace testing;
using kurve::testing::TemporaryFolder;

std::unique_ptr<Trainer> makeTrainer(const RunConfig& config) {
    std::vector<std::unique_ptr<SequenceModel>> models;
    models.push_back(*EchoFamily().create(config, {echoShape(), c10::kCPU}));
    return std::make_unique<Trainer>(std::move(models), config, c10::kCPU);
}

TrainingState stateOf(const Trainer& trainer, const text::BatchStream& data) {
    TrainingState state;
    state.step = trainer.steps();
    state.data = data.position();
    state.plan = StepPlan(trainer.config());
    state.config = trainer.config().canonicalText();
    state.configHash = trainer.config().contentHash();
    state.tokenizerHash = "t";
    return state;
}

void trainFor(Trainer& trainer, text::BatchStream& data, int steps) {
    for (int i = 0; i < steps; ++i) trainer.step({data.next()}, 0.01);
}

class CheckpointTest : public ::testing::Test {
protected:
    TemporaryFolder folder_;
    RunConfig config_ = echoConfig({{"train.ema_decay", "0.9"}});
    text::BatchStream data_{echoSplit(40), 64, 3};
};

TEST_F(CheckpointTest, StopAndResumeEqualsAnUninterruptedRun) {
    auto whole = makeTrainer(config_);
    text::BatchStream wholeData(echoSplit(40), 64, 3);
    trainFor(*whole, wholeData, 24);

    auto first = makeTrainer(config_);
    trainFor(*first, data_, 12);
    const auto saved = saveCheckpoint(folder_.path(), *first, stateOf(*first, data_));
    ASSERT_TRUE(saved) << saved.error().text();
    EXPECT_EQ(saved->folder.filename(), "step-00000012");

    auto second = makeTrainer(echoConfig({{"train.ema_decay", "0.9"}, {"seed", "1"}}));
    const auto state = readCheckpoint(saved->folder);
    ASSERT_TRUE(state) << state.error().text();
    ASSERT_TRUE(loadTrainer(saved->folder, *state, *second));
    text::BatchStream secondData(echoSplit(40), 64, 3);
    secondData.seek(state->data);
    trainFor(*second, secondData, 12);
    EXPECT_TRUE(at::equal(second->parameters().values(), whole->parameters().values()));
    EXPECT_TRUE(at::equal(second->averaged(), whole->averaged()));
    EXPECT_TRUE(at::equal(second->optimizer().square(), whole->optimizer().square()));
}

TEST_F(CheckpointTest, AnAverageThatWasNotKeptBeginsAtTheWeights) {
    auto plain = makeTrainer(echoConfig({{"train.ema_decay", "0"}}));
    trainFor(*plain, data_, 4);
    const auto saved = saveCheckpoint(folder_.path(), *plain, stateOf(*plain, data_));
    ASSERT_TRUE(saved) << saved.error().text();
    auto averaging = makeTrainer(config_);
    const auto state = readCheckpoint(saved->folder);
    ASSERT_TRUE(state);
    const auto loaded = loadTrainer(saved->folder, *state, *averaging);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_TRUE(at::equal(averaging->averaged(), plain->parameters().values()));
}

TEST_F(CheckpointTest, EveryDamageIsNamed) {
    auto trainer = makeTrainer(config_);
    const auto saved = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
    ASSERT_TRUE(saved);
    for (const char* name :
         {"weights.safetensors", "optimizer.safetensors", "ema.safetensors", "state.json"}) {
        const auto file = saved->folder / name;
        const std::string good = *readFile(file);
        std::string bad = good;
        // Elsewhere state.json may name another file's hash, and that file is blamed.
        bad[name == std::string("state.json") ? 0 : bad.size() / 2] ^= 1;
        std::ofstream(file, std::ios::binary) << bad;
        const auto state = readCheckpoint(saved->folder);
        ASSERT_FALSE(state) << name;
        EXPECT_EQ(state.error().code, "checkpoint.damaged");
        EXPECT_NE(state.error().file.find(name), std::string::npos);
        std::ofstream(file, std::ios::binary) << good.substr(0, good.size() / 3);
        EXPECT_FALSE(readCheckpoint(saved->folder)) << name;
        std::ofstream(file, std::ios::binary) << good;
    }
    EXPECT_TRUE(readCheckpoint(saved->folder));
    EXPECT_EQ(readCheckpoint(folder_ / "none").error().code, "checkpoint.missing");
}

TEST_F(CheckpointTest, RefusesForeignFileNames) {
    auto trainer = makeTrainer(config_);
    const auto saved = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
    ASSERT_TRUE(saved);
    const auto file = saved->folder / "state.json";
    const std::string state = *readFile(file);
    for (const char* hostile : {"../victim", "/victim", "..", "", "other.safetensors"}) {
        std::string changed = state;
        changed.replace(changed.find("\"weights.safetensors\""), 21, std::string("\"") + hostile + "\"");
        ASSERT_TRUE(writeFileAtomically(file, changed));
        EXPECT_EQ(readCheckpoint(saved->folder).error().code, "checkpoint.damaged") << hostile;
    }
    ASSERT_TRUE(writeFileAtomically(file, state));
    for (const char* name : {"weights.safetensors", "state.json"}) {
        std::filesystem::rename(saved->folder / name, folder_ / name);
        std::filesystem::create_symlink(folder_ / name, saved->folder / name);
        EXPECT_EQ(readCheckpoint(saved->folder).error().code, "io.link") << name;
        std::filesystem::rename(folder_ / name, saved->folder / name);
    }
    EXPECT_TRUE(readCheckpoint(saved->folder));
}

TEST_F(CheckpointTest, AFileOfAnotherSizeIsNotHashed) {
    auto trainer = makeTrainer(config_);
    const auto saved = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
    ASSERT_TRUE(saved);
    EXPECT_TRUE(readCheckpoint(saved->folder, saved->bytes));
    EXPECT_EQ(readCheckpoint(saved->folder, saved->bytes - 1).error().code, "checkpoint.damaged");
    std::ofstream(saved->folder / "notes.txt") << "somebody's own";
    EXPECT_TRUE(readCheckpoint(saved->folder, saved->bytes)) << "what else lies there is nobody's business";
    const auto file = saved->folder / "weights.safetensors";
    std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // hashing it would take an hour
    const auto huge = readCheckpoint(saved->folder);
    ASSERT_FALSE(huge);
    EXPECT_EQ(huge.error().code, "checkpoint.damaged");
    EXPECT_EQ(huge.error().file, file.string());
}

TEST_F(CheckpointTest, AHalfWrittenOneIsIgnored) {
    auto trainer = makeTrainer(config_);
    ASSERT_TRUE(saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_)));
    std::filesystem::create_directories(folder_ / ".step-00000001.tmp");
    std::ofstream(folder_ / ".step-00000001.tmp/weights.safetensors") << "half";
    trainFor(*trainer, data_, 1);
    ASSERT_TRUE(saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_)));
    EXPECT_TRUE(readCheckpoint(folder_ / "step-00000001"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / ".step-00000001.tmp"));
}

/// No file of this process may grow beyond `bytes`: what a full disk looks like to a program.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;
    ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

TEST_F(CheckpointTest, AFullDiskLeavesThePreviousOneAndNoTemporaryFiles) {
    auto trainer = makeTrainer(config_);
    const auto saved = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
    ASSERT_TRUE(saved);
    const std::string before = *readFile(saved->folder / "state.json");
    // Bytes that are enough for the weights, not for the optimizer: the same step again, and the next one.
    const auto size = std::filesystem::file_size(saved->folder / "weights.safetensors") + 100;
    for (int i = 0; i < 2; ++i) {
        Result<SavedCheckpoint> again = SavedCheckpoint();
        {
            const FileLimit limit(size);
            again = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
        }
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().code, "io.write");
        EXPECT_NE(again.error().file.find("optimizer.safetensors"), std::string::npos);
        EXPECT_FALSE(again.error().remedy.empty());
        trainFor(*trainer, data_, 1);
    }
    Result<SavedCheckpoint> stripped = SavedCheckpoint();
    {
        const FileLimit limit(1000);
        stripped = stripCheckpoint(saved->folder);
    }
    ASSERT_FALSE(stripped);
    EXPECT_EQ(stripped.error().code, "io.write");
    EXPECT_TRUE(readCheckpoint(saved->folder));
    EXPECT_EQ(*readFile(saved->folder / "state.json"), before);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"step-00000000"});
}

TEST_F(CheckpointTest, AnotherShapeIsNamed) {
    auto trainer = makeTrainer(config_);
    const auto saved = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
    auto other = *EchoFamily().create(echoConfig({{"model.width", "8"}}), {echoShape(), c10::kCPU});
    const auto status = loadWeights(saved->folder, other->module());
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, "checkpoint.shape");
    EXPECT_EQ(status.error().field, "embed");
    for (const char* each : {"embed", "hidden.weight", "hidden.bias", "out.weight"})
        EXPECT_NE(status.error().message.find(std::string(each) + " has shape"), std::string::npos) << each;
    EXPECT_NE(status.error().message.find("[24, 16]"), std::string::npos);
}

TEST_F(CheckpointTest, AnotherConfigIsNamedByItsFields) {
    auto trainer = makeTrainer(config_);
    const auto state = stateOf(*trainer, data_);
    EXPECT_TRUE(checkFits(state, config_, "t", echoSchemas(), folder_.path()));
    // A later version of Kurve has more settings and so another hash; the values that count are the same.
    TrainingState earlier = state;
    earlier.configHash = "of a version with fewer settings";
    EXPECT_TRUE(checkFits(earlier, config_, "t", echoSchemas(), folder_.path()));
    const auto other =
        echoConfig({{"train.ema_decay", "0.9"}, {"model.width", "8"}, {"log.every_steps", "3"}});
    const auto status = checkFits(state, other, "t", echoSchemas(), folder_.path());
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, "checkpoint.other_config");
    EXPECT_EQ(status.error().field, "model.width");
    EXPECT_EQ(status.error().message.find("log.every_steps"), std::string::npos);
    EXPECT_EQ(checkFits(state, config_, "u", echoSchemas(), folder_.path()).error().code,
              "checkpoint.other_tokenizer");
}

TEST_F(CheckpointTest, StrippingKeepsTheAveragedWeightsInHalfPrecision) {
    auto trainer = makeTrainer(config_);
    trainFor(*trainer, data_, 5);
    const auto saved = saveCheckpoint(folder_.path(), *trainer, stateOf(*trainer, data_));
    const auto anHourAgo = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(saved->folder / "state.json", anHourAgo);
    const auto stripped = stripCheckpoint(saved->folder);
    ASSERT_TRUE(stripped) << stripped.error().text();
    EXPECT_EQ(std::filesystem::last_write_time(saved->folder / "state.json"), anHourAgo)
        << "its age orders it among those that are not recorded";
    EXPECT_LT(stripped->bytes, saved->bytes / 3);
    auto model = *EchoFamily().create(config_, {echoShape(), c10::kCPU});
    ASSERT_TRUE(loadWeights(saved->folder, model->module()));
    const auto wanted = FlatParameters::view(trainer->averaged(), trainer->parameters().entries()[0]);
    EXPECT_TRUE(at::equal(model->module().parameters()[0].detach(), wanted.to(at::kHalf).to(at::kFloat)));
    const auto state = readCheckpoint(saved->folder);
    ASSERT_TRUE(state);
    EXPECT_EQ(loadTrainer(saved->folder, *state, *trainer).error().code, "checkpoint.weights_only");
}

// Summed in doubles, from what the trainer held when each was written.
TEST_F(CheckpointTest, TheMeanOfSeveralIsTheirSumInDoublesOverTheirNumber) {
    for (const char* decay : {"0", "0.9"}) {
        const RunConfig config = echoConfig({{"train.ema_decay", decay}});
        auto trainer = makeTrainer(config);
        std::vector<std::filesystem::path> folders;
        at::Tensor sum;
        for (int i = 0; i < 3; ++i) {
            trainFor(*trainer, data_, 4);
            const auto saved = saveCheckpoint(folder_ / decay, *trainer, stateOf(*trainer, data_));
            ASSERT_TRUE(saved);
            folders.push_back(saved->folder);
            const at::Tensor used =
                trainer->averaged().defined() ? trainer->averaged() : trainer->parameters().values();
            sum = sum.defined() ? sum + used.to(at::kDouble) : used.to(at::kDouble);
        }
        const at::Tensor mean = (sum / 3).to(at::kFloat);
        auto model = *EchoFamily().create(config, {echoShape(), c10::kCPU});
        ASSERT_TRUE(loadMeanWeights(folders, model->module()));
        for (const auto& entry : trainer->parameters().entries())
            EXPECT_TRUE(
                at::equal(model->module().named_parameters()[entry.name], FlatParameters::view(mean, entry)))
                << entry.name;
        EXPECT_TRUE(at::equal(model->module().named_buffers()["scale"], at::ones({1})));
    }
}

TEST_F(CheckpointTest, AMeanWithOneThatDoesNotFitChangesNothing) {
    auto trainer = makeTrainer(config_);
    const auto saved = saveCheckpoint(folder_ / "a", *trainer, stateOf(*trainer, data_));
    auto wide = makeTrainer(echoConfig({{"model.width", "8"}}));
    const auto other = saveCheckpoint(folder_ / "b", *wide, stateOf(*wide, data_));
    ASSERT_TRUE(saved && other);
    auto model = *EchoFamily().create(config_, {echoShape(), c10::kCPU});
    const auto before = model->module().parameters()[0].detach().clone();
    const std::vector<std::filesystem::path> folders{saved->folder, other->folder};
    EXPECT_EQ(loadMeanWeights(folders, model->module()).error().code, "checkpoint.shape");
    EXPECT_TRUE(at::equal(model->module().parameters()[0].detach(), before));
}

TEST(StepPlan, FollowsTheMeasuredSpeed) {
    StepPlan plan(echoConfig({{"train.expected_steps", "3000"}}));
    EXPECT_EQ(plan.total(0), 3000);
    std::int64_t step = 0;
    double seconds = 0;
    while (step < plan.total(step) && seconds < 200) {
        seconds += step < 1000 ? 0.02 : 0.05;  // the machine becomes busy on the way
        plan.correct({++step, seconds, 90});
    }
    EXPECT_NEAR(seconds, 90, 3);
    const StepPlan stored(plan.corrections());
    EXPECT_EQ(stored.total(0), 3000);
    EXPECT_EQ(stored.total(step), plan.total(step));
    EXPECT_GT(plan.corrections().size(), 10U);
}

TEST(StepPlan, AForkOfARunPlannedByTimeHasItsTime) {
    constexpr std::int64_t kBegin = 4248;  // more than the steps that are expected
    const RunConfig config =
        echoConfig({{"train.steps", "0"}, {"train.expected_steps", "3000"}, {"train.schedule", "linear"}});
    StepPlan plan(config, kBegin);
    EXPECT_EQ(plan.total(kBegin), kBegin + 3000);
    std::int64_t step = kBegin;
    double seconds = 0;
    while (step < plan.total(step) && seconds < 200) {
        seconds += 0.05;
        plan.correct({++step, seconds, 90});
        if (plan.corrections().size() > 1)
            EXPECT_LT(plan.total(step), kBegin + 3000) << "at 20 steps a second";
    }
    EXPECT_NEAR(seconds, 90, 1);
}

TEST(StepPlan, AdditionalStepsHaveALearningRate) {
    const RunConfig config = echoConfig({{"train.steps", "100"},
                                         {"train.schedule", "linear"},
                                         {"train.lr", "0.01"},
                                         {"train.lr_final", "0"},
                                         {"train.warmup_steps", "0"}});
    StepPlan plan(config);
    EXPECT_FALSE(plan.lengthen(0, 60)) << "to end sooner changes no step";
    EXPECT_EQ(plan.corrections().size(), 1U);
    EXPECT_DOUBLE_EQ(learningRateAt(config, plan, 100), 0);
    EXPECT_TRUE(plan.lengthen(100, 200));
    EXPECT_DOUBLE_EQ(learningRateAt(config, plan, 50), 0.005) << "what was trained stays as it was planned";
    EXPECT_DOUBLE_EQ(learningRateAt(config, plan, 100), 0.005);
    EXPECT_DOUBLE_EQ(learningRateAt(config, plan, 200), 0);
    EXPECT_FALSE(StepPlan(plan.corrections()).lengthen(150, 200)) << "as it stands in a checkpoint";
}

}  // namespace
}  // namespace kurve::train
