#include "app/studio/studio_application.h"

#include <exception>

namespace kurve::studio {

bool StudioApplication::notify(QObject* receiver, QEvent* event) {
    const char* kind = receiver->metaObject()->className();  // it may be deleted when the exception arrives
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::exception& problem) {
        tell(problem.what(), kind);
    } catch (...) {
        tell("an unknown exception", kind);
    }
    return false;
}

void StudioApplication::tell(const char* what, const char* receiver) {
    qCritical("kurve-studio: an error in %s was caught: %s", receiver, what);
    QMetaObject::invokeMethod(
        this, [this, text = QString::fromUtf8(what)] { Q_EMIT caught(text); }, Qt::QueuedConnection);
}

}  // namespace kurve::studio
