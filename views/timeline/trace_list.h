#pragma once

#include <QString>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::views {

struct RunData;

/// A trace that an evaluation recorded.
struct RunTrace {
    qint64 step = 0;  ///< training step
    QString file;     ///< relative to the run's folder
    friend bool operator==(const RunTrace&, const RunTrace&) = default;
};
/// The run's traces of the shown trace's prompt, by training step; the newest file of each step. Empty where
/// the trace is a branch, of another run, or not of a fixed prompt.
[[nodiscard]] std::vector<RunTrace> tracesOf(const RunData& data, const QString& runId,
                                             const trace::Trace& shown);
/// The last one at or before a training step, else the first; -1 without any.
[[nodiscard]] int traceAt(const std::vector<RunTrace>& traces, qint64 step);
}  // namespace kurve::views
