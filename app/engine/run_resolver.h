#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>

#include "app/engine/run_access.h"
#include "core/train/run_reference.h"

namespace kurve::engine {

/// Whose settings name runs.
struct ReferringRun {
    std::string id;  ///< empty: a run that does not exist yet and has no name
    /// Of a run that exists, or whose settings are taken over: where its references/ are, and what is pinned.
    std::filesystem::path folder;
    std::vector<train::PinnedRun> pins;

    [[nodiscard]] static ReferringRun of(const OpenRun& run);
};

/// Finds runs of the project, or the copies of the run whose settings name them where these are pinned. One
/// that still trains is taken only at a checkpoint that is named by its step: its best one is soon another.
[[nodiscard]] std::shared_ptr<train::RunResolver> makeRunResolver(const CommonOptions& common,
                                                                  const std::filesystem::path& project,
                                                                  c10::Device device, ReferringRun referring);

}  // namespace kurve::engine
