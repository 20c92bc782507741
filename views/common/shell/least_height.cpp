#include "views/common/shell/least_height.h"

#include <QScrollArea>
#include <QStackedLayout>
#include <QWidget>
#include <algorithm>

namespace kurve::views {

int leastHeight(QLayout* layout, int width) {
    if (auto* pages = qobject_cast<QStackedLayout*>(layout)) {
        QWidget* page = pages->currentWidget();
        if (page == nullptr) return 0;
        const int least =
            page->layout() != nullptr ? leastHeight(page->layout(), width) : page->minimumSizeHint().height();
        return std::max(page->minimumHeight(), least);
    }
    return layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width)
                                       : layout->totalMinimumSize().height();
}

int availableHeight(const QWidget& view) {
    for (const QWidget* at = &view; at != nullptr; at = at->parentWidget())
        if (const auto* area = qobject_cast<const QScrollArea*>(at)) return area->viewport()->height();
    return view.height();
}

}  // namespace kurve::views
