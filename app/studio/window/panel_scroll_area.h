#pragma once

#include <QScrollArea>

#include "views/common/shell/panel.h"

namespace kurve::views {
class StatementLine;
}

namespace kurve::studio {

/// The scroll area of a panel in its dock: the panel keeps its minimum size and scrolls where a small window
/// or a large interface has less.
///
/// The scroll bar takes width, and a panel may need less height where it is narrower: the bar could appear
/// and disappear for ever. Hence, once needed, it stays until the area is resized or the panel changes by
/// itself, not because of its width.
///
/// A panel of the vertical policy Maximum has the height that it needs, and no more.
class PanelScrollArea : public QScrollArea {
    Q_OBJECT
public:
    /// The minimum width is at most the screen's width over `across`, the number of panels side by side.
    explicit PanelScrollArea(views::Panel* panel, int across = 3);
    /// Shows the panel's statement below it where the area is high enough for both.
    void addStatement();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;  ///< of the viewport

private:
    void keepBar(int least, int most);
    void fitHeight();
    void placeStatement();
    views::Panel* panel_;
    views::StatementLine* statement_ = nullptr;
    int across_;
};

}  // namespace kurve::studio
