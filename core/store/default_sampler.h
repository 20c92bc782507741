#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"

namespace kurve::store {

/// sampler.* settings as texts.
using SamplerSettings = std::map<std::string, std::string>;

/// <run folder>/sampler.json: the default sampler settings of a run, over the values of its own settings,
/// which stay as they were trained. A file of its own because run.db is the trainer's.
[[nodiscard]] std::filesystem::path defaultSamplerFile(const std::filesystem::path& runFolder);

/// Empty without the file. Errors: sampler.damaged, io.*. Reads a file: not on the GUI thread.
Result<SamplerSettings> defaultSampler(const std::filesystem::path& runFolder);

/// Replaces the default; no settings: the run's own hold again, and the file is removed.
/// Whole or not at all. Errors: io.write.
Status saveDefaultSampler(const std::filesystem::path& runFolder, const SamplerSettings& settings);

}  // namespace kurve::store
