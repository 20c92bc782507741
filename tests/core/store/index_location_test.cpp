// Where the index of a project lies when the project is on a network file system.
#include "core/store/detail/index_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

class NetworkProject : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(project_ / "runs");
        std::ofstream(project_ / "project.toml") << "name = \"shared\"\n";
        auto writer = RunWriter::open(opened().runFolder("a"));
        ASSERT_TRUE(writer);
        (*writer)->set("state", "completed");
        ASSERT_TRUE((*writer)->flush());
    }
    [[nodiscard]] Project opened() const { return *Project::open(project_.path()); }
    /// The project's folder lies on a network, and with `ownToo` every folder.
    [[nodiscard]] IndexPaths paths(bool ownToo = false) const {
        return {[this, ownToo](const std::filesystem::path& folder) {
                    return ownToo || folder == opened().folder();
                },
                own_ / "indexes"};
    }
    TemporaryFolder project_, own_;
};

TEST_F(NetworkProject, NothingIsWrittenThereAndMarksAreKeptInTheUsersFolder) {
    {
        auto index = ProjectIndex::open(opened(), paths());
        ASSERT_TRUE(index) << index.error().text();
        EXPECT_THAT((*index)->notice(), HasSubstr((own_ / "indexes").string()));
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->setStarred("a", true));
    }
    for (const char* name : {"index.db", "index.db-wal", "index.db-shm"})
        EXPECT_FALSE(std::filesystem::exists(project_ / name)) << name;
    EXPECT_EQ(ProjectIndex::fileOf(opened(), paths()).parent_path(), own_ / "indexes");
    auto again = ProjectIndex::open(opened(), paths());
    ASSERT_TRUE((*again)->refresh());
    EXPECT_TRUE((*again)->runs()->front().starred) << "kept from one time to the next";
}

TEST_F(NetworkProject, ItBeginsWithTheMarksOfTheProjectsOwnIndex) {
    {
        auto index = ProjectIndex::open(opened());
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->changeTags("a", {"paper"}, {}));
        EXPECT_EQ((*index)->notice(), "");
    }
    const auto written = std::filesystem::last_write_time(project_ / "index.db");
    auto index = ProjectIndex::open(opened(), paths());
    ASSERT_TRUE((*index)->refresh());
    EXPECT_THAT((*index)->runs()->front().tags, ElementsAre("paper"));
    ASSERT_TRUE((*index)->changeTags("a", {"other"}, {"paper"}));
    EXPECT_EQ(std::filesystem::last_write_time(project_ / "index.db"), written);
    EXPECT_THAT((*ProjectIndex::open(opened()))->runs()->front().tags, ElementsAre("paper"));
}

TEST_F(NetworkProject, AHomeOnTheNetworkLeavesTheMarksAsTheyAre) {
    {
        auto index = ProjectIndex::open(opened());
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->setNotes("a", "good", ""));
    }
    auto index = ProjectIndex::open(opened(), paths(true));
    ASSERT_TRUE(index) << index.error().text();
    ASSERT_TRUE((*index)->refresh());
    EXPECT_EQ((*index)->runs()->front().notes, "good");
    const Status refused = (*index)->setStarred("a", true);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "store.network");
    EXPECT_THAT(refused.error().remedy, HasSubstr("local disk"));
    EXPECT_EQ(ProjectIndex::fileOf(opened(), paths(true)), "");
}

TEST_F(NetworkProject, OnALocalDiskAgainItHasTheMarksMadeMeanwhile) {
    {
        auto index = ProjectIndex::open(opened(), paths());
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->setNotes("a", "said on the network", ""));
    }
    const auto file = ProjectIndex::fileOf(opened(), paths());
    ASSERT_TRUE(std::filesystem::exists(file));
    const IndexPaths local{[](const std::filesystem::path&) { return false; }, own_ / "indexes"};
    for (int session = 0; session < 2; ++session) {
        auto index = ProjectIndex::open(opened(), local);
        ASSERT_TRUE(index) << index.error().text();
        EXPECT_EQ((*index)->notice(), "");
        ASSERT_TRUE((*index)->refresh());
        EXPECT_EQ((*index)->runs()->front().notes, "said on the network");
        EXPECT_TRUE(std::filesystem::is_empty(own_ / "indexes")) << "nothing is left behind";
    }
}

TEST_F(NetworkProject, MarksThatCannotBeTakenOverStayAndAreReported) {
    const auto file = ProjectIndex::fileOf(opened(), paths());
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << std::string(4096, '?');
    auto index = ProjectIndex::open(opened(), {[](const auto&) { return false; }, own_ / "indexes"});
    ASSERT_TRUE(index) << index.error().text();
    EXPECT_THAT((*index)->notice(), HasSubstr(file.string()));
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(NetworkProject, TheUsersOwnDamagedIndexIsPutAsideAndBothAreReported) {
    const auto file = ProjectIndex::fileOf(opened(), paths());
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << std::string(4096, '?');
    const auto index = ProjectIndex::openRepaired(opened(), paths());
    ASSERT_TRUE(index) << index.error().text();
    EXPECT_THAT((*index)->notice(),
                HasSubstr("stay on this machine. The index of the runs could not be read"));
    EXPECT_EQ(std::filesystem::file_size(file.string() + ".damaged"), 4096U);
}

TEST_F(NetworkProject, AnIndexThatCannotBeReadIsReportedAndLeftAlone) {
    std::ofstream(project_ / "index.db") << std::string(4096, '?');
    auto index = ProjectIndex::open(opened(), paths());
    ASSERT_TRUE(index) << index.error().text();
    EXPECT_THAT((*index)->notice(), HasSubstr("Not all names"));
    EXPECT_EQ(std::filesystem::file_size(project_ / "index.db"), 4096U);
}

}  // namespace
}  // namespace kurve::store
