#include "core/store/query.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

class Query : public ::testing::Test {
protected:
    void SetUp() override {
        auto writer = RunWriter::open(folder_.path());
        ASSERT_TRUE(writer);
        (*writer)->set("name", "a run");
        for (int i = 0; i < 1100; ++i)
            (*writer)->scalar("loss", i, i, i == 2 ? INFINITY : i == 3 ? NAN : 0.5 * i);
    }
    [[nodiscard]] std::string codeOf(const std::string& sql) const {
        const auto table = readOnlyQuery(file_, sql);
        return table ? "ok" : table.error().code;
    }
    testing::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_ / "run.db";
};

TEST_F(Query, AnswersWithColumnsAndRows) {
    const auto table = readOnlyQuery(file_,
                                     "SELECT step, value, 'λ' AS text, x'00ff' AS bytes FROM points "
                                     "WHERE step BETWEEN 1 AND 3 OR step = 1099 ORDER BY step");
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(table->columns, (std::vector<std::string>{"step", "value", "text", "bytes"}));
    ASSERT_EQ(table->rows.size(), 4u);
    EXPECT_EQ(table->rows[0].dump(), R"([1,0.5,"λ","00ff"])");
    EXPECT_EQ(table->rows[1][1], "inf");
    EXPECT_TRUE(table->rows[2][1].is_null());
    EXPECT_EQ(table->rows[3][1], 549.5);
}

TEST_F(Query, StopsOnRequestAndTruncatesLongAnswers) {
    const char* endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    CancelToken token;
    std::thread stopper([token] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        token.request();
    });
    const auto stopped = readOnlyQuery(file_, endless, {token});
    stopper.join();
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, "cancelled");
    const auto cut = readOnlyQuery(file_, "SELECT step FROM points ORDER BY step", {{}, 7});
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->rows.size(), 7);
    EXPECT_TRUE(cut->truncated);
    EXPECT_FALSE(readOnlyQuery(file_, "SELECT 1", {{}, 1})->truncated);
}

TEST_F(Query, TimeAndMemoryAreBounded) {
    const std::string numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
    QueryLimits limits;
    limits.seconds = 0.05;
    const auto late = readOnlyQuery(file_, numbers + "count(*) FROM n", limits);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "query.timeout");
    EXPECT_NE(late.error().remedy.find("--timeout"), std::string::npos);
    limits = {};
    limits.bytes = 1 << 20;
    for (const char* values : {"i FROM n", "hex(zeroblob(1000)) FROM n"}) {
        const auto large = readOnlyQuery(file_, numbers + values, limits);
        ASSERT_FALSE(large);
        EXPECT_EQ(large.error().code, "query.too_large") << large.error().text();
        EXPECT_NE(large.error().message.find("1 MB"), std::string::npos) << large.error().message;
    }
    EXPECT_EQ(codeOf("SELECT length(zeroblob(1000000000))"), "query.sql") << "one value of a gigabyte";
}

TEST_F(Query, RefusesWhatWritesAndSaysWhatIsWrong) {
    EXPECT_EQ(codeOf("DELETE FROM run"), "query.writes");
    EXPECT_EQ(codeOf("DROP TABLE run"), "query.writes");
    EXPECT_EQ(codeOf("SELEKT 1"), "query.sql");
    EXPECT_EQ(codeOf("SELECT nothing FROM run"), "query.sql");
    EXPECT_EQ(codeOf(" "), "query.sql");
    EXPECT_EQ(codeOf("-- only a comment"), "query.sql");
    EXPECT_EQ(codeOf("SELECT 1; SELECT 2"), "query.sql");
    EXPECT_EQ(codeOf("SELECT 1 AS x; \n"), "ok");
    EXPECT_EQ(readOnlyQuery(folder_ / "none.db", "SELECT 1").error().code, "store.missing");
    const auto attached = readOnlyQuery(file_, "ATTACH '/nowhere/run.db' AS other");
    EXPECT_EQ(attached.error().code, "query.sql");
    EXPECT_NE(attached.error().remedy.find("whole path"), std::string::npos) << attached.error().remedy;
    std::ofstream(folder_ / "text.db") << std::string(5000, 'x');
    EXPECT_EQ(readOnlyQuery(folder_ / "text.db", "SELECT 1 FROM a").error().code, "store.damaged");
}

TEST_F(Query, FindsDamageInsideAFile) {
    EXPECT_TRUE(integrityProblems(file_, true)->empty());
    {
        std::fstream bytes(file_, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekp(4096 * 6 + 3);
        bytes << std::string(3000, '\xee');
    }
    const auto problems = integrityProblems(file_, true);
    EXPECT_TRUE(!problems || !problems->empty());
}

}  // namespace
}  // namespace kurve::store
