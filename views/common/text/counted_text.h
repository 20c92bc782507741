#pragma once

#include <QString>

class QSpinBox;

namespace kurve::views {

/// "1 run", "12 345 runs": countText with its noun, whose plural ends in s.
[[nodiscard]] QString countedText(qint64 count, const QString& noun);
/// The same in a box: its suffix follows its value.
void setCountSuffix(QSpinBox& box, const QString& noun);

}  // namespace kurve::views
