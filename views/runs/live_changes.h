#pragma once

#include <filesystem>
#include <vector>

#include "core/config/run_config.h"
#include "core/store/run_file.h"

namespace kurve::views {

/// The settings that were changed while training, in order, as the checkpoint itself records them
/// (state.json): a fork of it keeps them. None where that cannot be read; nothing can be forked of it then.
[[nodiscard]] std::vector<Override> liveChanges(const std::filesystem::path& runFolder,
                                                const store::RunFile& checkpoint);

}  // namespace kurve::views
