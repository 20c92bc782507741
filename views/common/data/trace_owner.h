#pragma once

#include <QString>

#include "core/trace/trace.h"

namespace kurve::views {

struct StudioContext;

/// The training step of the weights that made a trace; -1 if unknown.
[[nodiscard]] qint64 trainedSteps(const trace::Trace& trace);

/// The model that produced the shown trace, as a title: "restore-sclm, step 12 000". Empty for a trace
/// without a run.
struct TraceOwner {
    QString text;
    bool selected = true;  ///< false: another run is selected
    friend bool operator==(const TraceOwner&, const TraceOwner&) = default;
};
[[nodiscard]] TraceOwner ownerOf(const trace::Trace& shown, const StudioContext& context);

}  // namespace kurve::views
