#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/store/detail/mirrored_tables.h"
#include "core/store/run_mirror.h"
#include "core/store/run_writer.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::Growth;
using detail::MirroredTable;
using detail::SqliteFailure;
using detail::Statement;
using nlohmann::json;

constexpr std::size_t kMostBytes = 4 << 20;
constexpr std::int64_t kMostRows = 4096, kMostSealed = 128;

const json& member(const json& object, const std::string& key) {
    static const json kNone;
    return object.is_object() && object.contains(key) ? object.at(key) : kNone;
}

std::int64_t wholeOr0(const json& value) {
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// One answer in the making: rows beyond the cursor, table by table.
class Collector {
public:
    Collector(Database& run, const json& cursor, std::int64_t shrunk)
        : run_(run), cursor_(cursor), shrunk_(shrunk), memory_(":memory:", detail::Access::Write) {
        memory_.execute("PRAGMA page_size = 512; PRAGMA journal_mode = OFF");
    }

    RunChanges collect() {
        detail::Transaction filling(memory_);
        for (const MirroredTable& table : detail::mirroredTables()) take(table);
        filling.commit();
        if (any_) changes_.database = detail::bytesOf(memory_);
        return std::move(changes_);
    }

private:
    void take(const MirroredTable& table) {
        if (table.growth == Growth::Whole) return takeWhole(table);
        // A tail before the sealed rows that it follows would be a curve with a gap.
        if (table.growth == Growth::Tail) return;
        const std::int64_t limit =
            std::max<std::int64_t>(1, (table.name == "sealed" ? kMostSealed : kMostRows) / shrunk_);
        Statement rows = run_.prepare(fmt::format(
            "SELECT {} FROM {} WHERE rowid > ?1 ORDER BY rowid LIMIT ?2", table.list(), table.name));
        const bool all = copy(table, rows, limit, wholeOr0(member(cursor_, table.name)), limit);
        changes_.complete = changes_.complete && all;
        if (table.name == "sealed" && all) takeTail();
    }

    void takeWhole(const MirroredTable& table) {
        const std::string digest = detail::tableDigest(run_, table);
        if (member(cursor_, table.name) == json(digest)) return;
        changes_.cursor[table.name] = digest;
        makeTable(table);  // also if it has no rows left
        Statement rows = run_.prepare(fmt::format("SELECT {} FROM {}", table.list(), table.name));
        copy(table, rows, std::numeric_limits<std::int64_t>::max());
    }

    void takeTail() {
        for (const MirroredTable& table : detail::mirroredTables()) {
            if (table.growth != Growth::Tail) continue;
            const json& next = member(cursor_, table.name);
            Statement metrics = run_.prepare("SELECT id FROM metrics ORDER BY id");
            Statement rows = run_.prepare(
                fmt::format("SELECT {} FROM {} WHERE metric = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
                            table.list(), table.name));
            std::int64_t left = std::max<std::int64_t>(1, 4 * kMostRows / shrunk_);
            metrics.each([&] {
                const std::int64_t id = metrics.integer(0), before = rows_;
                if (left > 0) copy(table, rows, left, id, wholeOr0(member(next, std::to_string(id))), left);
                left -= rows_ - before;
            });
            changes_.complete = changes_.complete && left > 0;
        }
    }

    void makeTable(const MirroredTable& table) {
        std::string columns;
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            columns += fmt::format("{}c{}", i ? ", " : "", i);
        memory_.execute(fmt::format("CREATE TABLE IF NOT EXISTS {}({})", table.name, columns));
        any_ = true;
    }

    /// False if there are perhaps more than `limit`.
    template <class... Values>
    bool copy(const MirroredTable& table, Statement& rows, std::int64_t limit, const Values&... values) {
        std::int64_t count = 0;
        std::optional<Statement> insert;
        rows.each(
            [&] {
                if (!insert) {
                    makeTable(table);
                    std::string places = "?1";
                    for (std::size_t i = 2; i <= table.columns.size(); ++i) places += fmt::format(", ?{}", i);
                    insert.emplace(
                        memory_.prepare(fmt::format("INSERT INTO {} VALUES({})", table.name, places)));
                }
                insert->copyRow(rows);
                ++count;
            },
            values...);
        rows_ += count;
        return count < limit;
    }

    Database& run_;
    const json& cursor_;
    std::int64_t shrunk_, rows_ = 0;
    bool any_ = false;
    Database memory_;
    RunChanges changes_;
};

Result<std::unique_ptr<Database>> openRun(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return requestError("store.missing", "there is no run here").in(file.string());
    auto db = detail::openForReading(file);
    const int version = db->version();
    if (version == 0) return requestError("store.missing", "holds no run yet").in(file.string());
    if (version != kRunSchemaVersion) return detail::otherVersion(version, kRunSchemaVersion, file);
    return db;
}

}  // namespace

Result<RunChanges> runChanges(const std::filesystem::path& runFolder, const json& cursor) {
    const auto file = runFolder / "run.db";
    try {
        KURVE_TRY(const auto db, openRun(file));
        const detail::Transaction snapshot(*db, "BEGIN");
        for (std::int64_t shrunk = 1;; shrunk *= 8) {
            RunChanges changes = Collector(*db, cursor, shrunk).collect();
            if (changes.database.size() <= kMostBytes || shrunk > kMostRows) return changes;
        }
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, file);
    }
}

Result<json> runDigests(const std::filesystem::path& runFolder) {
    const auto file = runFolder / "run.db";
    try {
        KURVE_TRY(const auto db, openRun(file));
        const detail::Transaction snapshot(*db, "BEGIN");
        json digests;
        for (const MirroredTable& table : detail::mirroredTables())
            digests[table.name] = detail::tableDigest(*db, table);
        return digests;
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, file);
    }
}

Result<std::string> runSnapshot(const std::filesystem::path& runFolder) {
    const auto file = runFolder / "run.db";
    try {
        KURVE_TRY(const auto db, openRun(file));
        std::string bytes = detail::bytesOf(*db);
        // The versions of the file format (fileformat2, 1.3.2): what was in the log is in these bytes.
        bytes[18] = bytes[19] = 1;
        return bytes;
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, file);
    }
}

}  // namespace kurve::store
