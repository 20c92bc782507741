#pragma once

#include "core/train/session.h"

namespace kurve::train {

/// What a new run is, for everybody who opens its folder later: identity, settings, hashes, the
/// project's state in git (project.diff beside it), the request's facts; and the tokenizers in its folder.
/// Errors: those of storeRunTokenizers().
Status recordRun(store::RunWriter& writer, const SessionRequest& request, const text::Dataset& data);
/// A number of table run: reading gives it again bit by bit.
[[nodiscard]] std::string exactText(double value);

}  // namespace kurve::train
