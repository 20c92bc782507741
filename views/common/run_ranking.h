#pragma once

#include <QString>
#include <QStringList>
#include <utility>
#include <vector>

namespace kurve::views {

/// At most `most` of the runs with the best values, the best first; equal ones as they stand, and values that
/// are not finite not at all.
[[nodiscard]] QStringList bestRuns(std::vector<std::pair<double, QString>> valued, bool higherIsBetter,
                                   qsizetype most);

}  // namespace kurve::views
