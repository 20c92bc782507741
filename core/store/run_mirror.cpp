#include "core/store/run_mirror.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <optional>
#include <set>
#include <vector>

#include "core/base/clock.h"
#include "core/store/detail/mirrored_tables.h"
#include "core/store/detail/process.h"
#include "core/store/detail/run_lock.h"
#include "core/store/detail/run_schema.h"
#include "core/store/detail/side_writer.h"
#include "core/store/run_file.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::Growth;
using detail::MirroredTable;
using detail::SqliteFailure;
using detail::Statement;
using nlohmann::json;

bool holds(Database& rows, const std::string& table) {
    Statement found = rows.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1");
    bool any = false;
    found.each([&] { any = true; }, table);
    return any;
}

void insertAll(Database& run, Database& rows, const MirroredTable& table) {
    Statement from = rows.prepare("SELECT * FROM " + table.name);
    Statement insert = run.prepare(table.insert());
    if (from.columns() != static_cast<int>(table.columns.size()))
        throw SqliteFailure(SQLITE_CORRUPT, "the rows are not those of a run.db");
    from.each([&] { insert.copyRow(from); });
}

/// What the original does not know: traces that were recorded here.
struct OwnTraces {
    std::vector<TraceRow> rows;

    OwnTraces(Database& run, Database& news, const std::filesystem::path& folder) {
        std::set<std::string> known;
        Statement theirs = news.prepare("SELECT c1 FROM traces");
        theirs.each([&] { known.insert(theirs.text(0)); });
        Statement ours =
            run.prepare("SELECT path, step, prompt, text, sha256, bytes FROM traces ORDER BY rowid");
        ours.each([&] {
            const auto file = RunFile::parse(ours.text(0));
            if (!file || known.contains(ours.text(0)) || !file->isIn(folder)) return;
            rows.push_back({ours.integer(1), static_cast<int>(ours.integer(2)), *file, ours.text(3),
                            ours.text(4), ours.integer(5)});
        });
    }
    void insertInto(Database& run) const {
        Statement insert = run.prepare(detail::insertRow("traces", "INSERT OR REPLACE"));
        const std::int64_t segment = run.integer("SELECT max(id) FROM segments");
        for (const TraceRow& row : rows)
            insert.run(row.path.text(), segment, row.step, row.prompt, row.text, row.sha256, row.bytes);
    }
};

}  // namespace

struct RunMirror::Impl {
    std::filesystem::path folder;
    std::string machine;
    std::unique_ptr<detail::RunLock> lock;
    std::unique_ptr<Database> db;
    std::string written;            ///< inodeOf() run.db as it was opened
    json digests = json::object();  ///< of the small tables, as the original's were

    [[nodiscard]] std::filesystem::path file() const { return folder / "run.db"; }
    void replace(Database& rows, const MirroredTable& table);
    void write(const RunChanges& changes);
};

void RunMirror::Impl::replace(Database& rows, const MirroredTable& table) {
    std::optional<OwnTraces> own;
    if (table.name == "traces") own.emplace(*db, rows, folder);
    db->execute("DELETE FROM " + table.name);
    insertAll(*db, rows, table);
    if (own) own->insertInto(*db);
}

void RunMirror::Impl::write(const RunChanges& changes) {
    if (changes.database.empty()) return;
    const auto rows = detail::databaseOf(changes.database);
    for (const MirroredTable& table : detail::mirroredTables()) {
        if (!holds(*rows, table.name)) continue;
        if (table.growth == Growth::Whole)
            replace(*rows, table);
        else
            insertAll(*db, *rows, table);
    }
    if (holds(*rows, "sealed"))  // they take the place of these rows
        db->execute(
            "DELETE FROM scalars WHERE seq < (SELECT max(first_seq + count) FROM sealed WHERE sealed.metric "
            "= "
            "scalars.metric)");
}

RunMirror::RunMirror() : impl_(std::make_unique<Impl>()) {}

Status checkMirrorOf(const std::filesystem::path& runFolder, const std::string& machine) {
    const auto reader = RunReader::open(runFolder);
    if (!reader) return {};  // whoever writes there says what is wrong with it
    const auto values = (*reader)->values();
    const auto found = values.find(kMachineKey);
    if (values.empty() || (found != values.end() && found->second == machine)) return {};
    return requestError("run.exists",
                        found == values.end()
                            ? "a run of this machine has that id: the one of " + machine + " would replace it"
                            : "is the copy of a run of " + found->second + ", not of " + machine)
        .in(runFolder.string())
        .fix("move this run's folder out of the project to follow the other one");
}

Result<std::unique_ptr<RunMirror>> RunMirror::open(const std::filesystem::path& runFolder,
                                                   const std::string& machine) {
    KURVE_CHECKED(checkMirrorOf(runFolder, machine));
    std::error_code code;
    std::filesystem::create_directories(runFolder, code);
    if (code)
        return workError("io.write", "cannot make the folder: " + code.message())
            .in(runFolder.string())
            .fix("check free space and permissions of the folder");
    KURVE_CHECKED(detail::checkOwn(runFolder));
    if (detail::onNetwork(runFolder)) return detail::networkError(runFolder);
    std::unique_ptr<RunMirror> mirror(new RunMirror);
    mirror->impl_->folder = runFolder;
    mirror->impl_->machine = machine;
    KURVE_TRY(mirror->impl_->lock, detail::RunLock::take(runFolder));
    KURVE_TRY(mirror->impl_->db, detail::openForWriting(mirror->impl_->file()));
    mirror->impl_->written = detail::inodeOf(mirror->impl_->file());
    return mirror;
}

RunMirror::~RunMirror() {
    if (impl_->db) detail::restAsOneFile(*impl_->db);
}

Result<json> RunMirror::cursor() {
    try {
        Database& db = *impl_->db;
        json cursor = impl_->digests;
        for (const MirroredTable& table : detail::mirroredTables())
            if (table.growth == Growth::Appended)
                cursor[table.name] = db.integer(fmt::format("SELECT max(rowid) FROM {}", table.name));
        json& tail = cursor["scalars"] = json::object();
        Statement next = db.prepare(
            "SELECT id, max(coalesce((SELECT max(first_seq + count) FROM sealed WHERE metric = id), 0), "
            "coalesce((SELECT max(seq) + 1 FROM scalars WHERE metric = id), 0)) FROM metrics");
        next.each([&] { tail[std::to_string(next.integer(0))] = next.integer(1); });
        return cursor;
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, impl_->file());
    }
}

Status RunMirror::apply(const RunChanges& changes, const std::map<std::string, std::string>& own) {
    if (detail::inodeOf(impl_->file()) != impl_->written) return detail::goneError(impl_->folder);
    try {
        detail::Transaction transaction(*impl_->db);
        impl_->write(changes);
        Statement set = impl_->db->prepare(detail::insertRow("run", "INSERT OR REPLACE"));
        for (const auto& [key, value] : own) set.run(key, value);
        set.run(std::string(kMachineKey), impl_->machine);
        transaction.commit();
        if (changes.cursor.is_object()) impl_->digests.update(changes.cursor);
        return {};
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, impl_->file());
    }
}

Result<bool> RunMirror::dropOthers(const json& digests) {
    try {
        detail::Transaction transaction(*impl_->db);
        bool any = false;
        for (const MirroredTable& table : detail::mirroredTables()) {
            const bool told = digests.is_object() && digests.contains(table.name);
            if (told && digests[table.name] == detail::tableDigest(*impl_->db, table)) continue;
            // The others are asked for whenever they differ.
            if (table.growth == Growth::Whole && table.name != "run") continue;
            any = true;
            impl_->digests.erase(table.name);
            if (table.growth != Growth::Whole) impl_->db->execute("DELETE FROM " + table.name);
        }
        transaction.commit();
        return any;
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, impl_->file());
    }
}

std::map<std::string, std::string> RunMirror::following() const {
    auto own = detail::ProcessIdentity::self(impl_->folder).values();
    own["heartbeat_wall"] = fmt::format("{:.3f}", wallSeconds());
    return own;
}

}  // namespace kurve::store
