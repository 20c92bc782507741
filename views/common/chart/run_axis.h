#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// The quantity along x of the curves of runs.
struct RunAxis {
    enum class Kind : unsigned char { Step, Epoch, Tokens, Examples, Flops, Training, Wall, Number, Metric };
    Kind kind = Kind::Step;
    std::string metric;  ///< of Kind::Metric
    // Kind::Number: the last values of metrics whose names differ in the number at their end
    // ("valid_future_ppl_1", "…_2"), over that number. Has no x for the points of one curve.

    /// For the chooser and the session: "step", "tokens", "metric:loss".
    [[nodiscard]] QString id() const;
    [[nodiscard]] static RunAxis fromId(const QString& id);
    [[nodiscard]] QString title(const EngineInfo& engine) const;
    /// x of each point of one of the run's curves; empty if the run has no such quantity. Values of a metric
    /// may decrease and be NaN.
    [[nodiscard]] std::vector<double> of(const RunData& data, const store::Series& series) const;
    friend bool operator==(const RunAxis&, const RunAxis&) = default;
};

using RunDatas = std::vector<std::shared_ptr<const RunData>>;

/// "valid_future_ppl" and 2 of "valid_future_ppl_2"; none of a name without a number at its end.
[[nodiscard]] std::optional<std::pair<std::string, int>> numberedMetric(const std::string& name);

/// The axes that at least one of the runs (null: not read yet) has; last those of `metrics` that have no axis
/// of their own.
[[nodiscard]] std::vector<RunAxis> axesOf(const RunDatas& runs, const std::vector<std::string>& metrics);

}  // namespace kurve::views
