#pragma once

#include <QScrollArea>

#include "views/common/panel.h"

namespace kurve::studio {

/// The room of a panel in its dock: a panel keeps the size it needs to be read, and scrolls where a small
/// window or a large interface leaves less.
///
/// The bar takes width, and a panel may need less height where it is narrower (two arrangements): without
/// more the bar would come and go for ever. Hence, once it was needed, it stays until the room gets another
/// size or the panel changes by itself, not because of its width.
class PanelRoom : public QScrollArea {
    Q_OBJECT
public:
    /// What it asks for at least never is more than the screen's width over `across`: so many stand beside
    /// each other.
    explicit PanelRoom(views::Panel* panel, int across = 3);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;

private:
    void keepBar(int least, int most);
    views::Panel* panel_;
    int across_;
};

}  // namespace kurve::studio
