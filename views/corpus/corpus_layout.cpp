// Layout of the panel's two halves.
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include "views/common/chart/view_picture.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/theme/theme.h"
#include "views/corpus/corpus_panel.h"
#include "views/corpus/length_chart.h"
#include "views/corpus/pair_item_model.h"
#include "views/corpus/token_tools.h"
#include "views/corpus/vocabulary_item_model.h"

namespace kurve::views {

namespace {

constexpr int kTypingPauseMs = 150;

QTableView* table(QAbstractItemModel* model, const QString& name, const QString& accessibleName) {
    auto* view = new QTableView;
    view->setModel(model);
    view->setObjectName(name);
    view->setAccessibleName(accessibleName);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSortingEnabled(true);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setFrameShape(QFrame::NoFrame);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(px(24));
    return view;
}

/// A search field that filters when the typing pauses.
QLineEdit* searchField(QSortFilterProxyModel* proxy, const QString& name, const QString& hint) {
    auto* field = new QLineEdit;
    field->setObjectName(name);
    field->setPlaceholderText(hint);
    field->setAccessibleName(hint);
    field->setClearButtonEnabled(true);
    auto* pause = new QTimer(field);
    pause->setSingleShot(true);
    pause->setInterval(kTypingPauseMs);
    QObject::connect(field, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
    QObject::connect(pause, &QTimer::timeout, proxy,
                     [field, proxy] { proxy->setFilterFixedString(field->text()); });
    return field;
}

QComboBox* chooser(const QString& name, const QString& accessibleName) {
    auto* box = new QComboBox;
    box->setObjectName(name);
    box->setAccessibleName(accessibleName);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

QLabel* label(const QString& text, const char* role) {
    auto* made = new QLabel(text);
    made->setProperty("role", role);
    return made;
}

}  // namespace

QWidget* CorpusPanel::buildPairs() {
    files_ = chooser(QStringLiteral("corpus.file"), QStringLiteral("Split to browse"));
    search_ = searchField(pairFilter_, QStringLiteral("corpus.search"), QStringLiteral("Search pairs"));
    summary_ = label({}, "caption");
    summary_->setWordWrap(true);
    problem_ = label({}, "error");
    problem_->setWordWrap(true);
    pairs_ = table(pairFilter_, QStringLiteral("corpus.pairs"), QStringLiteral("Pairs of the split"));
    pairs_->setMinimumHeight(px(150));  // a few of them; in less room the panel scrolls
    auto* header = pairs_->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(PairItemModel::Source, QHeaderView::Stretch);
    header->setSectionResizeMode(PairItemModel::Target, QHeaderView::Stretch);
    header->setResizeContentsPrecision(100);
    header->setSortIndicator(PairItemModel::Number, Qt::AscendingOrder);
    whole_ = label({}, "value");
    whole_->setObjectName(QStringLiteral("corpus.pair"));
    whole_->setAccessibleName(QStringLiteral("Selected pair in full"));
    whole_->setWordWrap(true);
    whole_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    whole_->hide();
    connect(pairs_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CorpusPanel::showWhole);
    addTry();
    connect(files_, &QComboBox::activated, this, &CorpusPanel::chooseCorpus);
    auto* import = new QPushButton(QStringLiteral("Import text…"));
    import->setObjectName(QStringLiteral("corpus.import"));
    import->setToolTip(QStringLiteral("Import a TSV or parallel text files"));
    connect(import, &QPushButton::clicked, this, [this] { openImport({}); });
    use_ = new QPushButton(QStringLiteral("Use in draft"));
    use_->setObjectName(QStringLiteral("corpus.use"));
    connect(use_, &QPushButton::clicked, this, &CorpusPanel::useInDraft);
    search_->setMinimumWidth(px(120));
    search_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* top = new WrapLayout;
    top->addWidget(label(QStringLiteral("Pairs"), "title"));
    top->addWidget(files_);
    top->addWidget(search_);
    top->addWidget(use_);
    top->addWidget(import);
    for (QWidget* tool :
         {static_cast<QWidget*>(search_), static_cast<QWidget*>(use_), static_cast<QWidget*>(import)})
        leaveOutOfFigures(*tool);
    auto* box = new QWidget;
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    layout->setSpacing(px(space::kTight));
    layout->addLayout(top);
    layout->addWidget(summary_);
    layout->addWidget(problem_);
    layout->addWidget(pairs_, 1);
    layout->addWidget(whole_);
    return box;
}

void CorpusPanel::addTry() {
    if (context().commands == nullptr) return;
    pairs_->addAction(context().commands->add(
        {QStringLiteral("corpus.try"), QStringLiteral("Try in Inspect"), QStringLiteral("View"), Qt::Key_T,
         QStringLiteral("The pair's source as a prompt, its target as the reference")},
        [this] {
            const QModelIndex row = pairs_->currentIndex();
            if (!row.isValid()) return Q_EMIT statusMessage(QStringLiteral("No pair selected; choose one."));
            const auto text = [&](int column) { return row.siblingAtColumn(column).data().toString(); };
            const bool texts = corpus_ && corpus_->texts;
            ask<Studio>().reveal(QStringLiteral("prompt"));
            ask<PromptBar>().tryText(text(texts ? PairItemModel::Target : PairItemModel::Source),
                                     texts ? QString() : text(PairItemModel::Target));
        },
        pairs_));
}

QWidget* CorpusPanel::buildSide() {
    lengths_ = new LengthChart;
    tokenizers_ = chooser(QStringLiteral("corpus.tokenizer"), QStringLiteral("Tokenizer to browse"));
    tokenSearch_ =
        searchField(vocabularyFilter_, QStringLiteral("corpus.tokens"), QStringLiteral("Search tokens"));
    vocabulary_ = table(vocabularyFilter_, QStringLiteral("corpus.vocabulary"),
                        QStringLiteral("Vocabulary of the tokenizer"));
    vocabulary_->horizontalHeader()->setStretchLastSection(true);
    vocabulary_->sortByColumn(VocabularyItemModel::Id, Qt::AscendingOrder);
    noTokenizer_ =
        label(QStringLiteral(
                  "No tokenizer yet; the first training of an experiment makes one (Train workspace, F5)."),
              "caption");
    noTokenizer_->setWordWrap(true);
    connect(tokenizers_, &QComboBox::activated, this, &CorpusPanel::chooseTokenizer);
    auto* top = new QHBoxLayout;
    top->addWidget(label(QStringLiteral("Vocabulary"), "title"));
    top->addWidget(tokenizers_);
    top->addStretch(1);
    auto* vocabularyBox = new QWidget;
    auto* lower = new QVBoxLayout(vocabularyBox);
    lower->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    lower->setSpacing(px(space::kTight));
    lower->addLayout(top);
    lower->addWidget(noTokenizer_);
    lower->addWidget(tokenSearch_);
    tools_ = new TokenTools;
    leaveOutOfFigures(*tokenSearch_);
    leaveOutOfFigures(*tools_);
    connect(tools_, &TokenTools::runTokenizerFound, this, &CorpusPanel::chooseTokenizerOf);
    connect(vocabulary_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid())
                    tools_->showNeighbours(row.siblingAtColumn(VocabularyItemModel::Id).data().toInt(),
                                           row.siblingAtColumn(VocabularyItemModel::Token).data().toString());
            });
    auto* both = new QSplitter(Qt::Vertical);
    both->setChildrenCollapsible(false);
    both->addWidget(vocabulary_);
    both->addWidget(tools_);
    lower->addWidget(both, 1);
    lower->addStretch();
    auto* lengthBox = new QWidget;
    auto* upper = new QVBoxLayout(lengthBox);
    upper->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    upper->addWidget(lengths_, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(lengthBox);
    split->addWidget(vocabularyBox);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 3);
    return split;
}

}  // namespace kurve::views
