#include "views/common/shell/wrap_layout.h"

#include <QSpacerItem>
#include <QWidget>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kLeastNote = 96;

bool stretches(const QLayoutItem& item) {
    auto& queried = const_cast<QLayoutItem&>(item);  // Qt's getters are not const
    if (queried.spacerItem() != nullptr) return item.expandingDirections().testFlag(Qt::Horizontal);
    return queried.widget() != nullptr &&
           queried.widget()->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
}

/// One line high, unless the item wraps itself and has to.
QSize sizeIn(const QLayoutItem& item, int width) {
    const QSize size = item.sizeHint();
    if (size.width() <= width) return size;
    return {width, item.hasHeightForWidth() ? item.heightForWidth(width) : size.height()};
}

}  // namespace

WrapLayout::WrapLayout(QWidget* parent) : QLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
    setSpacing(px(space::kSmall));
}

WrapLayout::~WrapLayout() {
    for (QLayoutItem* item : items_) delete item;
}

void WrapLayout::addStretch() {
    addItem(new QSpacerItem(0, 0, QSizePolicy::Expanding, QSizePolicy::Minimum));
}

void WrapLayout::addSpacing(int width) {
    addItem(new QSpacerItem(width, 0, QSizePolicy::Fixed, QSizePolicy::Minimum));
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

bool WrapLayout::takesSpace(const QLayoutItem* item) const {
    return const_cast<QLayoutItem*>(item)->spacerItem() != nullptr || !item->isEmpty();
}

std::vector<WrapLayout::Line> WrapLayout::linesOf(int width) const {
    std::vector<Line> lines;
    for (QLayoutItem* item : items_) {
        if (!takesSpace(item)) continue;
        const QSize size = sizeIn(*item, width);
        // A note that may be cut still wants enough to be read.
        const int needed = stretches(*item) && !item->isEmpty() ? px(kLeastNote) : size.width();
        if (lines.empty() || (!lines.back().items.empty() && lines.back().width + needed > width))
            lines.emplace_back();
        Line& line = lines.back();
        if (line.items.empty() && item->spacerItem() != nullptr && !stretches(*item)) continue;
        line.items.push_back(item);
        line.width += (item->spacerItem() != nullptr ? size.width() : needed + spacing());
        line.height = std::max(line.height, size.height());
    }
    return lines;
}

void WrapLayout::layOut(const Line& line, const QRect& area) const {
    int rest = area.width() + spacing(), sharing = 0;
    for (const QLayoutItem* item : line.items) {
        const bool spacer = item->isEmpty();
        rest -= spacer ? item->sizeHint().width() : item->sizeHint().width() + spacing();
        sharing += stretches(*item) ? 1 : 0;
    }
    int left = area.left();
    for (QLayoutItem* item : line.items) {
        QSize size = sizeIn(*item, area.width());
        if (stretches(*item) && rest > 0) size.rwidth() += rest / sharing;
        item->setGeometry({{left, area.top() + (line.height - size.height()) / 2}, size});
        left += size.width() + (item->isEmpty() ? 0 : spacing());
    }
}

int WrapLayout::heightForWidth(int width) const {
    const QMargins margins = contentsMargins();
    int height = 0;
    for (const Line& line : linesOf(width - margins.left() - margins.right()))
        height += line.height + (height > 0 ? spacing() : 0);
    return height + margins.top() + margins.bottom();
}

void WrapLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    QRect area = rect.marginsRemoved(contentsMargins());
    for (const Line& line : linesOf(area.width())) {
        layOut(line, area);
        area.setTop(area.top() + line.height + spacing());
    }
}

QSize WrapLayout::sizeHint() const {
    const QMargins margins = contentsMargins();
    QSize size;
    for (const Line& line : linesOf(QWIDGETSIZE_MAX)) size = {line.width - spacing(), line.height};
    return size.expandedTo({0, 0}).grownBy(margins);
}

QSize WrapLayout::minimumSize() const {
    QSize least;
    for (const QLayoutItem* item : items_)
        if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
    return least.grownBy(contentsMargins());
}

}  // namespace kurve::views
