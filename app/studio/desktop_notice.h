#pragma once

#include <QString>

namespace kurve::studio {

/// A notice by the desktop's own service (org.freedesktop.Notifications). Waits for nothing; where there is
/// no such service nothing happens.
void notifyDesktop(const QString& title, const QString& text);

}  // namespace kurve::studio
