// How the sample matrix of the comparison is chosen and opened.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "views/common/command_registry.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/common/view_picture.h"
#include "views/common/wrap_layout.h"
#include "views/compare/compare_panel.h"

namespace kurve::views {

namespace {

const QString kBaseline = QStringLiteral("baseline");

}  // namespace

void ComparePanel::buildSamples(QSplitter* splitter) {
    samples_ = new SampleMatrix;
    samples_->setMinimumHeight(px(150));  // a prompt's texts at least
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kSmall), px(space::kTight));
    layout->setSpacing(px(space::kTight));
    layout->addWidget(makeSamplesHead());
    layout->addWidget(samples_, 1);
    splitter->addWidget(box);
    connect(samples_, &SampleMatrix::recordingRequested, this, &ComparePanel::recordingRequested);
    connect(samples_, &SampleMatrix::pairRequested, this, &ComparePanel::pairRequested);
    connect(samples_, &SampleMatrix::statusMessage, this, &ComparePanel::statusMessage);
    connect(samples_, &SampleMatrix::markedChanged, this,
            [this] { beside_->setEnabled(samples_->markedCount() == 2); });
    auto* commands = context().commands;
    const auto category = QStringLiteral("View");
    commands->add(
        {QStringLiteral("compare.open_recording"),
         QStringLiteral("Open the recording of this output"),
         category,
         QKeySequence(Qt::Key_Return),
         QStringLiteral("The denoising behind the current cell of the sample matrix, in Inspect"),
         {QKeySequence(Qt::Key_Enter)}},
        [this] { samples_->openCurrent(); }, samples_);
    commands->add(
        {QStringLiteral("compare.side_by_side"), QStringLiteral("Open the two marked outputs side by side"),
         category, QKeySequence(Qt::SHIFT | Qt::Key_Return),
         QStringLiteral("Both recordings in the timeline; mark cells with Ctrl+click or Ctrl+Space")},
        [this] { samples_->openMarked(); }, samples_);
}

QWidget* ComparePanel::makeSamplesHead() {
    auto* head = new QWidget;
    auto* title = new QLabel(QStringLiteral("The same prompts"));
    title->setProperty("role", "title");
    atPlayhead_ = new QCheckBox(QStringLiteral("at the playhead's step"));
    atPlayhead_->setObjectName(QStringLiteral("compare.follow"));
    atPlayhead_->setToolTip(
        QStringLiteral("Show what each run wrote at the training step under the playhead"));
    wordsAgainst_ = new QComboBox;
    wordsAgainst_->setObjectName(QStringLiteral("compare.against"));
    wordsAgainst_->setAccessibleName(QStringLiteral("What the words are marked against"));
    wordsAgainst_->setToolTip(
        QStringLiteral("Words that it has not are tinted, words that only it has are struck through"));
    wordsAgainst_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    wordsAgainst_->setMinimumContentsLength(18);
    beside_ = new QPushButton(QStringLiteral("Side by side"));
    beside_->setObjectName(QStringLiteral("compare.beside"));
    beside_->setProperty("role", "quiet");
    beside_->setEnabled(false);
    beside_->setToolTip(
        QStringLiteral("Mark two outputs with Ctrl+click: both denoisings in the timeline (Shift+Enter)"));
    auto* row = new WrapLayout(head);
    for (QWidget* widget : {static_cast<QWidget*>(title), static_cast<QWidget*>(wordsAgainst_),
                            static_cast<QWidget*>(atPlayhead_), static_cast<QWidget*>(beside_)})
        row->addWidget(widget);
    for (QWidget* tool : {static_cast<QWidget*>(atPlayhead_), static_cast<QWidget*>(beside_)})
        leaveOutOfFigures(*tool);  // not what the words are marked against
    connect(beside_, &QPushButton::clicked, samples_, &SampleMatrix::openMarked);
    connect(wordsAgainst_, &QComboBox::activated, this, [this] {
        wantedAgainst_ = wordsAgainst_->currentData().toString();
        refreshSamples();
        Q_EMIT choiceChanged();
    });
    connect(atPlayhead_, &QCheckBox::toggled, this, [this] {
        refreshSamples();
        Q_EMIT choiceChanged();
    });
    return head;
}

void ComparePanel::offerAgainst() {
    QList<std::pair<QString, QString>> items{{QString(), QStringLiteral("Words against the reference")}};
    if (!runs_.empty())
        items.append({kBaseline, QStringLiteral("Words against the baseline, %1").arg(runs_.front().title)});
    for (std::size_t i = 1; i < runs_.size(); ++i)
        items.append({runs_[i].id, QStringLiteral("Words against %1").arg(runs_[i].title)});
    QList<std::pair<QString, QString>> there;
    for (int i = 0; i < wordsAgainst_->count(); ++i)
        there.append({wordsAgainst_->itemData(i).toString(), wordsAgainst_->itemText(i)});
    if (items != there) {
        wordsAgainst_->clear();
        for (const auto& [id, text] : items) wordsAgainst_->addItem(text, id);
    }
    wordsAgainst_->setCurrentIndex(std::max(0, wordsAgainst_->findData(wantedAgainst_)));
}

QString ComparePanel::wordsAgainstRun() const {
    const QString against = wordsAgainst_->currentData().toString();
    if (against != kBaseline) return against;
    return runs_.empty() ? QString() : runs_.front().id;
}

void ComparePanel::refreshSamples() {
    offerAgainst();
    SampleMatrixModel::Wish wish;
    if (atPlayhead_->isChecked()) wish.step = context().playhead->trainStep();
    wish.against = wordsAgainstRun();
    samples_->setRuns(runs_, wish);
}

}  // namespace kurve::views
