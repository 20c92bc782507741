#pragma once

#include <QString>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::views {

struct RunData;

/// A denoising that an evaluation recorded.
struct Recording {
    qint64 step = 0;  ///< training step
    QString file;     ///< relative to the run's folder
    friend bool operator==(const Recording&, const Recording&) = default;
};
/// What the run recorded for the prompt of the shown trace, by training step; the newest file of each step.
/// Empty where the trace is a branch, of another run, or of no fixed prompt.
[[nodiscard]] std::vector<Recording> recordingsOf(const RunData& data, const QString& runId,
                                                  const trace::Trace& shown);
/// The last one at or before a training step, else the first; -1 if there is none.
[[nodiscard]] int recordingAt(const std::vector<Recording>& recordings, qint64 step);
}  // namespace kurve::views
