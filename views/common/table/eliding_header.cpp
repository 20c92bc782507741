#include "views/common/table/eliding_header.h"

#include "views/common/theme/theme.h"

namespace kurve::views {

void ElidingHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
    QHeaderView::initStyleOptionForIndex(option, section);
    const int icon = option->icon.isNull() ? 0 : px(26);
    const int available = orientation() == Qt::Horizontal ? sectionSize(section) : viewport()->width();
    option->text = option->fontMetrics.elidedText(option->text, Qt::ElideRight, available - icon - px(12));
}

}  // namespace kurve::views
