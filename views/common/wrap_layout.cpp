#include "views/common/wrap_layout.h"

#include <QWidget>
#include <algorithm>

#include "views/common/theme.h"

namespace kurve::views {

WrapLayout::WrapLayout(QWidget* parent) : QLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
    setSpacing(px(space::kSmall));
}

WrapLayout::~WrapLayout() {
    for (QLayoutItem* item : items_) delete item;
}

void WrapLayout::addItem(QLayoutItem* item) {
    items_.push_back(item);
}

QLayoutItem* WrapLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* WrapLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item) items_.erase(items_.begin() + index);
    return item;
}

int WrapLayout::arrange(const QRect& place, bool only) const {
    const QMargins margins = contentsMargins();
    const QRect inside = place.marginsRemoved(margins);
    std::vector<QLayoutItem*> line;
    int x = 0, y = 0, height = 0;
    const auto finish = [&] {
        int left = inside.left();
        for (QLayoutItem* item : line) {
            const QSize size = item->sizeHint().boundedTo(QSize(inside.width(), QWIDGETSIZE_MAX));
            if (!only) item->setGeometry({{left, inside.top() + y + (height - size.height()) / 2}, size});
            left += size.width() + spacing();
        }
        if (!line.empty()) y += height + spacing();
        line.clear();
        x = height = 0;
    };
    for (QLayoutItem* item : items_) {
        if (item->isEmpty()) continue;
        const QSize size = item->sizeHint();
        if (!line.empty() && x + size.width() > inside.width()) finish();
        line.push_back(item);
        x += size.width() + spacing();
        height = std::max(height, size.height());
    }
    finish();
    return std::max(0, y - spacing()) + margins.top() + margins.bottom();
}

int WrapLayout::heightForWidth(int width) const {
    return arrange({0, 0, width, 0}, true);
}

void WrapLayout::setGeometry(const QRect& place) {
    QLayout::setGeometry(place);
    arrange(place, false);
}

QSize WrapLayout::sizeHint() const {
    const QMargins margins = contentsMargins();
    int width = 0, height = 0;
    for (const QLayoutItem* item : items_) {
        if (item->isEmpty()) continue;
        width += item->sizeHint().width() + (width > 0 ? spacing() : 0);
        height = std::max(height, item->sizeHint().height());
    }
    return QSize(width, height).grownBy(margins);
}

QSize WrapLayout::minimumSize() const {
    QSize least;
    for (const QLayoutItem* item : items_)
        if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
    return least.grownBy(contentsMargins());
}

}  // namespace kurve::views
