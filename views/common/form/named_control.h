#pragma once

#include <QString>

namespace kurve::views {

/// A new control with its object name ("launch.name") and the name that a screen reader says.
template <class Control>
Control* named(const char* id, const QString& name) {
    auto* control = new Control;
    control->setObjectName(QLatin1String(id));
    control->setAccessibleName(name);
    return control;
}

}  // namespace kurve::views
