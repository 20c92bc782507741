#include "app/studio/desktop_notice.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QStringList>
#include <QVariantMap>

namespace kurve::studio {

void notifyDesktop(const QString& title, const QString& text) {
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    const QString service = QStringLiteral("org.freedesktop.Notifications");
    QDBusMessage call = QDBusMessage::createMethodCall(
        service, QStringLiteral("/org/freedesktop/Notifications"), service, QStringLiteral("Notify"));
    call.setArguments(
        {QStringLiteral("Kurve"), 0u, QString(), title, text, QStringList(), QVariantMap(), -1});
    bus.send(call);
}

}  // namespace kurve::studio
