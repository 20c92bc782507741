#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "views/compare/compared_run.h"

namespace kurve::views {

/// What the cells of SampleMatrix show.
struct SampleRequest {
    std::optional<qint64> step;  ///< the last evaluation at or before it; without it the last of all
    QString against;             ///< word diff against this run's output; empty: against the reference
};
enum SampleRole { SampleHtmlRole = Qt::UserRole, SampleRunRole, SampleTraceRole };

/// Outputs of the runs for the same fixed prompts: one row per prompt, first the prompt with its reference,
/// then one cell per run.
[[nodiscard]] std::vector<CellRow> sampleCells(const std::vector<ComparedRun>& runs,
                                               const SampleRequest& request);

}  // namespace kurve::views
