#include "views/common/shell/content_or_empty.h"

#include <QStackedLayout>

#include "views/common/shell/empty_state.h"

namespace kurve::views {

ContentOrEmpty::ContentOrEmpty(QWidget* content, EmptyState* empty, QWidget* parent)
    : QWidget(parent), stack_(new QStackedLayout(this)) {
    stack_->addWidget(content);
    stack_->addWidget(empty);
}

void ContentOrEmpty::setEmpty(bool empty) {
    stack_->setCurrentIndex(empty ? 1 : 0);
}

bool ContentOrEmpty::isEmpty() const {
    return stack_->currentIndex() == 1;
}

}  // namespace kurve::views
