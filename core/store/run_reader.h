#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/growing_list.h"
#include "core/base/result.h"
#include "core/store/extremes.h"
#include "core/store/run_writer.h"

namespace kurve::store {

/// Points of one metric in step order within a segment, struct of arrays.
struct Series {
    GrowingList<std::int64_t> step;
    GrowingList<double> wall;   ///< seconds since the epoch
    GrowingList<double> value;  ///< NaN and infinities as logged
    [[nodiscard]] std::size_t size() const { return step.size(); }
};
/// Where a reader of one metric stopped; opaque, default = from the start.
struct SeriesCursor {
    std::int64_t row = 0, segment = 0;
};
struct EventRow {
    std::int64_t id = 0, step = 0;
    double wall = 0;
    std::string kind, text;
};
struct HistogramRow {
    std::int64_t step = 0;
    std::string json;
};
struct SegmentRow {
    std::int64_t id = 0, startStep = 0;
    double wall = 0;
    std::string reason;
};

/// Read-only view of a run.db, safe beside a live writer and never blocking it (every statement is reset at
/// once). Use from one thread at a time; never from the GUI thread.
class RunReader {
public:
    /// Errors: store.missing, store.newer_version and .older_version (name both), store.damaged. Works in a
    /// folder that may not be written.
    static Result<std::unique_ptr<RunReader>> open(const std::filesystem::path& runFolder);
    ~RunReader();

    /// Changes whenever another connection committed: poll this, then read what is new. Cheap: the database
    /// itself is asked only where its log has changed on disk, and once a second.
    [[nodiscard]] std::int64_t dataVersion() const;
    /// The reads, of this reader, see one state of the run.
    void together(const std::function<void()>& reads) const;
    /// Gives back memory that makes the next read faster.
    void release() const;
    [[nodiscard]] std::map<std::string, std::string> values() const;  ///< table run
    [[nodiscard]] std::vector<std::string> metrics() const;
    /// Appends the points after the cursor to `out` and moves the cursor. Shadowed points are left out;
    /// points at the end of `out` that a segment begun since then shadows are removed.
    void points(const std::string& metric, SeriesCursor& cursor, Series& out) const;
    /// All points of one attempt (segments().id; 0 = before the first), shadowed or not.
    [[nodiscard]] Series attempt(const std::string& metric, std::int64_t segment) const;
    [[nodiscard]] std::optional<double> last(const std::string& metric) const;
    [[nodiscard]] std::map<std::string, double> lastValues() const;  ///< last() of every metric
    /// Of every metric. Goes on from `maybeBefore`, if it is of this run: only what is new is looked at.
    [[nodiscard]] RunExtremes extremes(const RunExtremes* maybeBefore = nullptr) const;
    /// Newest step of any metric in the attempt that holds; of one that has logged nothing, the step it goes
    /// on from.
    [[nodiscard]] std::int64_t lastStep() const;
    [[nodiscard]] std::vector<EventRow> events(std::int64_t afterId = 0) const;
    [[nodiscard]] std::vector<EventRow> log(std::int64_t afterId = 0) const;
    [[nodiscard]] std::vector<SampleRow> samples(std::int64_t fromStep = 0) const;
    /// Without rows whose path is no RunFile; pathProblems() has those.
    [[nodiscard]] std::vector<CheckpointRow> checkpoints() const;
    [[nodiscard]] std::vector<TraceRow> traces() const;
    [[nodiscard]] std::vector<HistogramRow> histograms(const std::string& metric,
                                                       std::int64_t afterStep = -1) const;
    [[nodiscard]] std::vector<std::string> histogramNames() const;  ///< sorted
    [[nodiscard]] std::vector<SegmentRow> segments() const;
    [[nodiscard]] const std::filesystem::path& folder() const;
    [[nodiscard]] Status lastError() const;  ///< of the first read that failed

private:
    RunReader();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kurve::store
