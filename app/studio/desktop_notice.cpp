#include "app/studio/desktop_notice.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QStringList>
#include <QVariantMap>

namespace kurve::studio {

namespace {
constexpr int kPatience = 3000;  ///< milliseconds
}

void notifyDesktop(const QString& title, const QString& text, QObject* context,
                   std::function<void()> failed) {
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return failed();
    const QString service = QStringLiteral("org.freedesktop.Notifications");
    QDBusMessage call = QDBusMessage::createMethodCall(
        service, QStringLiteral("/org/freedesktop/Notifications"), service, QStringLiteral("Notify"));
    call.setArguments(
        {QStringLiteral("Kurve"), 0u, QString(), title, text, QStringList(), QVariantMap(), -1});
    auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(call, kPatience), context);
    QObject::connect(answer, &QDBusPendingCallWatcher::finished, context,
                     [answer, failed = std::move(failed)] {
                         if (answer->isError()) failed();
                         answer->deleteLater();
                     });
}

}  // namespace kurve::studio
