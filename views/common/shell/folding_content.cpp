#include "views/common/shell/folding_content.h"

#include <QResizeEvent>
#include <utility>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr int kTwoColumns = 520, kLeastWidth = 188, kLeastHeight = 120;
}  // namespace

FoldingContent::FoldingContent(QWidget* content, std::function<void(bool narrow)> arrange, QWidget* parent)
    : QScrollArea(parent), arrange_(std::move(arrange)) {
    arrange_(narrow_);
    setWidget(content);
    content->setAutoFillBackground(false);  // the panel's background shows between the cards
    viewport()->setAutoFillBackground(false);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
}

void FoldingContent::resizeEvent(QResizeEvent* event) {
    // By the available width: two columns that do not fit would keep the content that wide.
    const bool narrow = event->size().width() < px(kTwoColumns);
    if (std::exchange(narrow_, narrow) != narrow) arrange_(narrow);
    QScrollArea::resizeEvent(event);
}

QSize FoldingContent::sizeHint() const {
    return widget()->sizeHint();
}

QSize FoldingContent::minimumSizeHint() const {
    return {px(kLeastWidth), px(kLeastHeight)};
}

}  // namespace kurve::views
