#include "views/prompt/prompt_history.h"

#include <QLineEdit>
#include <algorithm>

#include "views/common/shell/view_keys.h"

namespace kurve::views {

namespace {
constexpr qsizetype kMaxPrompts = 50;
}

PromptHistory::PromptHistory(QLineEdit& field) : QObject(&field), field_(field) {
    auto* keys = new ViewKeys(&field, tr("Prompt field"));
    keys->add({{Qt::Key_Up}, tr("Previous prompt"), [this] { recall(-1); }});
    keys->add({{Qt::Key_Down}, tr("Next prompt, last the unfinished text"), [this] { recall(1); }});
}

void PromptHistory::add(const QString& prompt) {
    prompts_.removeAll(prompt);
    prompts_ << prompt;
    if (prompts_.size() > kMaxPrompts) prompts_.removeFirst();
    recalled_ = -1;
}

void PromptHistory::setPrompts(const QStringList& prompts) {
    prompts_ = prompts.mid(std::max<qsizetype>(0, prompts.size() - kMaxPrompts));
    recalled_ = -1;
}

/// -1: the previous prompt; after the newest comes the unfinished text.
void PromptHistory::recall(int step) {
    if (prompts_.isEmpty() || (recalled_ < 0 && step > 0)) return;
    if (recalled_ < 0) {
        typed_ = field_.text();
        recalled_ = prompts_.size();
    }
    recalled_ = std::max<qsizetype>(recalled_ + step, 0);
    if (recalled_ >= prompts_.size()) {
        recalled_ = -1;
        return field_.setText(typed_);
    }
    field_.setText(prompts_[recalled_]);
}

}  // namespace kurve::views
