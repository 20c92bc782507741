// An index.db that cannot be read hides no run, and what people said about the runs is saved as far as it can
// be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "core/base/clock.h"
#include "core/store/detail/sqlite.h"
#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

class IndexDamage : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "runs");
        std::ofstream(folder_ / "project.toml") << "name = \"damage\"\n";
        const auto writer = RunWriter::open(project().runFolder("a"));
        ASSERT_TRUE(writer) << writer.error().text();
        (*writer)->set("state", "completed");
        ASSERT_TRUE((*writer)->flush());
    }
    [[nodiscard]] Project project() const { return *Project::open(folder_.path()); }
    void mark() const {
        const auto index = ProjectIndex::open(project());
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->changeTags("a", {"keep"}, {}));
        ASSERT_TRUE((*index)->setNotes("a", "what I saw", ""));
    }
    /// The whole file becomes something else.
    void overwrite(char with) const { std::ofstream(file_, std::ios::trunc) << std::string(9000, with); }
    /// The first page of a table is lost: what stands in the others can be read.
    void zeroTable(const std::string& table) const {
        std::int64_t page = 0, size = 0;
        {
            detail::Database db(file_, detail::Access::Write);
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            page = db.integer("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'");
            size = db.integer("PRAGMA page_size");
        }
        std::fstream out(file_, std::ios::in | std::ios::out | std::ios::binary);
        out.seekp((page - 1) * size);
        out << std::string(static_cast<std::size_t>(size), '\0');
    }
    [[nodiscard]] RunSummary onlyRun(ProjectIndex& index) const {
        EXPECT_TRUE(index.refresh());
        const auto runs = index.runs();
        EXPECT_EQ(runs->size(), 1U);
        return runs->empty() ? RunSummary() : runs->front();
    }
    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_ / "index.db";
};

TEST_F(IndexDamage, MarksAreTakenOverWhereTheyCanBeRead) {
    mark();
    zeroTable("runs");
    ASSERT_EQ(ProjectIndex::open(project()).error().code, "store.damaged");
    const auto index = ProjectIndex::openRepaired(project());
    ASSERT_TRUE(index) << index.error().text();
    EXPECT_THAT((*index)->notice(), HasSubstr("index.db.damaged is kept"));
    EXPECT_THAT((*index)->notice(), Not(HasSubstr("Not all")));
    const RunSummary run = onlyRun(**index);
    EXPECT_THAT(run.tags, ElementsAre("keep"));
    EXPECT_EQ(run.notes, "what I saw");
}

TEST_F(IndexDamage, WhatCannotBeReadIsReported) {
    mark();
    overwrite('?');
    ASSERT_EQ(ProjectIndex::open(project()).error().code, "store.damaged");
    const auto index = ProjectIndex::openRepaired(project());
    ASSERT_TRUE(index) << index.error().text();
    EXPECT_THAT((*index)->notice(), HasSubstr("Not all names"));
    EXPECT_EQ(onlyRun(**index).state, "completed");
    EXPECT_EQ((*ProjectIndex::open(project()))->notice(), "") << "once";
}

TEST_F(IndexDamage, OneThatWasPutAsideBeforeStays) {
    for (const char with : {'1', '2', '3'}) {
        overwrite(with);
        ASSERT_TRUE(ProjectIndex::repair(project()));
    }
    for (const auto& [name, first] :
         {std::pair{"index.db.damaged", '1'}, {"index.db.damaged2", '2'}, {"index.db.damaged3", '3'}})
        EXPECT_EQ(std::ifstream(folder_ / name).get(), first) << name;
}

TEST_F(IndexDamage, AnOlderIndexIsBuiltAgainWithItsMarks) {
    mark();
    detail::Database(file_, detail::Access::Write).execute("PRAGMA user_version = 3");
    EXPECT_EQ(ProjectIndex::open(project()).error().code, "store.older_version");
    const auto index = ProjectIndex::openRepaired(project());
    ASSERT_TRUE(index) << index.error().text();
    EXPECT_THAT(onlyRun(**index).tags, ElementsAre("keep"));
}

TEST_F(IndexDamage, ANewerIndexIsNoDamagedOne) {
    mark();
    detail::Database(file_, detail::Access::Write).execute("PRAGMA user_version = 7");
    EXPECT_EQ(ProjectIndex::openRepaired(project()).error().code, "store.newer_version");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "index.db.damaged"));
}

TEST_F(IndexDamage, FactsOfAnotherFormHideNoRun) {
    {
        const auto writer = RunWriter::open(project().runFolder("a"));
        ASSERT_TRUE(writer) << writer.error().text();
        constexpr std::size_t kDeep = 200000;
        (*writer)->set("references", R"([{"field": 1, "run": "b"}, 7])");
        (*writer)->set("settings", "{\"a\":" + std::string(kDeep, '[') + std::string(kDeep, ']') + "}");
        ASSERT_TRUE((*writer)->flush());
    }
    const auto index = ProjectIndex::open(project());
    ASSERT_TRUE(index);
    const RunSummary run = onlyRun(**index);
    EXPECT_EQ(run.state, "completed");
    EXPECT_TRUE(run.settings.empty());
    EXPECT_EQ(run.references.at("1"), "b@");
    for (const double none : {1e30, -1e30, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(utcText(none), "?") << "of a heartbeat, say";
}

// Held by another program, which changes nothing: no time or size of its file tells when it can be read.
TEST_F(IndexDamage, ARunThatCouldNotBeReadForAWhileIsReadAgain) {
    detail::Database other(project().runFolder("a") / "run.db", detail::Access::Write);
    other.execute("BEGIN EXCLUSIVE");
    const auto index = ProjectIndex::open(project());
    ASSERT_TRUE(index);
    EXPECT_EQ(onlyRun(**index).state, "damaged");
    other.execute("ROLLBACK");
    EXPECT_EQ(onlyRun(**index).state, "completed");
}

}  // namespace
}  // namespace kurve::store
