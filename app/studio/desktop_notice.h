#pragma once

#include <QObject>
#include <QString>
#include <functional>

namespace kurve::studio {

/// Shows a desktop notification, where there is a service; else calls `failed`: at once or after a timeout,
/// as long as `context` lives. Never blocks.
void notifyDesktop(const QString& title, const QString& text, QObject* context, std::function<void()> failed);

}  // namespace kurve::studio
