#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kurve::testing {

/// What nobody's program writes into a database, written manually: one statement with ?1.
inline void writeRow(const std::filesystem::path& database, const std::string& sql,
                     const std::string& value) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(database.c_str(), &db), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_bind_text(statement, 1, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE) << sqlite3_errmsg(db);
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

/// What a record must not be able to name: each leads out of the run's folder, or to one that holds several
/// things, or is no name at all.
inline std::vector<std::string> hostileNames() {
    using namespace std::string_literals;
    return {"",
            ".",
            "..",
            "/",
            "../../victim",
            "../../../../victim",
            "checkpoints/../../../victim",
            "traces/../../../victim",
            "trash/1/traces/../../../../../victim",
            "trash/../traces/x",
            "/etc/hostname",
            "//victim",
            "checkpoints",
            "checkpoints/",
            "checkpoints/.",
            "checkpoints/..",
            "./checkpoints/x",
            "checkpoints//x",
            "traces",
            "traces/..",
            "checkpoints/x/y",
            "checkpoints/a\nb",
            "checkpoints/x\0/../.."s,
            "checkpoints/\x1b[31m",
            "checkpoints/" + std::string(5000, 'x')};
}

}  // namespace kurve::testing
