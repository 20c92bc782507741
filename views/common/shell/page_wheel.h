#pragma once

#include <QObject>

class QWidget;

namespace kurve::views {

/// Routes the wheel over a zoomable view: to the view if it has the focus, if Ctrl or Shift is held, or if no
/// page around it can scroll; else to that page, which would otherwise stop scrolling at every chart. Owned
/// by the view; GUI thread.
class PageWheel final : public QObject {
public:
    /// `view` receives the wheel; `keys` is the widget whose focus counts: itself or a widget around
    /// it.
    PageWheel(QWidget& view, const QWidget& keys);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const QWidget& keys_;
};

}  // namespace kurve::views
