#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/file.h"
#include "core/store/run_reader.h"
#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using ::testing::HasSubstr;

/// A small project with schedule files.
class ScheduleFileTest : public ::testing::Test {
protected:
    void SetUp() override {
        makeSmallProject(project_.path());
        write("mine", "zero_terminal = true\npoints = [[0, 9], [0.4, 0.5], [1, -9]]\n");
        write("mask", "kind = \"mask\"\npoints = [[0, 9], [1, -9]]\n");
        write("rising", "points = [[0, 9], [0.4, 10], [1, -9]]\n");
    }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(project_ / "schedules");
        std::ofstream(project_ / ("schedules/" + name + ".toml")) << text;
    }
    [[nodiscard]] EngineResult run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        return runEngine(arguments, project_.path());
    }
    [[nodiscard]] EngineResult train(const std::string& schedule, const std::string& id) const {
        return run({"train", "small", "--run", id, "--set", "diffusion.schedule=" + schedule});
    }
    [[nodiscard]] std::string configOf(const std::string& id) const {
        return (*store::RunReader::open(project_ / "runs" / id))->values().at("config");
    }
    TemporaryFolder project_;
};

constexpr const char* kInline = "schedule = \"free:0=9,0.4=0.5,1=-9;zero-terminal\"";

TEST_F(ScheduleFileTest, TrainsAndStandsForItselfAfterwards) {
    const auto trained = train("file:schedules/mine.toml", "a");
    ASSERT_EQ(trained.code, 0) << trained.log;
    EXPECT_THAT(configOf("a"), HasSubstr(kInline));
    // The file may change or go: the run knows its points.
    write("mine", "points = [[0, 4], [1, -4]]\n");
    std::filesystem::remove(project_ / "schedules/mask.toml");
    const auto sampled = run({"sample", "a", "--input", "the king", "--set", "sampler.steps=4"});
    EXPECT_EQ(sampled.code, 0) << sampled.log;
    const auto traced = run({"trace", "a", "--input", "the king", "--out", "t.safetensors"});
    EXPECT_EQ(traced.code, 0) << traced.log;
    EXPECT_EQ(run({"verify", "a"}).code, 0);
    const auto forked =
        run({"fork", "a", "--run", "b", "--set", "diffusion.schedule=file:schedules/mine.toml"});
    ASSERT_EQ(forked.code, 0) << forked.log;
    EXPECT_THAT(configOf("b"), HasSubstr("schedule = \"free:0=4,1=-4\""));
}

// The same points written into the experiment give the same run, bit by bit.
TEST_F(ScheduleFileTest, IsTheSameAsItsPoints) {
    ASSERT_EQ(train("file:schedules/mine.toml", "a").code, 0);
    const auto again = train("free:0=9,0.4=0.5,1=-9;zero-terminal", "b");
    ASSERT_EQ(again.code, 0) << again.log;
    const auto weightsOf = [&](const std::string& id) {
        return readFile(project_ / "runs" / id / "checkpoints/step-00000012/weights.safetensors");
    };
    ASSERT_TRUE(weightsOf("a"));
    EXPECT_EQ(*weightsOf("a"), *weightsOf("b"));
}

struct Wrong {
    std::string schedule, code, says;
};
void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.schedule;
}
class WrongScheduleTest : public ScheduleFileTest, public ::testing::WithParamInterface<Wrong> {};

TEST_P(WrongScheduleTest, StopsBeforeARunIsMade) {
    const auto result = train(GetParam().schedule, "x");
    EXPECT_EQ(result.code, 2) << result.log;
    EXPECT_EQ(result.json()["error"]["code"], GetParam().code);
    EXPECT_EQ(result.json()["error"]["field"], "diffusion.schedule");
    EXPECT_THAT(result.log, HasSubstr(GetParam().says));
    EXPECT_FALSE(std::filesystem::exists(project_ / "runs/x"));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, WrongScheduleTest,
    ::testing::Values(Wrong{"file:schedules/none.toml", "schedule.file", "cannot be read: No such file"},
                      Wrong{"file:schedules/rising.toml", "schedule.points", "rising.toml:1: "},
                      Wrong{"file:schedules/mask.toml", "model.schedule", "a mask schedule"},
                      Wrong{"free:0=9", "schedule.points", "1 point;"},
                      Wrong{"file:", "config.bad_choice", "choose one of: sqrt"},
                      Wrong{"cosin", "config.bad_choice", "did you mean cosine?"}));

TEST_F(ScheduleFileTest, TheCommandPrintsItsNumbers) {
    const auto shown = run({"schedule", "file:schedules/mine.toml", "--at", "0,0.4,1"});
    ASSERT_EQ(shown.code, 0) << shown.log;
    const auto document = shown.json();
    EXPECT_EQ(document["alpha"][2], 0);
    EXPECT_NEAR(document["log_snr"][0].get<double>(), 9, 1e-6);
    EXPECT_EQ(document["training_steps"], 2000);
    const auto steps = run({"schedule", "file:schedules/mine.toml", "--steps", "5", "--set", "steps=50"});
    ASSERT_EQ(steps.code, 0) << steps.log;
    EXPECT_EQ(steps.json()["reverse"].size(), 5U);
    const auto mask = run({"schedule", "file:schedules/mask.toml", "--at", "0.5"});
    EXPECT_NEAR(mask.json()["mask_prob"][0].get<double>(), 0.5, 1e-12);
    EXPECT_EQ(run({"schedule", "file:schedules/rising.toml"}).json()["error"]["code"], "schedule.points");
}

}  // namespace
}  // namespace kurve::testing
