// Two programs with one project: each shows what the other said and read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/store/filter_words.h"
#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

class SharedIndex : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "runs");
        std::ofstream(folder_ / "project.toml") << "name = \"shared\"\n";
        write("a", "completed");
        write("b", "completed");
        mine_ = open();
        theirs_ = open();
    }
    void write(const std::string& id, const std::string& state) const {
        const auto writer = RunWriter::open(folder_ / ("runs/" + id));
        ASSERT_TRUE(writer) << writer.error().text();
        (*writer)->set("state", state);
        ASSERT_TRUE((*writer)->flush());
    }
    [[nodiscard]] std::unique_ptr<ProjectIndex> open() const {
        auto index = ProjectIndex::open(*Project::open(folder_.path()));
        EXPECT_TRUE(index) << index.error().text();
        EXPECT_TRUE((*index)->refresh());
        return std::move(*index);
    }
    static std::vector<std::string> changed(ProjectIndex& index) {
        const auto ids = index.refresh();
        EXPECT_TRUE(ids) << ids.error().text();
        return *ids;
    }
    static RunSummary runOf(const ProjectIndex& index, const std::string& id) {
        const auto runs = index.runs();
        for (const auto& run : *runs)
            if (run.id == id) return run;
        ADD_FAILURE() << "no run " << id;
        return {};
    }
    TemporaryFolder folder_;
    std::unique_ptr<ProjectIndex> mine_, theirs_;
};

TEST_F(SharedIndex, WhatTheOtherSaysOfARunIsNews) {
    (void)changed(*mine_);  // what the other wrote when it began
    const auto before = runOf(*mine_, "b").version;
    ASSERT_TRUE(theirs_->setTags("a", {"paper"}));
    ASSERT_TRUE(theirs_->setTrashed("a", true));
    EXPECT_THAT(changed(*mine_), ElementsAre("a"));
    EXPECT_THAT(runOf(*mine_, "a").tags, ElementsAre("paper"));
    EXPECT_TRUE(runOf(*mine_, "a").trashed);
    EXPECT_EQ(runOf(*mine_, "b").version, before) << "of the others nothing is another";
    EXPECT_THAT(changed(*mine_), IsEmpty()) << "it is told once";
    EXPECT_THAT(changed(*theirs_), IsEmpty()) << "and nothing was written back";
}

TEST_F(SharedIndex, WhatTheOtherReadFirstIsNewsHereToo) {
    (void)changed(*mine_);
    write("a", "failed");
    write("c", "completed");
    std::filesystem::remove_all(folder_ / "runs/b");
    EXPECT_THAT(changed(*theirs_), ::testing::UnorderedElementsAre("a", "b", "c"));
    EXPECT_THAT(changed(*mine_), ::testing::UnorderedElementsAre("a", "b", "c"));
    EXPECT_EQ(runOf(*mine_, "a").state, "failed");
    EXPECT_EQ(mine_->runs()->size(), 2U);
}

TEST_F(SharedIndex, NewsThatAQuestionBroughtAreStillToldByTheNextLook) {
    (void)changed(*mine_);
    ASSERT_TRUE(theirs_->setStarred("b", true));
    EXPECT_TRUE(runOf(*mine_, "b").starred);
    EXPECT_THAT(changed(*mine_), ElementsAre("b"));
}

TEST_F(SharedIndex, WhatTheOtherTookOutOfTheTrashIsNotDeleted) {
    ASSERT_TRUE(mine_->setTrashed("a", true));
    const RunSummary trashed = runOf(*mine_, "a");
    ASSERT_TRUE(theirs_->refresh());
    ASSERT_TRUE(theirs_->setTrashed("a", false));
    const Project project = *Project::open(folder_.path());
    const auto purged = purgeRuns(project, std::vector{trashed});
    ASSERT_FALSE(purged);
    EXPECT_EQ(purged.error().code, "run.not_trashed");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/a/run.db"));
    ASSERT_TRUE(theirs_->setTrashed("a", true));
    EXPECT_TRUE(purgeRuns(project, std::vector{trashed}));
}

}  // namespace
}  // namespace kurve::store
