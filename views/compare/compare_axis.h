#pragma once

#include <QString>
#include <string>
#include <vector>

#include "views/common/engine_info.h"
#include "views/compare/compared_run.h"

namespace kurve::views {

/// What runs along x when curves are laid over each other.
struct CompareAxis {
    enum class Kind : unsigned char { Step, Epoch, Tokens, Examples, Flops, Training, Wall, Metric };
    Kind kind = Kind::Step;
    std::string metric;  ///< of Kind::Metric

    /// For the chooser and the session: "step", "tokens", "metric:loss".
    [[nodiscard]] QString id() const;
    [[nodiscard]] static CompareAxis fromId(const QString& id);
    [[nodiscard]] QString title(const EngineInfo& engine) const;
    /// x of each point of one of the run's curves; empty where the run does not tell. Of a metric they may
    /// fall and hold NaN.
    [[nodiscard]] std::vector<double> of(const RunData& data, const store::Series& series) const;
};

/// The axes that at least one run can be drawn over, metrics last.
[[nodiscard]] std::vector<CompareAxis> axesOf(const std::vector<ComparedRun>& runs);

}  // namespace kurve::views
