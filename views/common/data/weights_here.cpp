#include "views/common/data/weights_here.h"

#include "views/common/data/run_catalog.h"

namespace kurve::views {

QStringList checkpointsAway(const std::filesystem::path& runFolder, const RunData& data) {
    QStringList away;
    for (const store::CheckpointRow& row : data.checkpoints) {
        std::error_code ignored;
        const auto weights = runFolder / "checkpoints" / row.path.name() / "weights.safetensors";
        if (!std::filesystem::exists(weights, ignored)) away << QString::fromStdString(row.path.name());
    }
    return away;
}

}  // namespace kurve::views
