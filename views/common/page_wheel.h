#pragma once

#include <QObject>

class QWidget;

namespace kurve::views {

/// Who gets the wheel over a view that zooms with it: the view where it has the focus, where Ctrl or Shift is
/// held, and where nothing around it can scroll; else the page that it lies in. A page would otherwise stop
/// under the mouse wherever a chart comes along. Belongs to the view; GUI thread.
class PageWheel final : public QObject {
public:
    /// `view` receives the wheel; the focus is what `keys` or something in it has: itself or a widget around
    /// it.
    PageWheel(QWidget& view, const QWidget& keys);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const QWidget& keys_;
};

}  // namespace kurve::views
