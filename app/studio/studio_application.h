#pragma once

#include <QApplication>

namespace kurve::studio {

/// The studio's application. An exception that leaves an event handler, in any thread, ends that handler
/// only: it is logged to standard error, and caught() reports it to the window.
class StudioApplication : public QApplication {
    Q_OBJECT
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
    /// Queued: the exception may come from painting.
    void caught(const QString& what);

private:
    void tell(const char* what, const char* receiver);
};

}  // namespace kurve::studio
