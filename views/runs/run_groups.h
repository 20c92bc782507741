#pragma once

#include <QString>
#include <vector>

#include "core/store/project.h"

namespace kurve::views {

/// What the run list is grouped by. A sweep are the runs of an experiment that set the same keys.
enum class RunGroupBy : unsigned char { None, Family, Experiment, Sweep, Tag };
inline constexpr int kRunGroupBys = 5;

[[nodiscard]] QString groupingId(RunGroupBy by);         ///< "family"; stable
[[nodiscard]] RunGroupBy groupingOf(const QString& id);  ///< None for unknown ones

/// The same text for the runs of a group; empty for a run without the property.
[[nodiscard]] QString groupKey(const store::RunSummary& run, RunGroupBy by);

struct RunGroup {
    QString key, title;
    bool operator==(const RunGroup&) const = default;
};
/// The groups of these runs, sorted by key; none without a grouping.
[[nodiscard]] std::vector<RunGroup> groupsOf(const std::vector<const store::RunSummary*>& runs,
                                             RunGroupBy by);

}  // namespace kurve::views
