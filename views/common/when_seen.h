#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace kurve::views {

/// Work that only shapes what a widget shows. It is done at once where the widget is seen; in a window where
/// it is not (another workspace, a covered tab) the wishes are put off and done once, when it is seen again:
/// a training that reports many times a second costs nothing in views that nobody looks at. A member of the
/// widget; GUI thread only.
class WhenSeen final : public QObject {
public:
    WhenSeen(QWidget& widget, std::function<void()> work);
    void ask();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget& widget_;
    std::function<void()> work_;
    bool due_ = false;
};

}  // namespace kurve::views
