#include "views/common/shell/folding_splitter.h"

#include <QResizeEvent>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::views {

FoldingSplitter::FoldingSplitter(int across, QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), across_(across) {
    setChildrenCollapsible(false);
}

QSize FoldingSplitter::minimumSizeHint() const {
    QSize least = QSplitter::minimumSizeHint();
    if (isNarrow()) return least;
    least.setWidth(0);
    for (int i = 0; i < count(); ++i)
        least.setWidth(
            std::max({least.width(), widget(i)->minimumSizeHint().width(), widget(i)->minimumWidth()}));
    return least;
}

void FoldingSplitter::resizeEvent(QResizeEvent* event) {
    const auto wanted = event->size().width() < px(across_) ? Qt::Vertical : Qt::Horizontal;
    if (wanted != orientation()) setOrientation(wanted);
    QSplitter::resizeEvent(event);
}

}  // namespace kurve::views
