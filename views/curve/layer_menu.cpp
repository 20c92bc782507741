#include "views/curve/layer_menu.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <QWidgetAction>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/drawn_icon.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {
namespace {

/// An eye, open or struck through, in a square of 16 units.
void drawEye(QPainter& painter, bool open) {
    const QColor colour = open ? theme().text : theme().faint;
    painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap));
    QPainterPath lids;
    lids.moveTo(1.5, 8);
    lids.quadTo(8, 1.5, 14.5, 8);
    lids.quadTo(8, 14.5, 1.5, 8);
    painter.drawPath(lids);
    if (open) {
        painter.setBrush(colour);
        painter.drawEllipse(QPointF(8, 8), 2, 2);
    } else {
        painter.drawLine(QPointF(3, 13.5), QPointF(13, 2.5));
    }
}

}  // namespace

LayerMenu::LayerMenu(QWidget* parent) : QMenu(parent), rows_(new QWidget) {
    vboxIn(rows_, {}, {.margins = {space::kSmall, space::kTight}, .spacing = 2});
    auto* holder = new QWidgetAction(this);
    holder->setDefaultWidget(rows_);
    addAction(holder);
    onThemeChange(this, &LayerMenu::restyle);
}

void LayerMenu::addLayer(QAction* action, const QString& objectName) {
    action->setCheckable(true);
    auto* button = describe(new QToolButton(rows_), objectName, action->text(), {.role = "quiet"});
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    rows_->layout()->addWidget(button);
    actions_ << action;
    connect(action, &QAction::toggled, this, &LayerMenu::restyle);
    restyle();
}

void LayerMenu::addExtra(const QString& label, QWidget* control) {
    auto* row = new QWidget(rows_);
    auto* text = new QLabel(label, row);
    text->setBuddy(control);
    hboxIn(row, {text, control, Stretch{1}}, {.margins = {30, 0, 0, 0}});
    rows_->layout()->addWidget(row);
}

void LayerMenu::restyle() {
    for (QAction* action : actions_)
        action->setIcon(QIcon(drawnIcon([&](QPainter& painter) { drawEye(painter, action->isChecked()); })));
    for (QToolButton* button : rows_->findChildren<QToolButton*>()) button->setIconSize({px(16), px(16)});
}

}  // namespace kurve::views
