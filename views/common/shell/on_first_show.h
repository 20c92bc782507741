#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace kurve::views {

/// Work that only affects what a widget shows. It is done at once while the widget is visible; while it is
/// hidden (another workspace, a covered tab) requests are deferred and done once when it is shown: frequent
/// updates of a training cost nothing in hidden views. A member of the widget; GUI thread only.
class OnFirstShow final : public QObject {
public:
    OnFirstShow(QWidget& widget, std::function<void()> work);
    void request();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget& widget_;
    std::function<void()> work_;
    bool due_ = false;
};

}  // namespace kurve::views
