#pragma once

#include <QObject>
#include <QString>
#include <functional>

namespace kurve::studio {

/// Tells something by the desktop's notification service, where there is one; else `failed` is called: at
/// once or when the service has not answered, as long as `context` lives. Never blocks.
void notifyDesktop(const QString& title, const QString& text, QObject* context, std::function<void()> failed);

}  // namespace kurve::studio
