// The index of a project with many runs is made in parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

class IndexInParts : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "runs");
        std::ofstream(folder_ / "project.toml") << "name = \"many\"\n";
    }
    [[nodiscard]] Project project() const { return *Project::open(folder_.path()); }
    /// The writer holds the run open until it dies.
    std::unique_ptr<RunWriter> makeRun(const std::string& id, double value = 1) {
        auto writer = RunWriter::open(project().runFolder(id));
        EXPECT_TRUE(writer) << writer.error().text();
        (*writer)->set("state", "completed");
        (*writer)->scalar("loss", 1, 1, value);
        EXPECT_TRUE((*writer)->flush());
        return std::move(*writer);
    }
    std::unique_ptr<ProjectIndex> index() { return std::move(*ProjectIndex::open(project())); }
    /// Runs that one call reads which has no time: with few runs it is one.
    static std::vector<std::string> next(ProjectIndex& index) {
        const auto part = index.refreshFor(0);
        EXPECT_TRUE(part) << part.error().text();
        return part ? part->changed : std::vector<std::string>();
    }
    TemporaryFolder folder_;
};

TEST_F(IndexInParts, WhatIsBeingWrittenComesFirstThenTheNewest) {
    const auto live = makeRun("20260101-000000-b");
    for (const char* id : {"20260101-000000-a", "20260103-000000-a", "20260102-000000-a"}) makeRun(id);
    const auto index = this->index();
    const auto part = index->refreshFor(0);
    ASSERT_TRUE(part);
    EXPECT_THAT(part->changed, ElementsAre("20260101-000000-b"));
    EXPECT_EQ(part->waiting, 3U);
    EXPECT_EQ(index->runs()->size(), 1U) << "what is read is there";
    EXPECT_THAT(next(*index), ElementsAre("20260103-000000-a"));
    EXPECT_THAT(next(*index), ElementsAre("20260102-000000-a"));
    EXPECT_EQ(index->refreshFor(0)->waiting, 0U);
    EXPECT_THAT(next(*index), IsEmpty());
    EXPECT_EQ(this->index()->runs()->size(), 4U) << "and stays there";
}

TEST_F(IndexInParts, ARunThatComesMeanwhileDoesNotWaitForTheOldOnes) {
    for (const char* id : {"a", "b", "c"}) makeRun(id);
    const auto index = this->index();
    EXPECT_THAT(next(*index), ElementsAre("c"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a folder's time is coarse
    makeRun("d");
    EXPECT_THAT(next(*index), ElementsAre("d"));
    EXPECT_THAT(next(*index), ElementsAre("b"));
}

TEST_F(IndexInParts, AnotherProgramMayWriteTheIndexInBetween) {
    for (const char* id : {"a", "b"}) makeRun(id);
    const auto index = this->index();
    ASSERT_TRUE(index->refresh());
    for (const char* id : {"a", "b"}) makeRun(id, 2);
    EXPECT_THAT(next(*index), ElementsAre("b"));
    ASSERT_TRUE(this->index()->setStarred("b", true));  // what this one knew is read anew
    EXPECT_THAT(next(*index), ElementsAre("a", "b")) << "one was read, of the other something was said";
    EXPECT_EQ(index->runs()->front().metrics.at("loss"), 2);
    EXPECT_TRUE(index->runs()->back().starred);
}

TEST_F(IndexInParts, WhatIsLeftOutStaysOutUntilItIsRequested) {
    for (const char* id : {"a", "b", "c"}) makeRun(id);
    const auto index = this->index();
    EXPECT_THAT(next(*index), ElementsAre("c"));
    EXPECT_EQ(index->leaveWaiting(), 2U);
    EXPECT_THAT(*index->refresh(), IsEmpty());
    makeRun("c", 2);
    makeRun("d");
    EXPECT_THAT(*index->refresh(), ElementsAre("d", "c")) << "new and known ones are not left";
    index->takeAll();
    EXPECT_THAT(*index->refresh(), ElementsAre("b", "a"));
}

TEST_F(IndexInParts, ManyRunsAreReadByThreadsEachWithItsOwnNumbers) {
    constexpr int kRuns = 48;
    for (int i = 0; i < kRuns; ++i) makeRun("run-" + std::to_string(1000 + i), i);
    const auto index = this->index();
    std::size_t waiting = kRuns;
    for (int parts = 0; waiting > 0 && parts <= kRuns; ++parts) waiting = index->refreshFor(0)->waiting;
    const auto runs = *index->runs();
    ASSERT_EQ(runs.size(), static_cast<std::size_t>(kRuns));
    for (int i = 0; i < kRuns; ++i) {
        const auto& run = runs[static_cast<std::size_t>(i)];
        EXPECT_EQ(run.id, "run-" + std::to_string(1000 + i));
        EXPECT_EQ(run.metrics.at("loss"), i);
    }
}

}  // namespace
}  // namespace kurve::store
