#include <fmt/format.h>

#include <limits>
#include <set>

#include "core/base/clock.h"
#include "core/store/detail/index_location.h"
#include "core/store/detail/index_rows.h"
#include "core/store/detail/log_state.h"
#include "core/store/detail/marks.h"
#include "core/store/detail/run_entry.h"
#include "core/store/detail/run_scan.h"
#include "core/store/detail/sqlite.h"
#include "core/store/notes.h"
#include "core/store/project.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::RunEntry;
using detail::SqliteFailure;
using detail::Statement;
using detail::WaitingRun;

/// A long reading checks so often what was added, ended or changed meanwhile.
constexpr double kScanSeconds = 2;

bool canRebuild(const Error& error) {
    return error.code == "store.damaged" || error.code == "store.older_version";
}

}  // namespace

struct ProjectIndex::Impl {
    std::filesystem::path folder, runsFolder;
    detail::IndexLocation location;
    std::unique_ptr<Database> db;
    std::int64_t version = -1;  ///< data_version that `entries` stands for
    std::map<std::string, RunEntry> entries;
    std::vector<WaitingRun> waiting;  ///< what the last scan found and nobody has read yet
    std::set<std::string> leftAlone;  ///< leaveWaiting()
    std::filesystem::file_time_type scannedFolder{};
    double scanned = 0;
    std::set<std::string> unsaved;  ///< read from runs/ and not in the database yet
    std::set<std::string> taken;    ///< what other programs wrote since the last refresh
    std::filesystem::path away;     ///< the database that could not be opened for writing; empty: none

    [[nodiscard]] bool inMemory() const { return location.file.empty(); }
    [[nodiscard]] std::filesystem::path file() const {
        return inMemory() ? folder / "index.db" : location.file;
    }
    Status open();
    Status openDatabase();
    bool comeBack();
    void takeMarks(const std::filesystem::path& theirs);
    void takeOutlived();
    void load();
    void loadIfChanged();
    void write(const std::vector<std::string>& changed);
    /// Reads every run's stamp: fills `waiting`, adds what changed without being read.
    Status scan(std::vector<std::string>& changed);
    [[nodiscard]] bool scanIsDue() const;
    std::vector<std::string> readWaiting(double until);
    void applyMarks() { detail::applyMarks(*db, entries); }
    using Change = std::function<std::string(const std::string&)>;
    Result<std::string> changeMark(const std::string& id, const char* column, const Change& change);
    Status setMark(const std::string& id, const char* column, const std::string& value);

    template <class Work>
    Status guarded(Work work) {
        try {
            work();
            return {};
        } catch (const SqliteFailure& failure) {
            return detail::toError(failure, file());
        }
    }
};

// Without room or the right to write, the runs are shown all the same: all that is said of them is in runs/
// and in what the database says already.
Status ProjectIndex::Impl::open() {
    Status opened = openDatabase();
    if (opened || inMemory() || opened.error().code != "io.write") return opened;
    location.refusal = opened.error();
    if (!location.notice.empty()) location.notice += ' ';
    location.notice +=
        opened.error().text() +
        ". Until then names, tags, notes, stars and trash are shown as they were and cannot be "
        "changed.";
    away = std::exchange(location.file, {});
    return openDatabase();
}

Status ProjectIndex::Impl::openDatabase() {
    Status made;
    std::unique_ptr<Database> before = std::move(db);
    const Status opened = guarded([&] {
        db = std::make_unique<Database>(inMemory() ? ":memory:" : file(), detail::Access::Write);
        const bool isNew = db->version() == 0;
        if (!inMemory() && db->version() <= detail::kIndexVersion)
            db->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
        made = detail::makeSchema(*db, file(), detail::kIndexVersion, detail::indexSchema());
        if (made && isNew && (location.onNetwork || inMemory()))
            takeMarks(away.empty() ? folder / "index.db" : away);
        if (made && !location.outlived.empty()) takeOutlived();
        if (made) load();
    });
    if (opened && made) return {};
    if (before) db = std::move(before);
    return opened ? made : opened;
}

/// From memory to the database that could not be opened; false: it still cannot, or there is none.
bool ProjectIndex::Impl::comeBack() {
    if (away.empty()) return false;
    location.file = away;
    auto read = entries;
    if (!openDatabase()) {
        location.file.clear();
        return false;
    }
    away.clear();
    location.notice.clear();
    for (auto& [id, entry] : read) {  // newer than what the database has
        entry.touch();
        entries[id] = std::move(entry);
        unsaved.insert(id);
        taken.insert(id);
    }
    (void)guarded([this] { applyMarks(); });  // of a database that has just been opened
    return true;
}

// What was said about the runs before, or on the machine whose disk it is: as far as it can be read. Nobody
// may write to a network's file from here: it is read as it lies.
void ProjectIndex::Impl::takeMarks(const std::filesystem::path& theirs) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(theirs, ignored)) return;
    detail::Transaction transaction(*db);
    try {
        const auto old = location.onNetwork ? std::make_unique<Database>(theirs, detail::Access::Immutable)
                                            : detail::openForReading(theirs);
        if (old->version() > 0) detail::copyMarks(*old, *db);
    } catch (const SqliteFailure& failure) {
        location.notice +=
            fmt::format(" Not all names, tags, notes, stars and trash of {} could be read: {}.",
                        theirs.string(), failure.what());
    }
    transaction.commit();
}

// The project lies on a local disk now: what was said meanwhile comes home, and nothing stays behind.
void ProjectIndex::Impl::takeOutlived() {
    const auto complaint = location.notice;
    takeMarks(location.outlived);
    if (location.notice != complaint) return;
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"})
        std::filesystem::remove(location.outlived.string() + suffix, ignored);
}

void ProjectIndex::Impl::load() {
    entries.clear();
    unsaved.clear();
    Statement row = db->prepare(detail::kSelectEntries);
    row.each([&] {
        RunEntry entry = detail::entryOf(row);
        entries.emplace(entry.summary.id, std::move(entry));
    });
    applyMarks();
    version = db->integer("PRAGMA data_version");
}

void ProjectIndex::Impl::loadIfChanged() {
    if (db->integer("PRAGMA data_version") == version) return;
    auto before = std::move(entries);
    load();
    for (auto& [id, entry] : entries) {
        const auto known = before.find(id);
        if (known != before.end() && known->second.says(entry))
            entry = std::move(known->second);
        else
            taken.insert(id);
        before.erase(id);
    }
    for (const auto& [id, entry] : before) taken.insert(id);
}

void ProjectIndex::Impl::write(const std::vector<std::string>& changed) {
    unsaved.insert(changed.begin(), changed.end());
    if (unsaved.empty()) return;
    if (!changed.empty()) applyMarks();
    try {
        detail::Transaction transaction(*db);
        Statement erase = db->prepare("DELETE FROM runs WHERE id = ?1");
        Statement insert = db->prepare(detail::kInsertEntry);
        for (const auto& id : unsaved) {
            const auto found = entries.find(id);
            if (found == entries.end())
                erase.run(id);
            else
                detail::insertEntry(insert, found->second);
        }
        transaction.commit();
        unsaved.clear();
    } catch (const SqliteFailure& failure) {
        // It stands in runs/ and is kept here only to be read sooner: on a full disk that has time.
        if (detail::toError(failure, file()).code != "io.write") throw;
    }
}

bool ProjectIndex::Impl::scanIsDue() const {
    std::error_code ignored;
    return waiting.empty() || steadySeconds() > scanned + kScanSeconds ||
           std::filesystem::last_write_time(runsFolder, ignored) != scannedFolder;
}

Status ProjectIndex::Impl::scan(std::vector<std::string>& changed) {
    std::set<std::string> present;
    bool unstyled = false;
    std::error_code ignored;
    KURVE_TRY(const auto folders, detail::foldersIn(runsFolder));
    waiting.clear();
    scanned = steadySeconds();
    scannedFolder = std::filesystem::last_write_time(runsFolder, ignored);
    for (const auto& item : folders) {
        const std::string id = item.filename().string();
        std::string stamp = detail::stampOf(item);
        if (stamp.empty()) continue;
        present.insert(id);
        const auto found = entries.find(id);
        const bool known = found != entries.end();
        unstyled |= !known || found->second.summary.style < 0;
        if (!known && leftAlone.contains(id)) continue;
        if (!known || found->second.stamp != stamp)
            waiting.push_back({item, std::move(stamp), detail::LogState::of(item / "run.db").bytes > 0});
        else if (!found->second.finished() && found->second.updateState(item))
            changed.push_back(id);
    }
    for (const auto& [id, entry] : entries)
        if (!present.contains(id)) changed.push_back(id);
    std::erase_if(entries, [&](const auto& entry) { return !present.contains(entry.first); });
    detail::sortWaiting(waiting);
    // Where the disk is full, a later scan assigns them.
    if (unstyled && guarded([&] { detail::assignStyles(*db, present); }))
        for (auto& [id, entry] : entries)
            if (entry.summary.style < 0) entry.touch(), changed.push_back(id);
    return {};
}

std::vector<std::string> ProjectIndex::Impl::readWaiting(double until) {
    std::vector<std::string> changed;
    auto read = detail::readWaiting(waiting, entries, until);
    for (RunEntry& entry : read) {
        changed.push_back(entry.summary.id);
        entries[changed.back()] = std::move(entry);
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(read.size()));
    return changed;
}

Result<std::string> ProjectIndex::Impl::changeMark(const std::string& id, const char* column,
                                                   const Change& change) {
    if (inMemory() && !comeBack()) return location.refusal;
    if (!entries.contains(id))
        return requestError("store.missing", "there is no run '" + id + "'").in(folder.string());
    std::string now;
    KURVE_CHECKED(guarded([&] {
        now = detail::changeMark(*db, id, column, change);
        applyMarks();
        entries[id].touch();
    }));
    return now;
}

Status ProjectIndex::Impl::setMark(const std::string& id, const char* column, const std::string& value) {
    KURVE_CHECKED(changeMark(id, column, [&](const std::string&) { return value; }));
    return {};
}

ProjectIndex::ProjectIndex() : impl_(std::make_unique<Impl>()) {}
ProjectIndex::~ProjectIndex() = default;

std::filesystem::path ProjectIndex::file() const {
    return impl_->location.file;
}

std::filesystem::path ProjectIndex::fileOf(const Project& project, const IndexPaths& paths) {
    return detail::locateIndex(project.folder(), paths).file;
}

const std::string& ProjectIndex::notice() const {
    return impl_->location.notice;
}

Result<std::unique_ptr<ProjectIndex>> ProjectIndex::open(const Project& project, const IndexPaths& paths) {
    std::unique_ptr<ProjectIndex> index(new ProjectIndex);
    index->impl_->folder = project.folder();
    index->impl_->runsFolder = project.runsFolder();
    index->impl_->location = detail::locateIndex(project.folder(), paths);
    if (Status opened = index->impl_->open(); !opened) {
        if (canRebuild(opened.error())) opened.error().remedy = "`kurve verify --repair` builds it again";
        return opened.error();
    }
    return index;
}

Result<std::vector<std::string>> ProjectIndex::refresh() {
    impl_->waiting.clear();  // scans every run again
    KURVE_TRY(auto part, refreshFor(std::numeric_limits<double>::infinity()));
    return std::move(part.changed);
}

Result<ProjectIndex::Part> ProjectIndex::refreshFor(double seconds) {
    Part part;
    Status scannedAll;
    KURVE_CHECKED(impl_->guarded([&] {
        const double until = steadySeconds() + seconds;
        impl_->comeBack();
        impl_->loadIfChanged();
        if (impl_->scanIsDue()) scannedAll = impl_->scan(part.changed);
        if (!scannedAll) return;
        if (!impl_->waiting.empty())
            for (auto& id : impl_->readWaiting(until)) part.changed.push_back(std::move(id));
        impl_->write(part.changed);
        part.changed.insert(part.changed.end(), impl_->taken.begin(), impl_->taken.end());
        impl_->taken.clear();
    }));
    KURVE_CHECKED(scannedAll);
    part.waiting = impl_->waiting.size();
    return part;
}

std::size_t ProjectIndex::leaveWaiting() {
    for (const WaitingRun& run : impl_->waiting)
        if (!impl_->entries.contains(run.id())) impl_->leftAlone.insert(run.id());
    impl_->waiting.clear();
    return impl_->leftAlone.size();
}

void ProjectIndex::takeAll() {
    impl_->leftAlone.clear();
}

Result<std::vector<RunSummary>> ProjectIndex::runs() const {
    KURVE_CHECKED(impl_->guarded([&] { impl_->loadIfChanged(); }));
    std::vector<RunSummary> runs;
    runs.reserve(impl_->entries.size());
    for (const auto& [id, entry] : impl_->entries) runs.push_back(entry.summary);
    return runs;
}

Status ProjectIndex::setName(const std::string& id, const std::string& name) {
    return impl_->setMark(id, "name", name);
}
Status ProjectIndex::changeTags(const std::string& id, const std::vector<std::string>& added,
                                const std::vector<std::string>& removed) {
    KURVE_CHECKED(impl_->changeMark(
        id, "tags", [&](const std::string& tags) { return detail::changedTags(tags, added, removed); }));
    return {};
}
Result<std::string> ProjectIndex::setNotes(const std::string& id, const std::string& notes,
                                           const std::string& read) {
    return impl_->changeMark(id, "notes",
                             [&](const std::string& now) { return mergeNotes(read, notes, now); });
}
Status ProjectIndex::setStarred(const std::string& id, bool on) {
    return impl_->setMark(id, "starred", on ? "1" : "0");
}
Status ProjectIndex::setTrashed(const std::string& id, bool on) {
    return impl_->setMark(id, "trashed", on ? "1" : "0");
}
Status ProjectIndex::dropMarks(const std::string& id) {
    return impl_->guarded([&] { impl_->db->prepare("DELETE FROM marks WHERE run = ?1").run(id); });
}

Status ProjectIndex::assignFirstStyles(const std::vector<std::string>& ids) {
    if (impl_->inMemory() && !impl_->comeBack()) return impl_->location.refusal;
    return impl_->guarded([&] {
        detail::assignFirstStyles(*impl_->db, ids);
        impl_->applyMarks();
        for (auto& [id, entry] : impl_->entries) entry.touch();
    });
}

Status ProjectIndex::rebuild() {
    KURVE_CHECKED(impl_->guarded([&] {
        impl_->db->execute("DELETE FROM runs");
        impl_->entries.clear();
    }));
    if (const auto changed = refresh(); !changed) return changed.error();
    return {};
}

Result<std::unique_ptr<ProjectIndex>> ProjectIndex::openRepaired(const Project& project,
                                                                 const IndexPaths& paths) {
    auto index = open(project, paths);
    if (index || !canRebuild(index.error())) return index;
    const auto file = fileOf(project, paths), aside = detail::putAside(file);
    index = open(project, paths);
    if (!index) return index;
    Impl& impl = *(*index)->impl_;
    std::string& notice = impl.location.notice;
    if (!notice.empty()) notice += ' ';
    notice +=
        fmt::format("The index of the runs could not be read ({} is kept): it was built again from the runs.",
                    aside.string());
    KURVE_CHECKED(impl.guarded([&] { impl.takeMarks(aside); }));
    return index;
}

Status ProjectIndex::repair(const Project& project, const IndexPaths& paths) {
    KURVE_TRY(const auto index, openRepaired(project, paths));
    return index->rebuild();
}

}  // namespace kurve::store
