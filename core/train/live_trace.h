#pragma once

#include <string>

#include "core/train/session_link.h"

namespace kurve::train {

/// Tells who follows a growing trace how far it is: the event "tracing" {file, steps, planned}, at most ten
/// times a second. The file holds the steps before the event is sent.
class LiveTrace {
public:
    /// `link` outlives this.
    LiveTrace(std::string file, std::string requestId, SessionLink& link);
    void operator()(int steps, int planned);

private:
    std::string file_, requestId_;
    SessionLink* link_;
    double next_;  ///< steady seconds before which nothing is told
};

}  // namespace kurve::train
