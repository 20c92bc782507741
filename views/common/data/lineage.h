#pragma once

#include <QStringList>
#include <cstdint>
#include <string>
#include <vector>

#include "views/common/chart/chart_curve.h"
#include "views/common/chart/run_axis.h"
#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// The parent's points of a metric up to the fork, along an axis of the fork's chart; empty if it is no fork
/// or the parent has no such axis.
[[nodiscard]] ChartCurve::Points parentCurve(const RunData& fork, const RunData& parent,
                                             const std::string& metric, const RunAxis& axis);

/// A faint curve without a legend entry.
[[nodiscard]] CurveSpec dimmedCurve(RunStyle style, Qt::PenStyle dash);

/// Keeps the parents of some runs loaded while it lives.
class ParentWatch {
public:
    explicit ParentWatch(RunCatalog& catalog) : catalog_(catalog), parents_(&catalog) {}
    void follow(const QStringList& runs);
    [[nodiscard]] bool watches(const QString& run) const { return parents_.contains(run); }
    /// Empty if it is no fork, or its parent is not in the project.
    [[nodiscard]] QString parentOf(const QString& run) const;

private:
    RunCatalog& catalog_;
    WatchedRuns parents_;
};

}  // namespace kurve::views
