#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <utility>
#include <vector>

namespace kurve::views {

/// At most `most` of the runs with the best values, the best first; equal ones as they stand, and values that
/// are not finite not at all.
[[nodiscard]] QStringList bestRuns(std::vector<std::pair<double, QString>> valued, bool higherIsBetter,
                                   qsizetype most);

/// Losses and scores: of the other curves (learning rate, throughput, norms) neither direction is better.
[[nodiscard]] bool isQuality(const std::string& metric);

}  // namespace kurve::views
