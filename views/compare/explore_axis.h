#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/store/project.h"
#include "views/common/data/engine_info.h"

namespace kurve::views {

/// A setting or metric in which runs differ, as an axis from 0 (bottom) to 1.
struct ExploreAxis {
    std::string key;      ///< as store::RunFilter knows it
    bool metric = false;  ///< else a setting, or the family
    bool log = false;     ///< numbers over more than two decades, all positive
    double low = 0, high = 1;
    QStringList categories;  ///< of texts: one position each; empty: numbers

    /// NaN where the run has no such value.
    [[nodiscard]] double position(const store::RunSummary& run) const;
    /// Empty for texts and where the run has none.
    [[nodiscard]] std::optional<double> number(const store::RunSummary& run) const;
    [[nodiscard]] QString text(const store::RunSummary& run) const;  ///< empty where there is none
    [[nodiscard]] double valueAt(double position) const;             ///< of a numeric axis
    [[nodiscard]] double positionOf(double value) const;             ///< likewise
    [[nodiscard]] QString textAt(double position) const;
    /// Terms of a RunFilter that hold for the runs between two positions; empty if that is all of them.
    [[nodiscard]] QString terms(double from, double to) const;
};

/// Everything in which the runs differ: family, settings, last values of metrics, and the best ones as
/// "max.valid_bleu" (of metrics without a direction both ends) where they are not the last ones. Sorted by
/// relevance: known for most runs; quality before the rest.
[[nodiscard]] std::vector<ExploreAxis> exploreAxes(std::span<const store::RunSummary> runs,
                                                   const EngineInfo& engine);

}  // namespace kurve::views
