#include "core/store/run_reader.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "core/base/clock.h"
#include "core/store/detail/extremes_reader.h"
#include "core/store/detail/log_state.h"
#include "core/store/detail/run_schema.h"
#include "core/store/detail/shadows.h"
#include "core/store/detail/side_writer.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::LogState;
using detail::Shadows;
using detail::SqliteFailure;
using detail::Statement;

constexpr const char* kVisible =
    " AND NOT EXISTS (SELECT 1 FROM segments WHERE segments.id > t.segment AND start_step <= t.step)";

void dropFrom(std::int64_t step, Series& series) {
    while (!series.step.empty() && series.step.back() >= step) {
        series.step.pop_back();
        series.wall.pop_back();
        series.value.pop_back();
    }
}

/// A read transaction: several statements that see the same state. Within another one it is part of that.
class Snapshot {
public:
    explicit Snapshot(Database& db) {
        if (sqlite3_get_autocommit(db.handle()) != 0) own_.emplace(db, "BEGIN");
    }
    void end() {
        if (own_) own_->commit();
    }

private:
    std::optional<detail::Transaction> own_;
};

/// Of what was read; names nothing where it was no RunFile.
RunFile fileOf(const Statement& row, int column, RunFile::Kind kind) {
    return RunFile::parse(row.text(column), kind).value_or(RunFile());
}

template <class Row>
std::vector<Row> withPaths(std::vector<Row> rows) {
    std::erase_if(rows, [](const Row& row) { return row.path.empty(); });
    return rows;
}

constexpr double kPollSeconds = 1;  ///< a log's time on disk is coarse: two commits may share it

}  // namespace

struct RunReader::Impl {
    std::filesystem::path folder;
    std::unique_ptr<Database> db;
    std::optional<Statement> dataVersion;
    std::int64_t known = 0;  ///< the last answer
    LogState lastLog;
    double polled = 0;
    std::optional<Error> error;

    [[nodiscard]] std::filesystem::path file() const { return folder / "run.db"; }
    Status open();
    Status connect(detail::Access access);

    /// Runs a read; a failure is kept and leaves what was read so far.
    template <class Read>
    void guarded(Read read) {
        try {
            read();
        } catch (const SqliteFailure& failure) {
            if (!error) error = detail::toError(failure, file());
        }
    }
    template <class Row>
    std::vector<Row> rows(const std::string& sql, const std::function<Row(Statement&)>& make,
                          std::int64_t from) {
        std::vector<Row> out;
        guarded([&] {
            Statement& statement = db->kept(sql);
            statement.each([&] { out.push_back(make(statement)); }, from);
        });
        return out;
    }
    std::int64_t metricId(const std::string& name);
    /// Calls visit(segment, step, wall, value) for each point with seq >= next and moves it behind them; a
    /// damaged block throws, and what comes before it counts as visited.
    template <class Visit>
    void visit(std::int64_t metric, std::int64_t& next, Visit visit);
};

Status RunReader::Impl::connect(detail::Access access) {
    db = std::make_unique<Database>(file(), access);
    const int version = db->version();
    if (version == 0)
        return workError("store.missing", "holds no run yet")
            .in(file().string())
            .fix("try again in a moment");
    if (version != kRunSchemaVersion) return detail::otherVersion(version, kRunSchemaVersion, file());
    (void)db->integer("SELECT count(*) FROM sqlite_schema");
    dataVersion.emplace(db->prepare("PRAGMA data_version"));
    return {};
}

Status RunReader::Impl::open() {
    std::error_code problem, ignored;
    KURVE_CHECKED(detail::checkOwn(folder));
    const auto kind = std::filesystem::status(file(), problem).type();
    if (kind == std::filesystem::file_type::none)
        return workError("io.open", "the run cannot be read: " + problem.message())
            .in(file().string())
            .fix("check the permissions of its folder");
    if (kind != std::filesystem::file_type::regular)
        return requestError("store.missing", "there is no run here")
            .in(file().string())
            .fix("`kurve runs` lists the runs");
    try {
        return connect(detail::Access::ReadOnly);
    } catch (const SqliteFailure& failure) {
        // Where nothing may be written SQLite cannot make its shared-memory file. Without a log nothing is
        // pending, and the file can be read as it lies.
        const auto log = std::filesystem::file_size(file().string() + "-wal", ignored);
        const bool nothingPending = ignored || log == 0;
        if (!nothingPending || ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0)
            return detail::toError(failure, file());
    }
    try {
        return connect(detail::Access::Immutable);
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, file());
    }
}

std::int64_t RunReader::Impl::metricId(const std::string& name) {
    std::int64_t id = 0;
    Statement& row = db->kept("SELECT id FROM metrics WHERE name = ?1");
    row.each([&] { id = row.integer(0); }, name);
    return id;
}

template <class Visit>
void RunReader::Impl::visit(std::int64_t metric, std::int64_t& next, Visit visit) {
    const std::int64_t from = next;
    Statement& sealed = db->kept("SELECT first_seq, count, segment, points, " + detail::soundRow("sealed") +
                                 " FROM sealed WHERE metric = ?1 AND first_seq > ?2 ORDER BY first_seq");
    sealed.each(
        [&] {
            const auto first = sealed.integer(0), segment = sealed.integer(2);
            const auto count = static_cast<std::size_t>(sealed.integer(1));
            const auto blob = sealed.blob(3);
            if (count > detail::kSealedPoints || blob.size() != count * detail::kPointBytes)
                throw SqliteFailure(SQLITE_CORRUPT, "a block of points has the wrong size");
            if (sealed.integer(4) == 0)
                throw SqliteFailure(SQLITE_CORRUPT, "a block of points does not match its checksum");
            std::int64_t step = 0, wall = 0;
            double value = 0;
            const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(from - first, 0));
            for (std::size_t i = begin; i < count; ++i) {
                std::memcpy(&step, blob.data() + 8 * i, 8);
                std::memcpy(&wall, blob.data() + 8 * (count + i), 8);
                std::memcpy(&value, blob.data() + 8 * (2 * count + i), 8);
                visit(segment, step, static_cast<double>(wall) / 1e6, value);
            }
            next = std::max(next, first + static_cast<std::int64_t>(count));
        },
        metric, from - static_cast<std::int64_t>(detail::kSealedPoints));
    Statement& hot = db->kept(
        "SELECT seq, segment, step, wall, value FROM scalars WHERE metric = ?1 AND seq >= ?2 ORDER BY seq");
    hot.each(
        [&] {
            visit(hot.integer(1), hot.integer(2), hot.real(3), hot.real(4));
            next = hot.integer(0) + 1;
        },
        metric, from);
}

RunReader::RunReader() : impl_(std::make_unique<Impl>()) {}
RunReader::~RunReader() = default;

Result<std::unique_ptr<RunReader>> RunReader::open(const std::filesystem::path& runFolder) {
    std::unique_ptr<RunReader> reader(new RunReader);
    reader->impl_->folder = runFolder;
    KURVE_CHECKED(reader->impl_->open());
    return reader;
}

void RunReader::together(const std::function<void()>& reads) const {
    impl_->guarded([&] {
        Snapshot snapshot(*impl_->db);
        reads();
        snapshot.end();
    });
}

void RunReader::release() const {
    impl_->db->release();
}

std::int64_t RunReader::dataVersion() const {
    const LogState log = LogState::of(impl_->file());
    const double now = steadySeconds();
    if (log.bytes >= 0 && log == impl_->lastLog && now < impl_->polled + kPollSeconds) return impl_->known;
    impl_->lastLog = log;
    impl_->polled = now;
    impl_->known = 0;
    impl_->guarded([&] { impl_->dataVersion->each([&] { impl_->known = impl_->dataVersion->integer(0); }); });
    return impl_->known;
}

std::map<std::string, std::string> RunReader::values() const {
    std::map<std::string, std::string> values;
    impl_->guarded([&] {
        Statement& rows = impl_->db->kept("SELECT key, value FROM run");
        rows.each([&] { values[rows.text(0)] = rows.text(1); });
    });
    return values;
}

std::vector<std::string> RunReader::metrics() const {
    return impl_->rows<std::string>(
        "SELECT name FROM metrics WHERE id >= ?1 AND points > 0 ORDER BY id",
        [](Statement& s) { return s.text(0); }, 0);
}

void RunReader::points(const std::string& metric, SeriesCursor& cursor, Series& out) const {
    impl_->guarded([&] {
        Snapshot snapshot(*impl_->db);
        const Shadows shadows(*impl_->db);
        if (shadows.newest() > cursor.segment) dropFrom(shadows.from(cursor.segment), out);
        cursor.segment = shadows.newest();
        std::int64_t segment = -1, shadowedFrom = 0;
        const auto add = [&](std::int64_t pointSegment, std::int64_t step, double wall, double value) {
            if (pointSegment != segment) shadowedFrom = shadows.from(segment = pointSegment);
            if (step >= shadowedFrom) return;
            out.step.push_back(step);
            out.wall.push_back(wall);
            out.value.push_back(value);
        };
        const auto id = impl_->metricId(metric);
        if (id > 0) impl_->visit(id, cursor.row, add);
        snapshot.end();
    });
}

Series RunReader::attempt(const std::string& metric, std::int64_t segment) const {
    Series out;
    impl_->guarded([&] {
        Snapshot snapshot(*impl_->db);
        const auto id = impl_->metricId(metric);
        std::int64_t row = 0;
        impl_->visit(id, row, [&](std::int64_t pointSegment, std::int64_t step, double wall, double value) {
            if (pointSegment != segment) return;
            out.step.push_back(step);
            out.wall.push_back(wall);
            out.value.push_back(value);
        });
        snapshot.end();
    });
    return out;
}

std::optional<double> RunReader::last(const std::string& metric) const {
    std::optional<double> value;
    bool shadowed = false;
    impl_->guarded([&] {
        Statement row = impl_->db->prepare(
            "SELECT last_value, EXISTS(SELECT 1 FROM segments WHERE id > last_segment AND start_step <= "
            "last_step) "
            "FROM metrics WHERE name = ?1 AND points > 0");
        row.each(
            [&] {
                value = row.real(0);
                shadowed = row.integer(1) != 0;
            },
            metric);
    });
    if (!shadowed) return value;
    SeriesCursor cursor;
    Series all;
    points(metric, cursor, all);
    return all.value.empty() ? std::nullopt : std::optional(all.value.back());
}

std::map<std::string, double> RunReader::lastValues() const {
    std::map<std::string, double> out;
    std::vector<std::string> shadowed;
    impl_->guarded([&] {
        Statement rows = impl_->db->prepare(
            "SELECT name, last_value, EXISTS(SELECT 1 FROM segments WHERE id > last_segment AND start_step "
            "<= last_step) "
            "FROM metrics WHERE points > 0");
        rows.each([&] {
            if (rows.integer(2) != 0)
                shadowed.push_back(rows.text(0));
            else
                out[rows.text(0)] = rows.real(1);
        });
    });
    for (const auto& name : shadowed)
        if (const auto value = last(name)) out[name] = *value;
    return out;
}

RunExtremes RunReader::extremes(const RunExtremes* maybeBefore) const {
    RunExtremes read;
    impl_->guarded([&] {
        Snapshot snapshot(*impl_->db);
        read = detail::readExtremes(*impl_->db, maybeBefore);
        snapshot.end();
    });
    return read;
}

std::int64_t RunReader::lastStep() const {
    std::int64_t step = 0;
    impl_->guarded([&] {
        step = impl_->db->integer(
            "SELECT max(0, coalesce((SELECT max(last_step) FROM metrics WHERE points > 0 AND NOT EXISTS "
            "(SELECT 1 FROM segments WHERE id > last_segment AND start_step <= last_step)), 0), "
            "coalesce((SELECT start_step - 1 FROM segments ORDER BY id DESC LIMIT 1), 0))");
    });
    return step;
}

std::vector<EventRow> RunReader::events(std::int64_t afterId) const {
    return impl_->rows<EventRow>(
        "SELECT id, step, wall, kind, text FROM events WHERE id > ?1 ORDER BY id",
        [](Statement& s) {
            return EventRow{s.integer(0), s.integer(1), s.real(2), s.text(3), s.text(4)};
        },
        afterId);
}

std::vector<EventRow> RunReader::log(std::int64_t afterId) const {
    return impl_->rows<EventRow>(
        "SELECT id, step, wall, level, text FROM log WHERE id > ?1 ORDER BY id",
        [](Statement& s) {
            return EventRow{s.integer(0), s.integer(1), s.real(2), s.text(3), s.text(4)};
        },
        afterId);
}

std::vector<SampleRow> RunReader::samples(std::int64_t fromStep) const {
    return impl_->rows<SampleRow>(
        std::string("SELECT step, prompt, input, output, reference, score, trace_file FROM samples t WHERE "
                    "step >= ?1") +
            kVisible + " ORDER BY step, prompt, id",
        [](Statement& s) {
            return SampleRow{s.integer(0), static_cast<int>(s.integer(1)),    s.text(2), s.text(3), s.text(4),
                             s.real(5),    fileOf(s, 6, RunFile::Kind::Trace)};
        },
        fromStep);
}

std::vector<CheckpointRow> RunReader::checkpoints() const {
    return withPaths(impl_->rows<CheckpointRow>(
        "SELECT step, path, sha256, metric, bytes, pinned, rowid FROM checkpoints WHERE step >= ?1 ORDER BY "
        "step, path",
        [](Statement& s) {
            return CheckpointRow{s.integer(0), fileOf(s, 1, RunFile::Kind::Checkpoint),
                                 s.text(2),    s.real(3),
                                 s.integer(4), s.integer(5) != 0,
                                 s.integer(6)};
        },
        INT64_MIN));
}

std::vector<TraceRow> RunReader::traces() const {
    return withPaths(impl_->rows<TraceRow>(
        std::string("SELECT step, prompt, path, text, sha256, bytes, rowid FROM traces t WHERE step >= ?1") +
            kVisible + " ORDER BY step, prompt, path",
        [](Statement& s) {
            return TraceRow{s.integer(0),
                            static_cast<int>(s.integer(1)),
                            fileOf(s, 2, RunFile::Kind::Trace),
                            s.text(3),
                            s.text(4),
                            s.integer(5),
                            s.integer(6)};
        },
        INT64_MIN));
}

std::vector<std::string> RunReader::histogramNames() const {
    std::vector<std::string> names;
    impl_->guarded([&] {
        // From name to name by the index: a DISTINCT would look at every row.
        Statement& rows = impl_->db->kept(
            "WITH RECURSIVE names(metric) AS (SELECT min(metric) FROM histograms UNION ALL SELECT (SELECT "
            "min(h.metric) FROM histograms h WHERE h.metric > names.metric) FROM names WHERE metric IS NOT "
            "NULL) SELECT metric FROM names WHERE metric IS NOT NULL");
        rows.each([&] { names.push_back(rows.text(0)); });
    });
    return names;
}

std::vector<HistogramRow> RunReader::histograms(const std::string& metric, std::int64_t afterStep) const {
    std::vector<HistogramRow> out;
    impl_->guarded([&] {
        Statement& rows = impl_->db->kept(
            std::string("SELECT step, bins FROM histograms t WHERE metric = ?1 AND step > ?2") + kVisible +
            " ORDER BY step, id");
        rows.each([&] { out.push_back({rows.integer(0), rows.text(1)}); }, metric, afterStep);
    });
    return out;
}

std::vector<SegmentRow> RunReader::segments() const {
    return impl_->rows<SegmentRow>(
        "SELECT id, start_step, wall, reason FROM segments WHERE id >= ?1 ORDER BY id",
        [](Statement& s) {
            return SegmentRow{s.integer(0), s.integer(1), s.real(2), s.text(3)};
        },
        0);
}

const std::filesystem::path& RunReader::folder() const {
    return impl_->folder;
}

Status RunReader::lastError() const {
    if (impl_->error) return *impl_->error;
    return {};
}

}  // namespace kurve::store
