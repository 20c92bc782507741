#include "views/common/form/layouts.h"

#include <QScrollBar>
#include <algorithm>

#include "views/common/chart/view_picture.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

template <class Layout>
Layout* spaced(Layout* layout, const BoxSpaces& spaces) {
    const BoxMargins& m = spaces.margins;
    if (m.left >= 0) layout->setContentsMargins(px(m.left), px(m.top), px(m.right), px(m.bottom));
    if (spaces.spacing >= 0) layout->setSpacing(px(spaces.spacing));
    return layout;
}

template <class Box>
Box* filled(Box* box, BoxItems items, const BoxSpaces& spaces) {
    for (const BoxItem& item : items) {
        if (item.widget != nullptr)
            box->addWidget(item.widget, item.factor, item.alignment);
        else if (item.layout != nullptr)
            box->addLayout(item.layout, item.factor);
        else
            item.gap < 0 ? box->addStretch(item.factor) : box->addSpacing(px(item.gap));
    }
    return spaced(box, spaces);
}

WrapLayout* filled(WrapLayout* box, BoxItems items, const BoxSpaces& spaces) {
    for (const BoxItem& item : items) {
        if (item.widget != nullptr)
            box->addWidget(item.widget);
        else
            item.gap < 0 ? box->addStretch() : box->addSpacing(px(item.gap));
    }
    return spaced(box, spaces);
}

/// As wide as it may be, or down to two thirds of that in a narrow window.
class ControlColumn : public QScrollArea {
public:
    QSize sizeHint() const override { return {maximumWidth(), QScrollArea::sizeHint().height()}; }
    QSize minimumSizeHint() const override {
        const int controls = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
        return {std::clamp(controls, maximumWidth() * 2 / 3, maximumWidth()), px(120)};
    }
};

QScrollArea* scrolledIn(QScrollArea* area, QWidget* content) {
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    for (QWidget* part : {content, area->viewport()}) part->setAutoFillBackground(false);
    return area;
}

}  // namespace

QHBoxLayout* hbox(BoxItems items, const BoxSpaces& spaces) {
    return filled(new QHBoxLayout, items, spaces);
}
QVBoxLayout* vbox(BoxItems items, const BoxSpaces& spaces) {
    return filled(new QVBoxLayout, items, spaces);
}
WrapLayout* wrapBox(BoxItems items, const BoxSpaces& spaces) {
    return filled(new WrapLayout, items, spaces);
}
QHBoxLayout* hboxIn(QWidget* widget, BoxItems items, const BoxSpaces& spaces) {
    return filled(new QHBoxLayout(widget), items, spaces);
}
QVBoxLayout* vboxIn(QWidget* widget, BoxItems items, const BoxSpaces& spaces) {
    return filled(new QVBoxLayout(widget), items, spaces);
}
WrapLayout* wrapBoxIn(QWidget* widget, BoxItems items, const BoxSpaces& spaces) {
    return filled(new WrapLayout(widget), items, spaces);
}

QWidget* boxed(QLayout* layout) {
    auto* widget = new QWidget;
    widget->setLayout(layout);
    return widget;
}

QSplitter* splitBox(Qt::Orientation orientation, BoxItems widgets) {
    auto* split = new QSplitter(orientation);
    split->setChildrenCollapsible(false);
    for (const BoxItem& item : widgets) {
        split->addWidget(item.widget);
        if (item.factor > 0) split->setStretchFactor(split->count() - 1, item.factor);
    }
    return split;
}

QScrollArea* scrolled(QWidget* content) {
    return scrolledIn(new QScrollArea, content);
}

QScrollArea* controlColumn(QWidget* controls, double width) {
    QScrollArea* column = scrolledIn(new ControlColumn, controls);
    column->setProperty("role", "card");
    column->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->setMaximumWidth(px(width));
    leaveOutOfFigures(*column);
    return column;
}

}  // namespace kurve::views
