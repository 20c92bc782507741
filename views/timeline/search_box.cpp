#include "views/timeline/search_box.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/common/view_keys.h"

namespace kurve::views {

SearchBox::SearchBox(const StudioContext& context, QWidget* scope)
    : QWidget(scope), context_(context), text_(new QLineEdit(this)), count_(new QLabel(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(px(space::kTight));
    text_->setObjectName(QStringLiteral("timeline.find_text"));
    text_->setAccessibleName(tr("Find in this denoising"));
    text_->setPlaceholderText(tr("Find: word, slot 7, changed, confidence<0.3"));
    text_->setToolTip(
        tr("Steps where all of it holds: a word that arrives, \"slot 7\" for its changes, changed, new, "
           "masked, remasked, confidence<0.3. Enter: the next, Shift+Enter: the one before (/)"));
    text_->setClearButtonEnabled(true);
    text_->setMaximumWidth(px(230));
    text_->setMinimumWidth(px(36));  // in a full bar the number found stands beside it, not on it
    addKeys();
    count_->setObjectName(QStringLiteral("timeline.find_count"));
    count_->setProperty("role", "caption");
    row->addWidget(text_, 1);
    row->addWidget(count_);
    connect(text_, &QLineEdit::textChanged, this, &SearchBox::ask);
    const auto add = [&](const char* id, const QString& title, const QKeySequence& keys, const QString& help,
                         std::function<void()> run) {
        context_.commands->add(
            {QLatin1String("timeline.") + QLatin1String(id), title, tr("Playhead"), keys, help},
            std::move(run), scope);
    };
    add("find", tr("Find in this denoising"), Qt::Key_Slash, tr("A word, a slot's changes, a state"), [this] {
        text_->setFocus();
        text_->selectAll();
    });
    add("find_next", tr("Next place found"), Qt::Key_N, tr("The next place of what was asked"),
        [this] { go(true); });
    add("find_previous", tr("Place found before"), Qt::SHIFT | Qt::Key_N,
        tr("The place before of what was asked"), [this] { go(false); });
}

void SearchBox::addKeys() {
    auto* keys = new ViewKeys(text_, tr("The field that finds in a denoising"));
    const auto shifted = [](Qt::Key key) { return QKeySequence(Qt::SHIFT | key); };
    keys->add({{Qt::Key_Return, Qt::Key_Enter}, tr("The next place found"), [this] { go(true); }});
    keys->add({{shifted(Qt::Key_Return), shifted(Qt::Key_Enter)}, tr("The place found before"), [this] {
                   go(false);
               }});
    keys->add({{Qt::Key_Escape}, tr("Back to the timeline"), [this] { Q_EMIT left(); }});
}

void SearchBox::setModel(std::shared_ptr<const TimelineModel> model) {
    model_ = std::move(model);
    ask();
}

void SearchBox::ask() {
    places_.clear();
    count_->clear();
    if (model_ != nullptr && !text_->text().trimmed().isEmpty()) find();
    Q_EMIT placesChanged();
}

void SearchBox::find() {
    auto found = searchTrace(*model_, text_->text());
    if (!found) return count_->setText(QString::fromStdString(found.error().message));
    places_ = std::move(*found);
    count_->setText(tr("%1 found").arg(places_.size()));
}

void SearchBox::go(bool forward) {
    if (places_.empty()) return;
    const auto before = [](const Edit& a, const Edit& b) {
        return a.step != b.step ? a.step < b.step : a.slot < b.slot;
    };
    const Edit now{context_.playhead->denoiseStep(), context_.selection->slot()};
    const auto after = std::upper_bound(places_.begin(), places_.end(), now, before);
    const auto from = std::lower_bound(places_.begin(), places_.end(), now, before);
    const auto to = forward ? (after == places_.end() ? places_.begin() : after)
                            : (from == places_.begin() ? places_.end() : from) - 1;
    const Edit place = *to;
    count_->setText(tr("%1 of %2").arg(to - places_.begin() + 1).arg(places_.size()));
    context_.playhead->setDenoiseStep(place.step);
    context_.selection->setSlot(place.slot);
}

}  // namespace kurve::views
