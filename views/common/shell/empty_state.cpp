#include "views/common/shell/empty_state.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/common/form/controls.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent), headline_(new QLabel), sentence_(new QLabel), button_(new QPushButton) {
    describe(headline_, {.role = "headline", .wraps = true, .format = Qt::PlainText});
    describe(sentence_, {.role = "caption", .wraps = true, .format = Qt::PlainText});
    for (QLabel* label : {headline_, sentence_}) label->setAlignment(Qt::AlignCenter);
    describe(button_, "empty.action", {.role = "primary"});
    auto* layout = new QVBoxLayout(this);
    layout->addStretch(2);
    layout->addWidget(headline_);
    layout->addSpacing(px(space::kTight));
    layout->addWidget(sentence_);
    layout->addSpacing(px(space::kMedium));
    layout->addWidget(button_, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    layout->setContentsMargins(px(space::kHuge), px(space::kMedium), px(space::kHuge), px(space::kMedium));
    connect(button_, &QPushButton::clicked, this, &EmptyState::clicked);
    button_->hide();
}

void EmptyState::setTexts(const QString& headline, const QString& sentence, const QString& button) {
    headline_->setText(headline);
    showText(*sentence_, sentence);
    button_->setText(button);
    button_->setAccessibleName(button);
    button_->setVisible(!button.isEmpty());
}

}  // namespace kurve::views
