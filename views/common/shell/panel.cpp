#include "views/common/shell/panel.h"

#include <QStackedLayout>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/shell/empty_state.h"

namespace kurve::views {

Panel::Panel(const QString& id, const QString& title, const StudioContext& context, QWidget* parent)
    : QWidget(parent), id_(id), title_(title), context_(context) {
    describe(this, id, title);
    setFocusPolicy(Qt::ClickFocus);  // a click anywhere in it makes it the view that commands are about
}

void Panel::setContent(QWidget* content, std::function<void()> action) {
    pages_ = new QStackedLayout(this);
    emptyState_ = new EmptyState;
    for (QWidget* page : {content, static_cast<QWidget*>(emptyState_)}) pages_->addWidget(page);
    if (action) connect(emptyState_, &EmptyState::clicked, this, std::move(action));
}

void Panel::setEmpty(bool empty) {
    pages_->setCurrentIndex(empty ? 1 : 0);
}

bool Panel::isEmpty() const {
    return pages_ != nullptr && pages_->currentIndex() == 1;
}

void Panel::setEmptyTexts(const QString& headline, const QString& sentence, const QString& button) {
    emptyState_->setTexts(headline, sentence, button);
}

}  // namespace kurve::views
