// A training whose device has no memory left at some moment.
#include "core/train/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/base/file.h"
#include "core/train/follower.h"
#include "tests/app/engine/engine_process.h"
#include "tests/core/distributed/ranks.h"
#include "tests/core/train/echo_family.h"
#include "tests/support/temporary_folder.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;

/// Refuses once, where it is armed, a block of `bytes`.
class FullMemory : public c10::Allocator {
public:
    static FullMemory& put() {
        static FullMemory memory;
        return memory;
    }
    void arm(std::size_t bytes) { refused_ = bytes; }
    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes == refused_) {
            refused_ = kNone;
            throw std::bad_alloc();
        }
        return below_->allocate(bytes);
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return below_->raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

private:
    FullMemory() : below_(c10::GetAllocator(c10::kCPU)) {
        constexpr std::uint8_t kBeforeTorchs = 200;
        c10::SetAllocator(c10::kCPU, this, kBeforeTorchs);
    }
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    c10::Allocator* below_;
    std::size_t refused_ = kNone;
};

/// When memory is full.
struct Moment {
    std::int64_t step = 0;  ///< in the loss of this training step
    int before = 0;         ///< after so many losses of it
    bool update = false;  ///< not in the loss, but where a block as large as the weights is wanted behind it
    bool evaluation = false;  ///< as soon as the averaged weights are needed
};

/// Of the block that a trainer has put the parameters into.
std::size_t bytesOfParameters(const torch::nn::Module& module) {
    return module.parameters().front().storage().nbytes();
}

/// The module of another model; counts the losses of training in a buffer.
struct CountingNet : torch::nn::Module {
    CountingNet(std::shared_ptr<torch::nn::Module> below, bool fails) : fails_(fails) {
        register_module("below", std::move(below));
        losses = register_buffer("losses", at::zeros({1}));
    }
    void train(bool on) override {
        Module::train(on);
        if (on || !fails_) return;
        FullMemory::put().arm(bytesOfParameters(*this));
    }
    at::Tensor losses;

private:
    bool fails_;
};

class CountingModel : public SequenceModel {
public:
    CountingModel(std::unique_ptr<SequenceModel> below, Moment full)
        : below_(std::move(below)),
          net_(std::make_shared<CountingNet>(below_->module().shared_from_this(), full.evaluation)),
          full_(full) {}
    torch::nn::Module& module() override { return *net_; }
    LossReport loss(const DeviceBatch& batch, const StepRandom& random) override {
        if (net_->is_training()) net_->losses += 1;
        LossReport report = below_->loss(batch, random);
        report.logSnr = at::Tensor();  // no gradients of single rows are measured
        if (static_cast<std::int64_t>(random.step) + 1 != full_.step || full_.before-- > 0) return report;
        if (!full_.update) throw std::bad_alloc();
        FullMemory::put().arm(bytesOfParameters(*net_));
        return report;
    }
    Result<Generation> generate(const GenerateRequest& request, const RunConfig& sampler,
                                trace::TraceSink* maybeTrace) override {
        return below_->generate(request, sampler, maybeTrace);
    }

private:
    std::unique_ptr<SequenceModel> below_;
    std::shared_ptr<CountingNet> net_;
    Moment full_;
};

class CountingFamily : public ModelFamily {
public:
    explicit CountingFamily(Moment full = {}) : full_(full) {}
    [[nodiscard]] Schema ownSchema() const override { return testing::EchoFamily().ownSchema(); }
    [[nodiscard]] Result<std::unique_ptr<SequenceModel>> create(const RunConfig& config,
                                                                const ModelContext& context) const override {
        KURVE_TRY(auto below, testing::EchoFamily().create(config, context));
        return std::unique_ptr<SequenceModel>(std::make_unique<CountingModel>(std::move(below), full_));
    }

private:
    Moment full_;
};

/// Gives the session its commands at once and keeps what it emits.
class Recorder : public SessionLink {
public:
    explicit Recorder(std::vector<wire::Message> commands = {}) : commands_(std::move(commands)) {}
    std::vector<wire::Message> commands(double) override { return std::exchange(commands_, {}); }
    void emit(const wire::Message& event) override { events.push_back(event); }
    [[nodiscard]] std::string stopReason() const override { return {}; }
    [[nodiscard]] bool attended() const override { return false; }
    CancelToken beginRequest(const std::string&) override { return {}; }
    [[nodiscard]] bool wasCancelled(const std::string&) override { return false; }
    std::vector<wire::Message> events;

private:
    std::vector<wire::Message> commands_;
};

class FullDevice : public ::testing::Test {
protected:
    void SetUp() override {
        at::set_num_threads(1);
        kurve::testing::makeSmallProject(project_.path());
    }
    [[nodiscard]] SessionRequest requestOf(const ModelFamily& family, const std::string& id,
                                           const std::vector<Override>& settings) const {
        const std::string text =
            "family = \"echo\"\n[data]\ntrain = \"data/train.tsv\"\nvalid = \"data/valid.tsv\"\n"
            "max_length = 48\ntokenizer.vocabulary = 300\n[train]\nsteps = 12\nbatch_tokens = 128\n"
            "cpu_replicas = 1\n[eval]\nevery_steps = 0\nsamples = 2\nprompt_count = 0\n"
            "[checkpoint]\nevery_steps = 1000\n";
        SessionRequest request;
        request.family = &family;
        request.config = *RunConfig::parse(text, "echo.toml", testing::echoSchemas(), settings);
        request.project = project_.path();
        request.runFolder = project_ / "runs/" / id;
        request.runId = request.name = id;
        request.force = true;
        return request;
    }
    static SessionResult trained(const SessionRequest& request, SessionLink& link) {
        auto session = TrainingSession::begin(request, link);
        if (!session) throw std::runtime_error(session.error().text());
        return *(*session)->run();
    }
    [[nodiscard]] std::string bytes(const std::string& id, const std::string& file) const {
        return *readFile(project_ / "runs" / id / "checkpoints/step-00000012" / file);
    }
    kurve::testing::TemporaryFolder project_;
};

// Weights and optimizer are those of the step before: as if the run had been stopped there.
TEST_F(FullDevice, AStepThatFailsBeforeItsUpdateLosesNoStepBefore) {
    const std::vector<Override> settings{{"train.accumulate", "2"}, {"log.every_steps", "8"}};
    const CountingFamily whole;
    Recorder link;
    ASSERT_EQ(trained(requestOf(whole, "whole", settings), link).steps, 12);
    for (const bool update : {false, true}) {
        const std::string id = update ? "measuring" : "computing";
        const CountingFamily failing(Moment{.step = 8, .update = update});
        SessionRequest request = requestOf(failing, id, settings);
        const SessionResult failed = trained(request, link);
        EXPECT_EQ(failed.state, "failed");
        EXPECT_EQ(failed.failure->code, "train.failed");
        EXPECT_EQ(failed.steps, 7);
        ASSERT_THAT(failed.checkpoint, ::testing::EndsWith("step-00000007")) << id;
        request.family = &whole;
        request.checkpoint = failed.checkpoint;
        ASSERT_EQ(trained(request, link).steps, 12);
        for (const char* file : {"weights.safetensors", "optimizer.safetensors"})
            EXPECT_TRUE(bytes("whole", file) == bytes(id, file)) << id << " " << file;
    }
}

TEST_F(FullDevice, AStepThatWasNotFiniteIsReportedWhereItCannotBeComputedAgain) {
    const CountingFamily failing(Moment{.step = 8, .before = 1});
    Recorder link;
    const SessionResult ended = trained(requestOf(failing, "a", {{"model.explode_at", "8"}}), link);
    EXPECT_EQ(ended.failure->code, "train.non_finite");
    EXPECT_THAT(ended.failure->text(), ::testing::HasSubstr("step 8 was not finite: not known in which"));
    EXPECT_EQ(ended.steps, 7);
}

TEST_F(FullDevice, AGpuThatIsNotUsedIsAWarning) {
    const CountingFamily family;
    SessionRequest request = requestOf(family, "a", {});
    request.maybeUnusedGpu = workError("device.no_cuda", "no kernels");
    Recorder link;
    EXPECT_EQ(trained(request, link).state, "completed");
    const auto warning = std::ranges::find(link.events, std::string("warning"), &wire::Message::type);
    ASSERT_NE(warning, link.events.end());
    EXPECT_EQ(warning->body["code"], "device.no_cuda");
}

class StoppedAtOnce : public FullDevice {};

TEST_F(StoppedAtOnce, AResumedTrainingKeepsWhatWasChangedAndTheMetricOfItsCheckpoint) {
    const CountingFamily family;
    Recorder undisturbed;
    SessionRequest request = requestOf(family, "a", {});
    request.checkpoint = trained(request, undisturbed).checkpoint;
    request.maxSteps = 20;
    const double metric = readCheckpoint(*request.checkpoint)->metric;
    ASSERT_FALSE(std::isnan(metric));
    Recorder link(
        {{"set", "", {{"key", "train.lr"}, {"value", 0.0007}}}, {"stop", "", nlohmann::json::object()}});
    EXPECT_EQ(trained(request, link).steps, 12);
    const auto state = readCheckpoint(*request.checkpoint);
    ASSERT_EQ(state->live.size(), 1U);
    EXPECT_EQ(state->live[0].key, "train.lr");
    EXPECT_EQ(state->metric, metric);
}

const std::vector<Override> kAveraged{{"train.ema_decay", "0.9"}};

// Only its answer is lost; the weights are the trained ones again.
TEST_F(FullDevice, APromptForWhichItDoesNotSufficeEndsNoTraining) {
    const CountingFamily whole, failing(Moment{.evaluation = true});
    Recorder undisturbed, link({{"sample", "p", {{"input", "in the beginning"}}}});
    ASSERT_EQ(trained(requestOf(whole, "whole", kAveraged), undisturbed).steps, 12);
    EXPECT_EQ(trained(requestOf(failing, "asked", kAveraged), link).state, "completed");
    const auto answer =
        std::ranges::find_if(link.events, [](const wire::Message& event) { return event.id == "p"; });
    ASSERT_NE(answer, link.events.end());
    EXPECT_EQ(answer->type, "error");
    EXPECT_EQ(answer->body["code"], "request.failed");
    for (const char* file : {"weights.safetensors", "optimizer.safetensors"})
        EXPECT_TRUE(bytes("whole", file) == bytes("asked", file)) << file;
}

// Rank 1 waits for the rest of the exchange: rank 0 must not go on with another one.
TEST_F(FullDevice, AnAverageThatCannotBeCollectedEndsAllRanks) {
    std::vector<Override> settings = kAveraged;
    settings.insert(settings.end(), {{"train.shard_optimizer", "true"}, {"eval.every_steps", "2"}});
    const std::uint16_t port = kurve::testing::freePort();
    const auto texts =
        kurve::testing::Ranks({0, 1}, [&](int rank) -> std::string {
            const CountingFamily family(Moment{.evaluation = rank == 0});
            SessionRequest request = requestOf(family, "a", settings);
            auto group = kurve::testing::joinAt(port, rank, 2);
            if (!group) return group.error().text();
            request.maybeGroup = *group;
            if (rank > 0) {
                const Status followed = followTraining(request);
                return followed ? "no error" : followed.error().text();
            }
            Recorder link;
            const SessionResult result = trained(request, link);
            return fmt::format("{} after {} steps: {}", result.state, result.steps, result.reason);
        }).texts();
    EXPECT_EQ(texts[0], "failed after 2 steps: std::bad_alloc");
    EXPECT_THAT(texts[1], ::testing::AllOf(::testing::HasSubstr("rank 0 ("),
                                           ::testing::HasSubstr("ended: std::bad_alloc")));
}

}  // namespace
}  // namespace kurve::train
