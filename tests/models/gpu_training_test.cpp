// Training on a GPU: what waits for it, and several ranks over NCCL. Without a device every test says why it
// did not run.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include "core/distributed/process_group.h"
#include "core/tensor/cuda_library.h"
#include "core/train/trainer.h"
#include "tests/app/engine/engine_process.h"
#include "tests/models/family_fixture.h"
#include "tests/support/temporary_folder.h"
#if defined(KURVE_HAS_CUDA)
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace kurve::models {
namespace {

class GpuTraining : public ::testing::Test {
protected:
    void SetUp() override {
        const tensor::CudaLibrary& library = tensor::cudaLibrary();
        if (!library.problem.empty()) GTEST_SKIP() << library.problem;
        if (library.devices == 0) GTEST_SKIP() << "no CUDA device on this machine";
    }
    static std::unique_ptr<train::Trainer> trainerOf(
        const RunConfig& config, std::shared_ptr<distributed::ProcessGroup> maybeGroup = nullptr) {
        auto made =
            findFamily(config.family())->create(config, testing::contextFor(config.family(), at::kCUDA));
        KURVE_CHECK(made.has_value(), "{}", made.error().text());
        std::vector<std::unique_ptr<train::SequenceModel>> models;
        models.push_back(std::move(*made));
        return std::make_unique<train::Trainer>(std::move(models), config, c10::Device(at::kCUDA, 0), 1,
                                                std::move(maybeGroup));
    }
};

#if defined(KURVE_HAS_CUDA)
/// While it lives, what waits for the GPU in this thread is warned of; it counts that.
class CountedSyncs : public c10::WarningHandler {
public:
    CountedSyncs() { c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_WARN); }
    ~CountedSyncs() override {
        c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
    }
    CountedSyncs(const CountedSyncs&) = delete;
    CountedSyncs& operator=(const CountedSyncs&) = delete;
    void process(const c10::Warning& warning) override {
        if (warning.msg().find("synchroniz") != std::string::npos) ++count_;
    }
    [[nodiscard]] int count() const { return count_; }

private:
    int count_ = 0;
    c10::WarningUtils::WarningHandlerGuard guard_{this};
};

class GpuSyncs : public GpuTraining, public ::testing::WithParamInterface<std::string> {};

TEST_P(GpuSyncs, AStepWaitsForNothing) {
    const auto trainer = trainerOf(testing::toyConfig(GetParam(), testing::known(GetParam(), {})));
    const text::Batch batch = testing::batchFor(GetParam());
    trainer->step({batch, batch}, 1e-3);  // makes what is kept
    CountedSyncs syncs;
    train::StepReport report;
    for (int i = 0; i < 3; ++i) report = trainer->step({batch, batch}, 1e-3);
    EXPECT_EQ(syncs.count(), 0);
    (void)report.loss.item<float>();
    EXPECT_EQ(syncs.count(), 1) << "reading a loss is what waits, and it is counted";
}
INSTANTIATE_TEST_SUITE_P(Families, GpuSyncs, ::testing::ValuesIn(testing::familyIds()),
                         [](const auto& i) { return i.param; });
#endif

/// Of one rank, whose sums are its own gradients.
std::shared_ptr<distributed::ProcessGroup> groupOfOne() {
    distributed::JoinRequest request;
    request.environment = {0, 1, 0, distributed::kLoopback, 0};
    request.gpus = true;
    auto joined = distributed::ProcessGroup::join(request);
    KURVE_CHECK(joined.has_value(), "{}", joined.error().text());
    return *joined;
}

TEST_F(GpuTraining, OneRankOverNcclTrainsWhatNoGroupTrains) {
    // During the backward pass, and after it.
    for (const char* checkpointing : {"false", "true"}) {
        const RunConfig config = testing::toyConfig(
            "difformer", std::vector<Override>{{"train.max_grad_norm", "0.5"},
                                               {"train.eps", "0.001"},
                                               {"train.activation_checkpointing", checkpointing}});
        const auto group = groupOfOne();
        const auto alone = trainerOf(config), ranked = trainerOf(config, group);
        ranked->shareState();
        const text::Batch batch = testing::batchFor("difformer");
        for (int i = 0; i < 5; ++i) {
            const auto a = alone->step({batch, batch}, 1e-3), b = ranked->step({batch, batch}, 1e-3);
            EXPECT_NEAR(a.gradientNorm.item<double>(), b.gradientNorm.item<double>(), 1e-4);
        }
        EXPECT_FALSE(ranked->nonFinite());
        EXPECT_TRUE(at::allclose(alone->parameters().values(), ranked->parameters().values(), 1e-4, 1e-5));
    }
}

TEST_F(GpuTraining, TwoRanksTrainWhatOneTrains) {
    if (const int gpus = tensor::cudaLibrary().devices; gpus < 2)
        GTEST_SKIP() << "several ranks need a GPU each: this machine has " << gpus;
    const kurve::testing::TemporaryFolder project;
    kurve::testing::makeSmallProject(project.path());
    const auto lossOf = [&](const std::string& run, std::vector<std::string> options) {
        options.insert(options.begin(),
                       {"train", "small", "--run", run, "--json", "--quiet", "--device", "cuda"});
        const auto trained = kurve::testing::runEngine(options, project.path());
        EXPECT_EQ(trained.code, 0) << trained.log;
        return trained.json()["metrics"]["loss"].get<double>();
    };
    const double one = lossOf("one", {}), two = lossOf("two", {"--nproc", "2"}),
                 sharded = lossOf("sharded", {"--nproc", "2", "--set", "train.shard_optimizer=true"});
    EXPECT_NEAR(two, one, 1e-3 * std::abs(one));
    EXPECT_NEAR(sharded, one, 1e-3 * std::abs(one));
}

}  // namespace
}  // namespace kurve::models
