#pragma once

#include <QStringList>
#include <filesystem>

namespace kurve::views {

struct RunData;

/// Names of the run's checkpoints whose weights are not in its folder: of a run on another machine those that
/// were not fetched. Asks the file system once for each.
[[nodiscard]] QStringList checkpointsAway(const std::filesystem::path& runFolder, const RunData& data);

}  // namespace kurve::views
