// A disk without room hides no run and no mark, and is left behind when there is room again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "core/store/project.h"
#include "core/store/query.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

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

class IndexRoom : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "runs");
        std::ofstream(folder_ / "project.toml") << "name = \"room\"\n";
        makeRun("a");
    }
    [[nodiscard]] Project project() const { return *Project::open(folder_.path()); }
    void makeRun(const std::string& id) const {
        const auto writer = RunWriter::open(project().runFolder(id));
        ASSERT_TRUE(writer) << writer.error().text();
        (*writer)->set("state", "completed");
        ASSERT_TRUE((*writer)->flush());
    }
    [[nodiscard]] std::unique_ptr<ProjectIndex> read() const {
        auto index = ProjectIndex::open(project());
        EXPECT_TRUE(index) << index.error().text();
        EXPECT_TRUE((*index)->refresh());
        return std::move(*index);
    }
    static RunSummary runOf(const ProjectIndex& index, const std::string& id) {
        const auto runs = index.runs();
        for (const auto& run : *runs)
            if (run.id == id) return run;
        ADD_FAILURE() << "no run " << id;
        return {};
    }
    TemporaryFolder folder_;
};

TEST_F(IndexRoom, AFullDiskHidesNothingAndIsLeftBehindWhenThereIsRoom) {
    ASSERT_TRUE(read()->setNotes("a", "keep"));
    makeRun("b");
    std::unique_ptr<ProjectIndex> index;
    {
        const FullDisk full;
        index = read();
        EXPECT_EQ(runOf(*index, "a").notes, "keep");
        EXPECT_EQ(runOf(*index, "b").state, "completed");
        EXPECT_THAT(index->notice(), HasSubstr("cannot be changed"));
        EXPECT_EQ(index->file(), "");
        EXPECT_EQ(index->setStarred("b", true).error().code, "io.write");
    }
    ASSERT_TRUE(index->setStarred("b", true)) << "there is room again";
    EXPECT_EQ(index->notice(), "");
    EXPECT_EQ(runOf(*index, "a").notes, "keep");
    EXPECT_TRUE(runOf(*read(), "b").starred);
    EXPECT_EQ(runOf(*read(), "a").notes, "keep");
}

TEST_F(IndexRoom, ALookIsEnoughToLeaveItBehind) {
    std::unique_ptr<ProjectIndex> index;
    {
        const FullDisk full;
        index = read();
        EXPECT_EQ(runOf(*index, "a").state, "completed") << "without an index.db before";
        EXPECT_THAT(index->notice(), Not(HasSubstr("Not all names")));
    }
    const auto changed = index->refresh();
    ASSERT_TRUE(changed);
    EXPECT_THAT(*changed, ElementsAre("a")) << "its marks may be others now";
    EXPECT_EQ(index->file(), folder_ / "index.db");
}

TEST_F(IndexRoom, ADiskThatFillsUpMeanwhileHidesNoRun) {
    const auto index = read();
    makeRun("b");
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
