#pragma once

#include <QString>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::views {

struct RunData;
struct StudioContext;

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
/// The training step of the weights that made a trace; -1 where it does not say.
[[nodiscard]] qint64 trainedSteps(const trace::Trace& trace);

/// Which model wrote the shown denoising, as a title: "restore-sclm, step 12 000". Empty for a recording that
/// names no run.
struct RecordingOwner {
    QString text;
    bool selected = true;  ///< false: the list of runs says another one
    friend bool operator==(const RecordingOwner&, const RecordingOwner&) = default;
};
[[nodiscard]] RecordingOwner ownerOf(const trace::Trace& shown, const StudioContext& context);

}  // namespace kurve::views
