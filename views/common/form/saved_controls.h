#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>

namespace kurve::views {

/// The values of controls by their object names, for a session: of a box with fixed items the data of the
/// chosen one, of any other control its user property.
[[nodiscard]] QJsonObject saveControls(const QList<QWidget*>& controls);
/// What is not in `saved`, or is no value of the control, leaves it as it is.
void restoreControls(const QList<QWidget*>& controls, const QJsonObject& saved);

}  // namespace kurve::views
