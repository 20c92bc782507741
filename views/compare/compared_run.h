#pragma once

#include <QIcon>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/config/run_config.h"
#include "views/common/data/run_catalog.h"
#include "views/common/table/cell_table_model.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

/// One column of the comparison; the first run is the baseline.
struct ComparedRun {
    QString id, title;
    std::shared_ptr<const RunData> data;  ///< null until loaded
    std::optional<RunConfig> config;      ///< empty where it cannot be read; `configProblem` says why
    QString configProblem;
    /// The parent of a fork; of others all empty.
    struct Parent {
        QString id, title;
        std::shared_ptr<const RunData> data;
    } parent;
};

/// `differing`, then the runs without settings:
/// "22 settings differ; no settings of other". Runs that are still being read count as neither.
[[nodiscard]] QString withMissing(const std::vector<ComparedRun>& runs, const QString& differing);

/// A line as in charts: colour, dash and marker.
[[nodiscard]] QIcon lineIcon(const RunStyle& style);

/// The header of a table with a column for each run beside the first one.
[[nodiscard]] CellRow runColumns(const QString& first, const std::vector<ComparedRun>& runs);

}  // namespace kurve::views
