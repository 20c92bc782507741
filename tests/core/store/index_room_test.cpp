// A disk without room hides no run and no mark, and is left behind when there is room again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "core/store/query.h"
#include "tests/core/store/index_fixture.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// No file of this process may grow: what a full disk looks like to a program.
class FullDisk {
public:
    FullDisk() {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{100, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

class IndexRoom : public IndexFixture {
protected:
    void SetUp() override {
        IndexFixture::SetUp();
        write("a");
    }
};

TEST_F(IndexRoom, AFullDiskHidesNothingAndIsLeftBehindWhenThereIsRoom) {
    ASSERT_TRUE(open()->setNotes("a", "keep", ""));
    write("b");
    std::unique_ptr<ProjectIndex> index;
    {
        const FullDisk full;
        index = open();
        EXPECT_EQ(runOf(*index, "a").notes, "keep");
        EXPECT_EQ(runOf(*index, "b").state, "completed");
        EXPECT_THAT(index->notice(), HasSubstr("cannot be changed"));
        EXPECT_EQ(index->file(), "");
        EXPECT_EQ(index->setStarred("b", true).error().code, "io.write");
    }
    ASSERT_TRUE(index->setStarred("b", true)) << "there is room again";
    EXPECT_EQ(index->notice(), "");
    EXPECT_EQ(runOf(*index, "a").notes, "keep");
    EXPECT_TRUE(runOf(*open(), "b").starred);
    EXPECT_EQ(runOf(*open(), "a").notes, "keep");
}

TEST_F(IndexRoom, ARefreshIsEnoughToLeaveItBehind) {
    std::unique_ptr<ProjectIndex> index;
    {
        const FullDisk full;
        index = open();
        EXPECT_EQ(runOf(*index, "a").state, "completed") << "without an index.db before";
        EXPECT_THAT(index->notice(), Not(HasSubstr("Not all names")));
    }
    const auto changed = index->refresh();
    ASSERT_TRUE(changed);
    EXPECT_THAT(*changed, ElementsAre("a")) << "its marks may be others now";
    EXPECT_EQ(index->file(), folder_ / "index.db");
}

TEST_F(IndexRoom, ADiskThatFillsUpMeanwhileHidesNoRun) {
    const auto index = open();
    write("b");
    {
        const FullDisk full;
        const auto changed = index->refresh();
        ASSERT_TRUE(changed) << changed.error().text();
        EXPECT_THAT(*changed, ElementsAre("b"));
        EXPECT_EQ(runOf(*index, "b").state, "completed");
    }
    ASSERT_TRUE(index->refresh());
    const auto kept = readOnlyQuery(index->file(), "SELECT count(*) FROM runs");
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->rows[0][0], 2) << "what could not be kept is written when there is room";
}

}  // namespace
}  // namespace kurve::store
