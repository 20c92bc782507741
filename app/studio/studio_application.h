#pragma once

#include <QApplication>

namespace kurve::studio {

/// The studio's application. An exception that leaves an event handler, in whatever thread, ends that handler
/// and nothing else: a line on standard error, and caught() for the window to tell it.
class StudioApplication : public QApplication {
    Q_OBJECT
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
    /// Queued: the one who throws may be anywhere in the drawing of a window.
    void caught(const QString& what);

private:
    void tell(const char* what, const char* receiver);
};

}  // namespace kurve::studio
