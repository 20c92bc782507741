#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/common/data/engine_info.h"
#include "views/compare/compared_run.h"

namespace kurve::views {

/// One number that a metric has in each run: its last value, or the lowest or highest that its curve had.
struct MetricValue {
    enum class Kind : unsigned char { Last, Lowest, Highest };
    std::string metric;
    Kind kind = Kind::Last;
    QString title, doc;                           ///< with what it is: "BLEU", "best BLEU", "lowest rate / %"
    bool ranked = false, higherIsBetter = false;  ///< ranked: one direction is better

    /// For the session: "last:loss", "low:loss", "high:valid_bleu".
    [[nodiscard]] QString id() const;
    [[nodiscard]] std::optional<double> of(const ComparedRun& run) const;
    /// Of the lowest and highest: the first step that had it.
    [[nodiscard]] std::optional<std::int64_t> stepOf(const ComparedRun& run) const;
};

/// Which of them a table shows.
enum class ValueChoice : unsigned char { Last, Best, Both };
/// Those of all metrics of the runs, validation first. The best of a metric without a direction are its
/// lowest and highest value; what was not logged as a curve has only one value, its last.
[[nodiscard]] std::vector<MetricValue> metricValues(const std::vector<ComparedRun>& runs,
                                                    const EngineInfo& engine, ValueChoice choice);

/// Metric ids of the runs: validation first, then losses and scores, then the rest.
[[nodiscard]] std::vector<std::string> metricsOf(const std::vector<ComparedRun>& runs);
/// The last logged value, if any: also NaN and infinities, so that a diverged run does not show an earlier
/// one.
[[nodiscard]] std::optional<double> lastValue(const ComparedRun& run, const std::string& metric);

}  // namespace kurve::views
