#include "views/common/shell/empty_state.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/common/form/controls.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent), headline_(new QLabel), sentence_(new QLabel), button_(new QPushButton) {
    describe(headline_, {.role = "headline", .wraps = true});
    headline_->setAlignment(Qt::AlignCenter);
    sentence_->setProperty("role", "caption");
    for (QLabel* label : {headline_, sentence_}) label->setTextFormat(Qt::PlainText);
    sentence_->setAlignment(Qt::AlignCenter);
    sentence_->setWordWrap(true);
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
    sentence_->setText(sentence);
    sentence_->setVisible(!sentence.isEmpty());
    button_->setText(button);
    button_->setAccessibleName(button);
    button_->setVisible(!button.isEmpty());
}

}  // namespace kurve::views
