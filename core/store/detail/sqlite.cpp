#include "core/store/detail/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "core/store/detail/checksum.h"

namespace kurve::store::detail {
namespace {

constexpr int kBusyMilliseconds = 5000;

void check(int code, sqlite3* db) {
    if (code != SQLITE_OK) throw SqliteFailure(code, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

/// SQLite opens them by name, and waits for somebody who writes into a pipe.
void refusePipes(const std::string& database) {
    for (const char* end : {"", "-journal", "-wal", "-shm"}) {
        struct stat info {};
        const std::string name = database + end;
        if (::stat(name.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
            throw SqliteFailure(SQLITE_NOTADB, name + " is a pipe, a socket or a device");
    }
}

}  // namespace

Error toError(const SqliteFailure& failure, const std::filesystem::path& file) {
    const auto error = [&](const char* code, const char* remedy) {
        return workError(code, failure.what()).in(file.string()).fix(remedy);
    };
    switch (failure.code() & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return error(
                "store.damaged",
                "take another copy; `kurve verify RUN` says whether the run's other files are sound");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return error("store.busy", "another program holds the database; try again");
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN:
            return error("io.write", "check free space and permissions of the folder");
        default:
            return error("store.sql", "");
    }
}

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
    const char* rest = nullptr;
    check(sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), 0, &handle_, &rest), db);
    const auto tail = sql.substr(static_cast<std::size_t>(rest - sql.data()));
    if (!handle_)
        throw SqliteFailure(SQLITE_ERROR, "there is no statement in it");  // a comment, a lone semicolon
    if (tail.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
        sqlite3_finalize(handle_);
        throw SqliteFailure(SQLITE_ERROR, "there is more than one statement in it");
    }
}
Statement::~Statement() {
    sqlite3_finalize(handle_);
}

void Statement::copyRow(const Statement& from) {
    const Resetter resetter{*this};
    for (int i = 0; i < from.columns(); ++i)
        check(sqlite3_bind_value(handle_, i + 1, sqlite3_column_value(from.handle_, i)), db_);
    while (step()) continue;
}

int Statement::columns() const {
    return sqlite3_column_count(handle_);
}
std::string Statement::columnName(int column) const {
    return sqlite3_column_name(handle_, column);
}
int Statement::type(int column) const {
    return sqlite3_column_type(handle_, column);
}
std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(handle_, column);
}
double Statement::real(int column) const {
    if (type(column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
    return sqlite3_column_double(handle_, column);
}
std::string Statement::text(int column) const {
    const auto* chars = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return chars ? std::string(chars, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)))
                 : std::string();
}
std::span<const std::byte> Statement::blob(int column) const {
    const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}
bool Statement::readOnly() const {
    return sqlite3_stmt_readonly(handle_) != 0;
}

void Statement::bind(int index, std::int64_t value) {
    check(sqlite3_bind_int64(handle_, index, value), db_);
}
void Statement::bind(int index, double value) {
    check(sqlite3_bind_double(handle_, index, value), db_);
}
void Statement::bind(int index, std::string_view value) {
    check(sqlite3_bind_text64(handle_, index, value.data() ? value.data() : "", value.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8),
          db_);
}
void Statement::bind(int index, std::span<const std::byte> value) {
    check(sqlite3_bind_blob64(handle_, index, value.data(), value.size(), SQLITE_TRANSIENT), db_);
}
bool Statement::step() {
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) check(code, db_);
    return false;
}
void Statement::reset() {
    sqlite3_reset(handle_);
}

Database::Database(const std::filesystem::path& file, Access access) {
    // SQLite would follow it and write into a database that is somebody else's.
    if (std::error_code ignored; std::filesystem::is_symlink(file, ignored))
        throw SqliteFailure(SQLITE_CANTOPEN, "is a link: what it leads to is not read or written");
    std::string name = file.string();
    refusePipes(name);
    int flags = SQLITE_OPEN_NOMUTEX;
    flags |= access == Access::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (access == Access::Immutable) {
        std::string uri = "file:";
        for (const char c : name) {
            if (c == '%' || c == '?' || c == '#')
                uri += fmt::format("%{:02x}", c);
            else
                uri += c;
        }
        name = uri + "?immutable=1";
        flags |= SQLITE_OPEN_URI;
    }
    const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
    if (code != SQLITE_OK) {
        const std::string text = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
        sqlite3_close_v2(handle_);
        throw SqliteFailure(code, text);
    }
    sqlite3_busy_timeout(handle_, kBusyMilliseconds);
    addChecksum(handle_);
}
Database::~Database() {
    sqlite3_close_v2(handle_);
}

Statement& Database::kept(std::string_view sql) {
    auto found = kept_.find(sql);
    if (found == kept_.end()) found = kept_.emplace(std::string(sql), prepare(sql)).first;
    return found->second;
}
void Database::release() {
    kept_.clear();
    sqlite3_db_release_memory(handle_);
}

void Database::execute(const std::string& sql) {
    check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr), handle_);
}
std::int64_t Database::integer(std::string_view sql) {
    Statement statement = prepare(sql);
    std::int64_t value = 0;
    statement.each([&] { value = statement.integer(0); });
    return value;
}

std::unique_ptr<Database> openForReading(const std::filesystem::path& file) {
    try {
        auto db = std::make_unique<Database>(file, Access::ReadOnly);
        (void)db->version();
        return db;
    } catch (const SqliteFailure& failure) {
        std::error_code ignored;
        const auto log = std::filesystem::file_size(file.string() + "-wal", ignored);
        if (toError(failure, file).code != "io.write" || (!ignored && log > 0)) throw;
        return std::make_unique<Database>(file, Access::Immutable);
    }
}

// Changing to it needs the file alone, for which SQLite does not wait by itself; a reader is done in a
// moment.
void enableLog(Database& db) {
    for (int attempt = 0;; ++attempt) {
        try {
            return db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
        } catch (const SqliteFailure& failure) {
            if (failure.code() != SQLITE_BUSY || attempt == 100) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

Transaction::~Transaction() {
    if (done_) return;
    try {
        db_.execute("ROLLBACK");
    } catch (const SqliteFailure&) {
        // SQLite has already rolled back by itself (a full disk, an I/O error); the first failure is being
        // reported.
    }
}

Error otherVersion(int found, int known, const std::filesystem::path& file) {
    if (found > known)
        return requestError(
                   "store.newer_version",
                   fmt::format("was written by a newer Kurve (format {}, this one knows {})", found, known))
            .in(file.string())
            .fix("open it with that version; nothing was changed");
    return requestError(
               "store.older_version",
               fmt::format("is of a format that is no longer read ({}, this one knows {})", found, known))
        .in(file.string())
        .fix("train it again, or open it with the version that wrote it; nothing was changed");
}

Status makeSchema(Database& db, const std::filesystem::path& file, int version, const std::string& schema) {
    if (db.version() == 0) {
        Transaction transaction(db, "BEGIN EXCLUSIVE");
        if (db.version() == 0) db.execute(schema);  // asked again: another program may have been first
        transaction.commit();
    }
    const int found = db.version();
    if (found != version) return otherVersion(found, version, file);
    return {};
}

}  // namespace kurve::store::detail
