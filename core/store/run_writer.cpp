#include "core/store/run_writer.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/store/detail/process.h"
#include "core/store/detail/run_lock.h"
#include "core/store/detail/run_schema.h"
#include "core/store/detail/scalar_store.h"
#include "core/store/detail/side_writer.h"
#include "core/store/detail/sqlite.h"
#include "core/store/run_mirror.h"

namespace kurve::store {
namespace {

using namespace std::chrono_literals;
using detail::Database;
using detail::Point;
using detail::ScalarStore;
using detail::SqliteFailure;

constexpr auto kPeriod = 200ms, kRetryPeriod = 1000ms;
constexpr const char* kReplace = "INSERT OR REPLACE";
constexpr std::size_t kMaxQueued = 4'000'000;

void insertTrace(Database& db, std::int64_t segment, const TraceRow& row) {
    db.prepare(detail::insertRow("traces", kReplace))
        .run(row.path.text(), segment, row.step, row.prompt, row.text, row.sha256, row.bytes);
}

using Action = std::function<void(ScalarStore&)>;

struct Batch {
    std::vector<Action> actions;
    std::vector<Point> points;
    [[nodiscard]] bool empty() const { return actions.empty() && points.empty(); }
    void append(Batch&& other) {
        if (empty()) {
            std::swap(*this, other);
        } else {
            std::move(other.actions.begin(), other.actions.end(), std::back_inserter(actions));
            points.insert(points.end(), other.points.begin(), other.points.end());
        }
        other.actions.clear();
        other.points.clear();
    }
};

}  // namespace

struct RunWriter::Impl {
    std::filesystem::path folder;
    std::unique_ptr<detail::RunLock> lock;
    std::unique_ptr<Database> db;
    std::unique_ptr<ScalarStore> store;  // this and db: the writer thread only, once it runs
    std::string written;                 ///< inodeOf() run.db as it was opened
    bool madeFolder = false, takenBack = false;

    mutable std::mutex mutex;
    // Under mutex:
    Batch queue;
    std::unordered_map<std::string, std::int32_t> metrics;
    std::int32_t segment = 0;
    std::optional<Error> error;
    std::uint64_t requested = 0, tried = 0;  ///< rounds that flush() waits for
    bool stopping = false;
    std::condition_variable wake, done;

    std::thread thread;

    Status openDatabase();
    void removeRun();
    void start();
    void loop();
    void writeBatch(Batch& batch);
    void push(Action action);
    template <class... Values>
    void pushRow(const std::string& sql, Values... values) {
        push([=](ScalarStore& s) { s.db().prepare(sql).run(values...); });
    }
};

Status RunWriter::Impl::openDatabase() {
    const auto file = folder / "run.db";
    KURVE_TRY(db, detail::openForWriting(file));
    try {
        store = std::make_unique<ScalarStore>(*db);
        for (const auto& name : store->loadMetrics())
            metrics.emplace(name, static_cast<std::int32_t>(metrics.size()));
        segment = static_cast<std::int32_t>(db->integer("SELECT max(id) FROM segments"));
        written = detail::inodeOf(file);
        return {};
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, file);
    }
}

/// Of a folder that this writer made: nothing in it was there before.
void RunWriter::Impl::removeRun() {
    if (!madeFolder) return;
    store.reset();
    db.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
}

void RunWriter::Impl::start() {
    thread = std::thread([this] { loop(); });
}

void RunWriter::Impl::loop() {
    Batch batch;
    bool failed = false;
    while (true) {
        std::unique_lock guard(mutex);
        wake.wait_for(guard, failed ? kRetryPeriod : kPeriod, [&] { return stopping || requested > tried; });
        const std::uint64_t round = requested;
        const bool last = stopping;
        batch.append(std::move(queue));
        guard.unlock();

        std::optional<Error> problem;
        try {
            if (!batch.empty()) writeBatch(batch);
            batch = {};
        } catch (const SqliteFailure& failure) {
            problem = detail::toError(failure, folder / "run.db");
        }
        if (!problem && detail::inodeOf(folder / "run.db") != written)
            problem = detail::goneError(folder).fix(
                "nothing that is trained from here on could be kept; start the run again");
        failed = problem.has_value();
        guard.lock();
        error = std::move(problem);
        tried = round;
        done.notify_all();
        if (last) return;
    }
}

void RunWriter::Impl::writeBatch(Batch& batch) {
    auto before = store->tails();
    try {
        detail::Transaction transaction(*db);
        for (const auto& action : batch.actions) action(*store);
        store->addPoints(batch.points);
        transaction.commit();
    } catch (const SqliteFailure&) {
        store->restore(std::move(before));
        throw;
    }
}

void RunWriter::Impl::push(Action action) {
    const std::lock_guard guard(mutex);
    if (queue.actions.size() < kMaxQueued) queue.actions.push_back(std::move(action));
}

RunWriter::RunWriter() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<RunWriter>> RunWriter::open(const std::filesystem::path& runFolder) {
    std::error_code code;
    const bool made = std::filesystem::create_directories(runFolder, code);
    if (code)
        return workError("io.write", "cannot make the folder: " + code.message())
            .in(runFolder.string())
            .fix("check free space and permissions of the folder");
    KURVE_CHECKED(detail::checkOwn(runFolder));
    if (detail::onNetwork(runFolder)) return detail::networkError(runFolder);
    std::unique_ptr<RunWriter> writer(new RunWriter);
    Impl& impl = *writer->impl_;
    impl.folder = runFolder;
    impl.madeFolder = made;
    KURVE_TRY(impl.lock, detail::RunLock::take(runFolder));
    if (Status opened = impl.openDatabase(); !opened) {
        impl.removeRun();  // half a run.db would be taken for a run that is about to begin
        return opened.error();
    }
    impl.start();
    for (const auto& [key, value] : detail::ProcessIdentity::self(runFolder).values())
        writer->set(key, value);
    return writer;
}

RunWriter::~RunWriter() {
    if (!impl_->thread.joinable()) return;
    {
        const std::lock_guard guard(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->wake.notify_all();
    impl_->thread.join();
    if (impl_->takenBack) impl_->removeRun();
    if (!impl_->db) return;
    impl_->store.reset();
    detail::restAsOneFile(*impl_->db);
}

void RunWriter::takeBack() {
    impl_->takenBack = true;
}

void RunWriter::set(std::string key, std::string value) {
    impl_->pushRow(detail::insertRow("run", kReplace), std::move(key), std::move(value));
}

void RunWriter::scalar(const std::string& metric, std::int64_t step, double wall, double value) {
    const std::lock_guard guard(impl_->mutex);
    if (impl_->queue.points.size() >= kMaxQueued) return;
    auto found = impl_->metrics.find(metric);
    if (found == impl_->metrics.end()) {
        found = impl_->metrics.emplace(metric, static_cast<std::int32_t>(impl_->metrics.size())).first;
        impl_->queue.actions.emplace_back([metric](ScalarStore& store) { store.addMetric(metric); });
    }
    impl_->queue.points.push_back({found->second, impl_->segment, step, wall, value});
}

void RunWriter::event(std::int64_t step, const std::string& kind, const std::string& text) {
    impl_->pushRow(detail::insertRow("events"), step, wallSeconds(), kind, text);
}

void RunWriter::log(std::int64_t step, const std::string& level, const std::string& text) {
    impl_->pushRow(detail::insertRow("log"), step, wallSeconds(), level, text);
}

void RunWriter::sample(SampleRow row) {
    const std::lock_guard guard(impl_->mutex);
    impl_->queue.actions.emplace_back([row = std::move(row), segment = impl_->segment](ScalarStore& store) {
        store.db()
            .prepare(detail::insertRow("samples"))
            .run(segment, row.step, row.prompt, row.input, row.output, row.reference, row.score,
                 row.traceFile.text());
    });
}

void RunWriter::checkpoint(CheckpointRow row) {
    impl_->pushRow(detail::insertRow("checkpoints", kReplace), row.path.text(), row.step, row.sha256,
                   row.metric, row.bytes, row.pinned);
}

void RunWriter::pinCheckpoint(const RunFile& path, bool pinned) {
    impl_->pushRow(
        "UPDATE checkpoints SET pinned = ?2, sum = checksum(path, step, sha256, metric, bytes, ?2) WHERE "
        "path = ?1",
        path.text(), pinned);
}

void RunWriter::removeCheckpoint(const RunFile& path) {
    impl_->pushRow("DELETE FROM checkpoints WHERE path = ?1", path.text());
}

void RunWriter::trace(TraceRow row) {
    const std::lock_guard guard(impl_->mutex);
    impl_->queue.actions.emplace_back([row = std::move(row), segment = impl_->segment](ScalarStore& store) {
        insertTrace(store.db(), segment, row);
    });
}

Status RunWriter::addTrace(const std::filesystem::path& runFolder, const TraceRow& row) {
    return detail::writeBeside(runFolder, [&row](Database& db) {
        insertTrace(db, db.integer("SELECT max(id) FROM segments"), row);
    });
}

void RunWriter::histogram(const std::string& metric, std::int64_t step, const nlohmann::json& bins) {
    const std::lock_guard guard(impl_->mutex);
    impl_->queue.actions.emplace_back(
        [metric, step, text = bins.dump(), segment = impl_->segment](ScalarStore& store) {
            store.db().prepare(detail::insertRow("histograms")).run(metric, segment, step, text);
        });
}

void RunWriter::beginSegment(std::int64_t startStep, const std::string& reason) {
    const std::lock_guard guard(impl_->mutex);
    const std::int32_t id = ++impl_->segment;
    impl_->queue.actions.emplace_back([id, startStep, wall = wallSeconds(), reason](ScalarStore& store) {
        store.db().prepare(detail::insertRow("segments")).run(id, startStep, wall, reason);
        // From here on it is trained here, whatever machine it came from.
        store.db().prepare("DELETE FROM run WHERE key = ?1").run(std::string(kMachineKey));
    });
}

void RunWriter::withdrawSegment() {
    const std::lock_guard guard(impl_->mutex);
    impl_->queue.actions.emplace_back([id = impl_->segment](ScalarStore& store) {
        store.db()
            .prepare(
                "DELETE FROM segments WHERE id = ?1 AND id > 1 AND NOT EXISTS "
                "(SELECT 1 FROM metrics WHERE last_segment = ?1)")
            .run(id);
    });
}

void RunWriter::heartbeat(std::int64_t step) {
    set("heartbeat_step", std::to_string(step));
    set("heartbeat_wall", fmt::format("{:.3f}", wallSeconds()));
}

Status RunWriter::flush() {
    std::unique_lock guard(impl_->mutex);
    const std::uint64_t round = ++impl_->requested;
    impl_->wake.notify_all();
    impl_->done.wait(guard, [&] { return impl_->tried >= round; });
    if (impl_->error) return *impl_->error;
    return {};
}

Status RunWriter::lastError() const {
    const std::lock_guard guard(impl_->mutex);
    if (impl_->error) return *impl_->error;
    return {};
}

}  // namespace kurve::store
