#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/text/corpus.h"
#include "core/text/dataset.h"

namespace kurve::text::detail {

/// Whether the training targets are a teacher's.
[[nodiscard]] bool isDistilled(const RunConfig& config);

/// The files of a split ("data.train") and how the experiment reads them.
[[nodiscard]] CorpusSource sourceOf(const RunConfig& config, const std::filesystem::path& project,
                                    const std::string& key);

/// What the packed ids of a split depend on; `corpus` is Corpus::sha256.
[[nodiscard]] std::string packingHash(const RunConfig& config, const std::string& corpus,
                                      const TokenizerHashes& tokenizers);

/// Dataset::sha256 from the packings of its splits.
[[nodiscard]] std::string fingerprintOf(const RunConfig& config, const std::vector<std::string>& packings);

}  // namespace kurve::text::detail
