#include "core/store/run_process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/store/detail/process.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;

/// A run that this process writes.
class RunProcessTest : public ::testing::Test {
protected:
    [[nodiscard]] fs::path run() const { return folder_ / "run"; }
    testing::TemporaryFolder folder_;
    std::unique_ptr<RunWriter> writer_ = std::move(*RunWriter::open(run()));
    std::map<std::string, std::string> own_ = detail::ProcessIdentity::self(run()).values();
};

TEST_F(RunProcessTest, RunsHereIsTrueOfThisProcessAndOfNobodyElsesNumber) {
    EXPECT_TRUE(writerRunsHere(run(), own_));
    // The same number, which lives here, of another start, machine or container.
    for (const char* key : {"pid_started", "boot_id", "pid_namespace"}) {
        auto other = own_;
        other[key] = "another";
        EXPECT_FALSE(writerRunsHere(run(), other)) << key;
    }
    EXPECT_FALSE(writerRunsHere(run(), {})) << "a run that does not say";
}

/// Its pid is that of the training of the original: to signal it would end that.
TEST_F(RunProcessTest, TheWriterOfTheOriginalIsNotThatOfACopy) {
    ASSERT_TRUE(writer_->flush());
    fs::copy(run(), folder_ / "copy");
    EXPECT_FALSE(writerRunsHere(folder_ / "copy", own_));
    EXPECT_FALSE(writerMayRun(folder_ / "copy", own_));
    fs::rename(run(), folder_ / "moved");
    EXPECT_TRUE(writerRunsHere(folder_ / "moved", own_)) << "the same files";
}

TEST_F(RunProcessTest, MayRunBelievesASignOfLifeFromWhereNobodyCanLook) {
    auto other = own_;
    other["state"] = "running";
    EXPECT_TRUE(writerMayRun(run(), other));
    other["pid_namespace"] = "a container's";
    other["heartbeat_wall"] = std::to_string(wallSeconds() - 10);
    EXPECT_TRUE(writerMayRun(run(), other));
    other["state"] = "completed";
    EXPECT_FALSE(writerMayRun(run(), other));
    other["state"] = "running";
    other["heartbeat_wall"] = std::to_string(wallSeconds() - 60);
    EXPECT_FALSE(writerMayRun(run(), other));
    auto gone = own_;
    gone["pid_started"] = "1";
    gone["heartbeat_wall"] = std::to_string(wallSeconds());
    EXPECT_FALSE(writerMayRun(run(), gone)) << "its process can be looked for";
    EXPECT_FALSE(writerMayRun(run(), {}));
}

}  // namespace
}  // namespace kurve::store
