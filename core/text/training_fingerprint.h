#pragma once

#include "core/text/dataset.h"

namespace kurve::text {

/// What the training split's batches depend on beside their size and the seed: its corpus as it lies now,
/// tokenizers and settings; Dataset::sha256 is of all splits. Only reads. Errors: those of reading.
Result<std::string> trainingFingerprint(const RunConfig& config, const std::filesystem::path& project,
                                        const TokenizerHashes& tokenizers);

}  // namespace kurve::text
