#pragma once

#include "core/train/session.h"

namespace kurve::train {

/// What a new run is, for everybody who opens its folder later: identity, settings, hashes, the
/// project's state in git (project.diff beside it), the request's facts.
void recordRun(store::RunWriter& writer, const SessionRequest& request, const text::Dataset& data);

}  // namespace kurve::train
