#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/store/run_file.h"

namespace kurve::store {

inline constexpr int kRunSchemaVersion = 2;  ///< PRAGMA user_version of run.db

struct SampleRow {
    std::int64_t step = 0;
    int prompt = 0;  ///< index of the fixed prompt
    std::string input, output, reference;
    double score = 0;   ///< the model's own score of the chosen candidate
    RunFile traceFile;  ///< empty if none
};
struct CheckpointRow {
    std::int64_t step = 0;
    RunFile path;
    std::string sha256;
    double metric = 0;  ///< the value that keep-best ranks by; NaN if not evaluated
    std::int64_t bytes = 0;
    bool pinned = false;
    std::int64_t saved = 0;  ///< from a reader: higher is newer; 0 = not recorded
};
struct TraceRow {
    std::int64_t step = 0;  ///< training step of the checkpoint that made it
    int prompt = -1;        ///< fixed prompt, or -1
    RunFile path;
    std::string text, sha256;
    std::int64_t bytes = 0;
    std::int64_t recorded = 0;  ///< from a reader: higher is newer
};

/// Keys of the table run that the index and the studio know (values are texts; others may be added freely):
///   id name family task state reason parent parent_checkpoint references (a list of pins:
///   core/train/run_reference.h) config (canonical TOML) config_hash settings (JSON object of the changed
///   keys to their texts: what the filter box finds) started ended (seconds since the epoch) total_steps;
///   written by the writer itself: heartbeat_wall heartbeat_step pid pid_started host boot_id pid_namespace.
///
/// Sole writer of a run's run.db (WAL). Calls only queue; one thread of its own writes a transaction every
/// 200 ms, so at most one second is at risk in a kill -9. scalar() is < 1 us amortised. Callable from any
/// thread. Order of one thread's calls is kept. A full or read-only disk becomes a sticky error that flush()
/// and lastError() report, and so does a run.db that was removed, moved or replaced (store.gone). Seals the
/// hot tail of a metric into blobs of up to 1,024 points with minimum and maximum.
class RunWriter {
public:
    /// Creates the folder and run.db, or reopens them; takes an exclusive lock (store.locked: a second engine
    /// on the same run). Errors: store.newer_version, store.older_version, store.damaged, io.write; nothing
    /// that was not there before is left then.
    static Result<std::unique_ptr<RunWriter>> open(const std::filesystem::path& runFolder);
    ~RunWriter();

    /// The run did not come about after all: when this writer ends it removes the run's folder. Does nothing
    /// where open() found the folder.
    void takeBack();

    /// For a program that is not the run's writer: enters one trace into run.db, in a transaction of its own
    /// that is over in about a millisecond. A run that trains meanwhile is not held up: its writer's thread
    /// waits for such a moment, its training thread never. Errors: store.*, io.write.
    static Status addTrace(const std::filesystem::path& runFolder, const TraceRow& row);

    void set(std::string key, std::string value);  ///< table run(key, value)
    void scalar(const std::string& metric, std::int64_t step, double wall,
                double value);  ///< NaN and inf are kept
    void event(std::int64_t step, const std::string& kind, const std::string& text);
    void log(std::int64_t step, const std::string& level, const std::string& text);
    void sample(SampleRow row);
    void checkpoint(CheckpointRow row);  ///< becomes the newest
    void pinCheckpoint(const RunFile& path, bool pinned);
    void removeCheckpoint(const RunFile& path);
    void trace(TraceRow row);
    /// A fixed-bin histogram at a step, e.g. loss against log-SNR: edges [n+1], values [n], weights [n].
    void histogram(const std::string& metric, std::int64_t step, const nlohmann::json& bins);
    /// Starts an attempt: segments(id, start_step, wall, reason). startStep is the first step that is trained
    /// in it (0 for a new run, whose first point may be the copy's score). Points logged from now on belong
    /// to it; points of earlier segments at steps >= startStep are shadowed (kept, not shown by default).
    void beginSegment(std::int64_t startStep, const std::string& reason);
    /// Takes the attempt begun last back: nothing was trained in it. Stays if it shadows a point.
    void withdrawSegment();
    void heartbeat(std::int64_t step);  ///< run keys heartbeat_wall, heartbeat_step, pid, pid_started

    Status flush();  ///< blocks until everything queued is committed
    [[nodiscard]] Status lastError() const;

private:
    RunWriter();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kurve::store
