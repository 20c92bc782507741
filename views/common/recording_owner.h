#pragma once

#include <QString>

#include "core/trace/trace.h"

namespace kurve::views {

struct StudioContext;

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
