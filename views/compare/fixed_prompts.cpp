#include "views/compare/fixed_prompts.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>

#include "views/common/chart/view_picture.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

const QString kBaseline = QStringLiteral("baseline");

}  // namespace

FixedPrompts::FixedPrompts(const StudioContext& context)
    : context_(context),
      atPlayhead_(describe(new QCheckBox(QStringLiteral("at the playhead's step")), "compare.follow", {},
                           QStringLiteral("Show the outputs at the training step of the playhead"))),
      against_(describe(new LastingChoiceBox, "compare.against", QStringLiteral("Reference of the word diff"),
                        QStringLiteral("Additions are tinted, deletions are struck through"),
                        {.letters = 18})),
      beside_(
          describe(new QPushButton(QStringLiteral("Side by side")), "compare.beside", {},
                   QStringLiteral("Open two outputs, marked with Ctrl+click, in the timeline (Shift+Enter)"),
                   {.role = "quiet"})),
      samples_(new SampleMatrix(context)) {
    beside_->setEnabled(false);
    samples_->setMinimumHeight(px(150));  // a prompt's texts at least
    auto* title = describe(new QLabel(QStringLiteral("Fixed prompts")), {.role = "title"});
    vboxIn(this, {boxed(wrapBox({title, against_, atPlayhead_, beside_})), {samples_, 1}},
           {.margins = {space::kSmall, space::kTight}, .spacing = space::kTight});
    leaveOutOfFigures({atPlayhead_, beside_});  // not the reference of the diff
    connect(samples_, &SampleMatrix::statusMessage, this, &FixedPrompts::statusMessage);
    connect(samples_, &SampleMatrix::markedChanged, this,
            [this] { beside_->setEnabled(samples_->markedCount() == 2); });
    connect(beside_, &QPushButton::clicked, samples_, &SampleMatrix::openMarked);
    connect(against_, &QComboBox::activated, this, [this] {
        refresh();
        Q_EMIT choiceChanged();
    });
    connect(atPlayhead_, &QCheckBox::toggled, this, [this] {
        refresh();
        Q_EMIT choiceChanged();
    });
    connect(context_.playhead, &Playhead::trainStepChanged, this, [this] {
        if (atPlayhead_->isChecked()) refresh();
    });
    addCommands();
}

void FixedPrompts::addCommands() {
    context_.commands->add(
        {QStringLiteral("compare.open_trace"),
         QStringLiteral("Open trace of this output"),
         QStringLiteral("View"),
         QKeySequence(Qt::Key_Return),
         QStringLiteral("The trace of the current cell, in Inspect"),
         {QKeySequence(Qt::Key_Enter)}},
        [this] { samples_->openCurrent(); }, samples_);
    CommandGroup(context_.commands, QStringLiteral("View"), samples_)(
        "compare.side_by_side", QStringLiteral("Open two marked outputs side by side"),
        Qt::SHIFT | Qt::Key_Return,
        QStringLiteral("Both traces in the timeline; mark cells with Ctrl+click or Ctrl+Space"),
        [this] { samples_->openMarked(); });
}

void FixedPrompts::setRuns(const std::vector<ComparedRun>& runs) {
    runs_ = runs;
    refresh();
}

void FixedPrompts::offerAgainst() {
    BoxChoices items{{QString(), QStringLiteral("Diff against the reference")}};
    if (!runs_.empty())
        items.append({kBaseline, QStringLiteral("Diff against the baseline, %1").arg(runs_.front().title)});
    for (std::size_t i = 1; i < runs_.size(); ++i)
        items.append({runs_[i].id, QStringLiteral("Diff against %1").arg(runs_[i].title)});
    against_->offer(items);
}

std::optional<qint64> FixedPrompts::step() const {
    return atPlayhead_->isChecked() ? std::optional(context_.playhead->trainStep()) : std::nullopt;
}

QString FixedPrompts::diffRun() const {
    const QString against = against_->currentData().toString();
    if (against != kBaseline) return against;
    return runs_.empty() ? QString() : runs_.front().id;
}

void FixedPrompts::refresh() {
    offerAgainst();
    samples_->setRuns(runs_, {step(), diffRun()});
}

QJsonObject FixedPrompts::save() const {
    return {{QStringLiteral("at_playhead"), atPlayhead_->isChecked()},
            {QStringLiteral("diff_against"), against_->wanted()}};
}

void FixedPrompts::restore(const QJsonObject& saved) {
    against_->want(saved.value(QStringLiteral("diff_against")).toString());
    atPlayhead_->setChecked(saved.value(QStringLiteral("at_playhead")).toBool());
    refresh();
}

}  // namespace kurve::views
