#include "views/prompt/prompt_outcome.h"

#include <QLabel>
#include <QPushButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

PromptOutcome::PromptOutcome(QWidget* parent)
    : QWidget(parent),
      answer_(describe(new QLabel, "prompt.answer", tr("Answer"), {.shrinks = true})),
      candidates_(describe(new QPushButton, "prompt.candidates", {},
                           tr("Show the candidates with their scores"), {.role = "link"})),
      // A long error must not widen the window; its tooltip has the full text.
      status_(describe(new ElidedLabel("caption"), "prompt.status", {.hidden = true})) {
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(candidates_, &QPushButton::clicked, this, &PromptOutcome::candidatesRequested);
    status_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    hboxIn(this, {{answer_, 3}, candidates_, {status_, 2}}, {.margins = 0, .spacing = space::kSmall});
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
    showText(*status_, status.text);
    showFilled();
    setStyleProperty(*status_, "role", status.kind == PromptStatus::Kind::Failed ? "error" : "caption");
}

}  // namespace kurve::views
