#include "core/store/detail/mirrored_tables.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/store/detail/run_schema.h"
#include "core/store/run_mirror.h"

namespace kurve::store::detail {
namespace {

Growth growthOf(std::string_view name) {
    if (name == "scalars") return Growth::Tail;
    for (const char* appended : {"sealed", "events", "log", "samples", "histograms"})
        if (name == appended) return Growth::Appended;
    return Growth::Whole;
}

MirroredTable tableOf(const SummedTable& table) {
    MirroredTable out{std::string(table.name), growthOf(table.name), {}};
    for (const auto& column : split(table.columns, ',')) out.columns.emplace_back(trim(column));
    const bool hasRowid = out.name != "run" && out.name != "scalars";  // those are WITHOUT ROWID
    if (hasRowid && out.columns.front() != "id") out.columns.insert(out.columns.begin(), "rowid");
    out.columns.emplace_back("sum");
    return out;
}

}  // namespace

std::string MirroredTable::list() const {
    return join(columns, ", ");
}

std::string MirroredTable::insert() const {
    std::string values;
    for (std::size_t i = 1; i <= columns.size(); ++i) values += fmt::format("{}?{}", i > 1 ? ", " : "", i);
    return fmt::format("INSERT OR REPLACE INTO {}({}) VALUES({})", name, list(), values);
}

const std::vector<MirroredTable>& mirroredTables() {
    static const std::vector<MirroredTable> all = [] {
        std::vector<MirroredTable> tables;
        for (const auto& table : summedTables()) tables.push_back(tableOf(table));
        return tables;
    }();
    return all;
}

std::string tableDigest(Database& db, const MirroredTable& table) {
    const bool isRun = table.name == "run";
    const std::string key = table.growth == Growth::Tail ? "metric << 40 | seq" : isRun ? "0" : "rowid";
    Statement rows = db.prepare(fmt::format("SELECT {}, sum FROM {} {} ORDER BY {}", key, table.name,
                                            isRun ? fmt::format("WHERE key != '{}'", kMachineKey) : "",
                                            isRun                          ? "key"
                                            : table.growth == Growth::Tail ? "metric, seq"
                                                                           : "rowid"));
    Sha256 digest;
    rows.each([&] {
        const std::int64_t row[] = {rows.integer(0), rows.integer(1)};
        digest.add({reinterpret_cast<const char*>(row), sizeof row});
    });
    return digest.hex();
}

std::string bytesOf(Database& memory) {
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(memory.handle(), "main", &size, 0);
    if (bytes == nullptr) throw SqliteFailure(SQLITE_NOMEM, "out of memory");
    std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    return text;
}

std::unique_ptr<Database> databaseOf(const std::string& bytes) {
    auto memory = std::make_unique<Database>(":memory:", Access::Write);
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    if (copy == nullptr) throw SqliteFailure(SQLITE_NOMEM, "out of memory");
    std::ranges::copy(bytes, copy);
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    const int code = sqlite3_deserialize(memory->handle(), "main", copy, size, size,
                                         SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK) throw SqliteFailure(code, "the rows cannot be read");
    memory->execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    return memory;
}

}  // namespace kurve::store::detail
