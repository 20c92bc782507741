#include "views/prompt/prompt_outcome.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

PromptOutcome::PromptOutcome(QWidget* parent)
    : QWidget(parent),
      answer_(new QLabel),
      candidates_(new QPushButton),
      status_(new ElidedLabel("caption")) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(px(space::kSmall));
    answer_->setObjectName(QStringLiteral("prompt.answer"));
    answer_->setAccessibleName(tr("Answer"));
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(answer_, 3);
    candidates_->setObjectName(QStringLiteral("prompt.candidates"));
    candidates_->setProperty("role", "link");
    candidates_->setToolTip(tr("Show the candidates with their scores"));
    connect(candidates_, &QPushButton::clicked, this, &PromptOutcome::candidatesRequested);
    row->addWidget(candidates_);
    // A long error must not widen the window; its tooltip has the full text.
    status_->setObjectName(QStringLiteral("prompt.status"));
    status_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(status_, 2);
    status_->hide();
    clearAnswer();
}

void PromptOutcome::clearAnswer() {
    answer_->clear();
    answer_->hide();
    candidates_->hide();
    showFilled();
}

void PromptOutcome::showFilled() {
    setVisible(answer_->isVisibleTo(this) || status_->isVisibleTo(this));
}

void PromptOutcome::showAnswer(const PromptAnswer& answer) {
    answer_->setText(tr("→ <b>%1</b>").arg(answer.output.toHtmlEscaped()));
    answer_->show();
    answer_->setToolTip(plainTip(tr("%1\nscore %2").arg(answer.output, numberText(answer.score))));
    candidates_->setText(tr("%1 candidates").arg(answer.candidates));
    candidates_->setVisible(answer.candidates > 1);
    showFilled();
}

void PromptOutcome::setStatus(const PromptStatus& status) {
    status_->setText(status.text);
    status_->setVisible(!status.text.isEmpty());
    showFilled();
    const QString role =
        status.kind == PromptStatus::Kind::Failed ? QStringLiteral("error") : QStringLiteral("caption");
    if (status_->property("role").toString() == role) return;
    status_->setProperty("role", role);
    status_->style()->unpolish(status_);
    status_->style()->polish(status_);
}

}  // namespace kurve::views
