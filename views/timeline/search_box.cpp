#include "views/timeline/search_box.h"

#include <QLabel>
#include <QLineEdit>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

SearchBox::SearchBox(const StudioContext& context, QWidget* scope)
    : QWidget(scope), context_(context), text_(new QLineEdit(this)), count_(new QLabel(this)) {
    auto* row = hboxIn(this, {}, {.margins = 0, .spacing = space::kTight});
    describe(text_, "timeline.find_text", tr("Find in trace"),
             tr("Find cells that match all terms: a new token, \"position 7\" for its changes, changed, new, "
                "masked, remasked, confidence<0.3. Enter: next match, Shift+Enter: previous match (/)"),
             {.placeholder = tr("Find: token, position 7, changed, confidence<0.3"), .clearable = true});
    text_->setMaximumWidth(px(230));
    text_->setMinimumWidth(px(36));  // in a narrow bar the number of matches is beside it
    addKeys();
    describe(count_, "timeline.find_count", {.role = "caption"});
    row->addWidget(text_, 1);
    row->addWidget(count_);
    connect(text_, &QLineEdit::textChanged, this, &SearchBox::search);
    const CommandGroup add(context_.commands, tr("Playhead"), scope, "timeline.");
    add("find", tr("Find in trace"), Qt::Key_Slash, tr("A token, a position's changes, a state"), [this] {
        text_->setFocus();
        text_->selectAll();
    });
    add("find_next", tr("Next match"), Qt::Key_N, tr("Go to the next match of the search"),
        [this] { goToMatch(true); });
    add("find_previous", tr("Previous match"), Qt::SHIFT | Qt::Key_N,
        tr("Go to the previous match of the search"), [this] { goToMatch(false); });
}

void SearchBox::addKeys() {
    auto* keys = new ViewKeys(text_, tr("Search field of the timeline"));
    const auto shifted = [](Qt::Key key) { return QKeySequence(Qt::SHIFT | key); };
    keys->add({{Qt::Key_Return, Qt::Key_Enter}, tr("Next match"), [this] { goToMatch(true); }});
    keys->add({{shifted(Qt::Key_Return), shifted(Qt::Key_Enter)}, tr("Previous match"), [this] {
                   goToMatch(false);
               }});
    keys->add({{Qt::Key_Escape}, tr("Back to the timeline"), [this] { Q_EMIT dismissed(); }});
}

void SearchBox::setModel(std::shared_ptr<const inspect::TimelineModel> model) {
    model_ = std::move(model);
    search();
}

void SearchBox::search() {
    matches_.clear();
    count_->clear();
    if (model_ != nullptr && !text_->text().trimmed().isEmpty()) {
        auto found = inspect::searchTrace(*model_, text_->text().toStdString());
        count_->setText(found ? (found->size() == 1 ? tr("1 match") : tr("%1 matches").arg(found->size()))
                              : QString::fromStdString(found.error().message));
        if (found) matches_ = std::move(*found);
    }
    Q_EMIT matchesChanged();
}

void SearchBox::goToMatch(bool forward) {
    if (matches_.empty()) return;
    const auto before = [](const inspect::TraceCell& a, const inspect::TraceCell& b) {
        return a.step != b.step ? a.step < b.step : a.position < b.position;
    };
    const inspect::TraceCell now{context_.playhead->denoiseStep(), context_.selection->position()};
    const auto after = std::upper_bound(matches_.begin(), matches_.end(), now, before);
    const auto from = std::lower_bound(matches_.begin(), matches_.end(), now, before);
    const auto to = forward ? (after == matches_.end() ? matches_.begin() : after)
                            : (from == matches_.begin() ? matches_.end() : from) - 1;
    const inspect::TraceCell match = *to;
    count_->setText(tr("%1 of %2").arg(to - matches_.begin() + 1).arg(matches_.size()));
    context_.playhead->setDenoiseStep(match.step);
    context_.selection->setPosition(match.position);
}

}  // namespace kurve::views
