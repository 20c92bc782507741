#pragma once

#include <QScrollArea>

#include "views/common/panel.h"

namespace kurve::studio {

/// The room of a panel in its dock: a panel keeps the size it needs to be read, and scrolls where a small
/// window or a large interface leaves less.
class PanelRoom : public QScrollArea {
    Q_OBJECT
public:
    explicit PanelRoom(views::Panel* panel, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    views::Panel* panel_;
};

}  // namespace kurve::studio
