// Two programs with one project: each shows what the other said and read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/store/filter_words.h"
#include "tests/core/store/index_fixture.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SharedIndex : public IndexFixture {
protected:
    void SetUp() override {
        IndexFixture::SetUp();
        write("a");
        write("b");
        mine_ = open();
        theirs_ = open();
    }
    static std::vector<std::string> changed(ProjectIndex& index) {
        const auto ids = index.refresh();
        EXPECT_TRUE(ids) << ids.error().text();
        return *ids;
    }
    std::unique_ptr<ProjectIndex> mine_, theirs_;
};

TEST_F(SharedIndex, MarksOfTheOtherAreNews) {
    (void)changed(*mine_);  // what the other wrote when it began
    const auto before = runOf(*mine_, "b").version;
    ASSERT_TRUE(theirs_->changeTags("a", {"paper"}, {}));
    ASSERT_TRUE(theirs_->setTrashed("a", true));
    EXPECT_THAT(changed(*mine_), ElementsAre("a"));
    EXPECT_THAT(runOf(*mine_, "a").tags, ElementsAre("paper"));
    EXPECT_TRUE(runOf(*mine_, "a").trashed);
    EXPECT_EQ(runOf(*mine_, "b").version, before) << "of the others nothing is another";
    EXPECT_THAT(changed(*mine_), IsEmpty()) << "it is reported once";
    EXPECT_THAT(changed(*theirs_), IsEmpty()) << "and nothing was written back";
}

TEST_F(SharedIndex, TagsAndNotesOfBothAreKept) {
    (void)changed(*mine_);
    (void)changed(*theirs_);
    ASSERT_TRUE(mine_->changeTags("a", {"good", "paper"}, {}));
    ASSERT_TRUE(theirs_->changeTags("a", {"seed", "good"}, {"never there"}));
    ASSERT_TRUE(mine_->changeTags("a", {}, {"paper"}));
    EXPECT_THAT(runOf(*mine_, "a").tags, ElementsAre("good", "seed"));
    ASSERT_TRUE(mine_->setNotes("a", "falls fast", ""));
    const auto stands = theirs_->setNotes("a", "seed 2", "");
    ASSERT_TRUE(stands);
    EXPECT_EQ(*stands, "seed 2\nfalls fast");
    EXPECT_EQ(runOf(*mine_, "a").notes, *stands);
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

TEST_F(SharedIndex, NewsFromAQueryAreStillReportedByTheNextRefresh) {
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

TEST_F(SharedIndex, ANewRunHasNothingOfADeletedOneOfItsId) {
    ASSERT_TRUE(mine_->setNotes("a", "of the old one", ""));
    ASSERT_TRUE(mine_->setStarred("a", true));
    ASSERT_TRUE(mine_->setTrashed("a", true));
    ASSERT_TRUE(purgeRuns(project(), std::vector{runOf(*mine_, "a")}));
    write("a");
    for (const auto& index : {mine_.get(), theirs_.get()}) {
        (void)changed(*index);
        const RunSummary run = runOf(*index, "a");
        EXPECT_FALSE(run.trashed);
        EXPECT_FALSE(run.starred);
        EXPECT_EQ(run.notes, "");
        EXPECT_GE(run.style, 0);
    }
}

}  // namespace
}  // namespace kurve::store
