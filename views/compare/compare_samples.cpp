// The sample matrix of the comparison: choices and actions.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <algorithm>
#include <utility>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/compare/compare_panel.h"

namespace kurve::views {

namespace {

const QString kBaseline = QStringLiteral("baseline");

}  // namespace

void ComparePanel::buildSamples(QSplitter* splitter) {
    samples_ = new SampleMatrix(context());
    samples_->setMinimumHeight(px(150));  // a prompt's texts at least
    splitter->addWidget(boxed(vbox({makeSamplesHead(), {samples_, 1}},
                                   {.margins = {space::kSmall, space::kTight}, .spacing = space::kTight})));
    connect(samples_, &SampleMatrix::statusMessage, this, &ComparePanel::statusMessage);
    connect(samples_, &SampleMatrix::markedChanged, this,
            [this] { beside_->setEnabled(samples_->markedCount() == 2); });
    auto* commands = context().commands;
    const auto category = QStringLiteral("View");
    commands->add(
        {QStringLiteral("compare.open_trace"),
         QStringLiteral("Open trace of this output"),
         category,
         QKeySequence(Qt::Key_Return),
         QStringLiteral("The trace of the current cell, in Inspect"),
         {QKeySequence(Qt::Key_Enter)}},
        [this] { samples_->openCurrent(); }, samples_);
    commands->add(
        {QStringLiteral("compare.side_by_side"), QStringLiteral("Open two marked outputs side by side"),
         category, QKeySequence(Qt::SHIFT | Qt::Key_Return),
         QStringLiteral("Both traces in the timeline; mark cells with Ctrl+click or Ctrl+Space")},
        [this] { samples_->openMarked(); }, samples_);
}

QWidget* ComparePanel::makeSamplesHead() {
    auto* head = new QWidget;
    auto* title = new QLabel(QStringLiteral("Fixed prompts"));
    title->setProperty("role", "title");
    atPlayhead_ = describe(new QCheckBox(QStringLiteral("at the playhead's step")), "compare.follow", {},
                           QStringLiteral("Show the outputs at the training step of the playhead"));
    diffAgainst_ = describe(new QComboBox, "compare.against", QStringLiteral("Reference of the word diff"),
                            QStringLiteral("Additions are tinted, deletions are struck through"));
    diffAgainst_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    diffAgainst_->setMinimumContentsLength(18);
    beside_ =
        describe(new QPushButton(QStringLiteral("Side by side")), "compare.beside", {},
                 QStringLiteral("Open two outputs, marked with Ctrl+click, in the timeline (Shift+Enter)"),
                 {.role = "quiet"});
    beside_->setEnabled(false);
    wrapBoxIn(head, {title, diffAgainst_, atPlayhead_, beside_});
    leaveOutOfFigures({atPlayhead_, beside_});  // not the reference of the diff
    connect(beside_, &QPushButton::clicked, samples_, &SampleMatrix::openMarked);
    connect(diffAgainst_, &QComboBox::activated, this, [this] {
        wantedAgainst_ = diffAgainst_->currentData().toString();
        refreshSamples();
        Q_EMIT stateChanged();
    });
    connect(atPlayhead_, &QCheckBox::toggled, this, [this] {
        refreshSamples();
        Q_EMIT stateChanged();
    });
    return head;
}

void ComparePanel::offerAgainst() {
    QList<std::pair<QString, QString>> items{{QString(), QStringLiteral("Diff against the reference")}};
    if (!runs_.empty())
        items.append({kBaseline, QStringLiteral("Diff against the baseline, %1").arg(runs_.front().title)});
    for (std::size_t i = 1; i < runs_.size(); ++i)
        items.append({runs_[i].id, QStringLiteral("Diff against %1").arg(runs_[i].title)});
    QList<std::pair<QString, QString>> present;
    for (int i = 0; i < diffAgainst_->count(); ++i)
        present.append({diffAgainst_->itemData(i).toString(), diffAgainst_->itemText(i)});
    if (items != present) {
        diffAgainst_->clear();
        for (const auto& [id, text] : items) diffAgainst_->addItem(text, id);
    }
    diffAgainst_->setCurrentIndex(std::max(0, diffAgainst_->findData(wantedAgainst_)));
}

QString ComparePanel::diffRun() const {
    const QString against = diffAgainst_->currentData().toString();
    if (against != kBaseline) return against;
    return runs_.empty() ? QString() : runs_.front().id;
}

void ComparePanel::refreshSamples() {
    offerAgainst();
    SampleMatrixModel::Request request;
    if (atPlayhead_->isChecked()) request.step = context().playhead->trainStep();
    request.against = diffRun();
    samples_->setRuns(runs_, request);
}

}  // namespace kurve::views
