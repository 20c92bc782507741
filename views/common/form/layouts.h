#pragma once

#include <QBoxLayout>
#include <QScrollArea>
#include <QSplitter>
#include <initializer_list>

#include "views/common/shell/wrap_layout.h"

namespace kurve::views {

/// Space that takes what the others leave, by its factor among them.
struct Stretch {
    int factor = 0;
};
/// Space of a size at the zoom 1.
struct Gap {
    double size = 0;
};

/// What a layout is filled with: a widget or a layout with its stretch factor, or space.
struct BoxItem {
    BoxItem(QWidget* w, int stretch = 0, Qt::Alignment align = {})  // implicit, for lists
        : widget(w), factor(stretch), alignment(align) {}
    BoxItem(QLayout* l, int stretch = 0) : layout(l), factor(stretch) {}
    BoxItem(Stretch space) : factor(space.factor) {}
    BoxItem(Gap space) : gap(space.size) {}

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int factor = 0;
    double gap = -1;
    Qt::Alignment alignment;
};
using BoxItems = std::initializer_list<BoxItem>;

/// At the zoom 1; negative: those of the style.
struct BoxMargins {
    BoxMargins() = default;
    BoxMargins(double all) : BoxMargins(all, all) {}  // implicit, for BoxSpaces
    BoxMargins(double across, double down) : BoxMargins(across, down, across, down) {}
    BoxMargins(double l, double t, double r, double b) : left(l), top(t), right(r), bottom(b) {}
    double left = -1, top = -1, right = -1, bottom = -1;
};
struct BoxSpaces {
    BoxMargins margins{};
    double spacing = -1;  ///< between the items
};

/// A row, a column, or a row that goes on in the next line. GUI thread.
QHBoxLayout* hbox(BoxItems items, const BoxSpaces& spaces = {});
QVBoxLayout* vbox(BoxItems items, const BoxSpaces& spaces = {});
WrapLayout* wrapBox(BoxItems items, const BoxSpaces& spaces = {});
/// The same as the layout of a widget.
QHBoxLayout* hboxIn(QWidget* widget, BoxItems items, const BoxSpaces& spaces = {});
QVBoxLayout* vboxIn(QWidget* widget, BoxItems items, const BoxSpaces& spaces = {});
WrapLayout* wrapBoxIn(QWidget* widget, BoxItems items, const BoxSpaces& spaces = {});
/// A new widget with that layout.
QWidget* boxed(QLayout* layout);
/// Widgets with movable borders; none can be moved to nothing.
QSplitter* splitBox(Qt::Orientation orientation, BoxItems widgets);
/// As wide and as high as its area, which scrolls where it needs more.
QScrollArea* scrolled(QWidget* content);
/// A scrollable card with controls beside what they change; `width` at the zoom 1.
QScrollArea* controlColumn(QWidget* controls, double width);

}  // namespace kurve::views
