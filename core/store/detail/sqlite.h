#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kurve::store::detail {

/// What SQLite answered; caught at the store's public functions and turned into an Error (toError).
class SqliteFailure : public std::runtime_error {
public:
    SqliteFailure(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
    [[nodiscard]] int code() const { return code_; }

private:
    int code_;
};
/// store.damaged, store.busy, io.write or store.sql.
[[nodiscard]] Error toError(const SqliteFailure& failure, const std::filesystem::path& file);

/// A prepared statement. NaN is stored as NULL and NULL read as NaN.
class Statement {
public:
    Statement(sqlite3* db, std::string_view sql);
    Statement(Statement&& other) noexcept : db_(other.db_), handle_(other.handle_) {
        other.handle_ = nullptr;
    }
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    /// Binds the values to ?1, ?2, … and runs to the end.
    template <class... Values>
    void run(const Values&... values) {
        each([] {}, values...);
    }
    /// Calls `row()` for each row; the statement is reset afterwards, whatever happens (an open read pins the
    /// WAL).
    template <class Row, class... Values>
    void each(Row row, const Values&... values) {
        const Resetter resetter{*this};
        [[maybe_unused]] int index = 0;
        (bind(++index, values), ...);
        while (step()) row();
    }

    /// Runs to the end with the values of the other's row as they are: ?1 is its first column.
    void copyRow(const Statement& from);

    [[nodiscard]] int columns() const;
    [[nodiscard]] std::string columnName(int column) const;
    [[nodiscard]] int type(int column) const;  ///< SQLITE_INTEGER …
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::span<const std::byte> blob(int column) const;  ///< valid until the next row
    [[nodiscard]] bool readOnly() const;

private:
    struct Resetter {
        Statement& statement;
        ~Resetter() { statement.reset(); }
    };
    void bind(int index, std::int64_t value);
    void bind(int index, int value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, bool value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, double value);
    void bind(int index, std::string_view value);
    void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
    void bind(int index, std::span<const std::byte> value);
    bool step();
    void reset();

    sqlite3* db_;
    sqlite3_stmt* handle_ = nullptr;
};

enum class Access : std::uint8_t { ReadOnly, Immutable, Write };

/// A connection; one thread at a time.
class Database {
public:
    Database(const std::filesystem::path& file, Access access);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    void execute(const std::string& sql);
    [[nodiscard]] Statement prepare(std::string_view sql) { return {handle_, sql}; }
    /// prepare(), but once: the connection keeps it. Not while a row of it is being read.
    [[nodiscard]] Statement& kept(std::string_view sql);
    /// Forgets the kept statements and the pages that were read: the next read is slower.
    void release();
    [[nodiscard]] std::int64_t integer(
        std::string_view sql);  ///< first column of the first row; 0 if there is none
    [[nodiscard]] int version() { return static_cast<int>(integer("PRAGMA user_version")); }
    [[nodiscard]] sqlite3* handle() const { return handle_; }

private:
    sqlite3* handle_ = nullptr;
    std::map<std::string, Statement, std::less<>> kept_;
};

/// To read a database that others may be writing. Where nothing may be written beside it, or there is no
/// room, SQLite needs to be told that nobody else writes there either; not where a log shows that somebody
/// does.
[[nodiscard]] std::unique_ptr<Database> openForReading(const std::filesystem::path& file);

/// Write-ahead logging. Failures are thrown.
void enableLog(Database& db);

/// BEGIN … COMMIT; rolls back if it is left without commit().
class Transaction {
public:
    explicit Transaction(Database& db, const char* begin = "BEGIN IMMEDIATE") : db_(db) {
        db_.kept(begin).run();
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit() {
        db_.kept("COMMIT").run();
        done_ = true;
    }

private:
    Database& db_;
    bool done_ = false;
};

/// Makes the tables of an empty database by `schema`, which sets its version. Errors: otherVersion().
Status makeSchema(Database& db, const std::filesystem::path& file, int version, const std::string& schema);
/// store.newer_version or store.older_version.
[[nodiscard]] Error otherVersion(int found, int known, const std::filesystem::path& file);

}  // namespace kurve::store::detail
