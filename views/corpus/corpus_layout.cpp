// Layout of the panel's two halves.
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTimer>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/theme/theme.h"
#include "views/corpus/corpus_panel.h"
#include "views/corpus/corpus_tables.h"
#include "views/corpus/length_chart.h"
#include "views/corpus/token_tools.h"

namespace kurve::views {

namespace {

constexpr int kTypingPauseMs = 150;

QTableView* table(QAbstractItemModel* model, const QString& name, const QString& accessibleName) {
    auto* view = describe(new QTableView, name, accessibleName);
    view->setModel(model);
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
    auto* field = describe(new QLineEdit, name, hint, {.placeholder = hint, .clearable = true});
    auto* pause = new QTimer(field);
    pause->setSingleShot(true);
    pause->setInterval(kTypingPauseMs);
    QObject::connect(field, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
    QObject::connect(pause, &QTimer::timeout, proxy,
                     [field, proxy] { proxy->setFilterFixedString(field->text()); });
    return field;
}

QComboBox* chooser(const QString& name, const QString& accessibleName) {
    auto* box = describe(new QComboBox, name, accessibleName);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

}  // namespace

QWidget* CorpusPanel::buildPairs() {
    files_ = chooser(QStringLiteral("corpus.file"), QStringLiteral("Split to browse"));
    search_ = searchField(pairFilter_, QStringLiteral("corpus.search"), QStringLiteral("Search pairs"));
    summary_ = describe(new QLabel, {.role = "caption", .wraps = true});
    problem_ = describe(new QLabel, {.role = "error", .wraps = true});
    pairs_ = table(pairFilter_, QStringLiteral("corpus.pairs"), QStringLiteral("Pairs of the split"));
    pairs_->setMinimumHeight(px(150));  // a few of them; in less room the panel scrolls
    auto* header = pairs_->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(PairTable::Source, QHeaderView::Stretch);
    header->setSectionResizeMode(PairTable::Target, QHeaderView::Stretch);
    header->setResizeContentsPrecision(100);
    header->setSortIndicator(PairTable::Number, Qt::AscendingOrder);
    whole_ = describe(new QLabel, "corpus.pair", QStringLiteral("Selected pair in full"),
                      {.role = "value", .wraps = true, .selectable = true, .hidden = true});
    connect(pairs_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CorpusPanel::showWhole);
    addTry();
    connect(files_, &QComboBox::activated, this, &CorpusPanel::chooseCorpus);
    auto* import = describe(new QPushButton(QStringLiteral("Import text…")), "corpus.import", {},
                            QStringLiteral("Import a TSV or parallel text files"));
    connect(import, &QPushButton::clicked, this, [this] { openImport({}); });
    use_ = describe(new QPushButton(QStringLiteral("Use in draft")), "corpus.use");
    connect(use_, &QPushButton::clicked, this, &CorpusPanel::useInDraft);
    search_->setMinimumWidth(px(120));
    search_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* top = wrapBox(
        {describe(new QLabel(QStringLiteral("Pairs")), {.role = "title"}), files_, search_, use_, import});
    leaveOutOfFigures({search_, use_, import});
    return boxed(vbox({top, summary_, problem_, {pairs_, 1}, whole_},
                      {.margins = space::kSmall, .spacing = space::kTight}));
}

void CorpusPanel::addTry() {
    if (context().commands == nullptr) return;
    const CommandGroup add(context().commands, QStringLiteral("View"), pairs_, "corpus.");
    pairs_->addAction(
        add("try", QStringLiteral("Try in Inspect"), Qt::Key_T,
            QStringLiteral("The pair's source as a prompt, its target as the reference"), [this] {
                const QModelIndex row = pairs_->currentIndex();
                if (!row.isValid())
                    return Q_EMIT statusMessage(QStringLiteral("No pair selected; choose one."));
                const auto text = [&](int column) { return row.siblingAtColumn(column).data().toString(); };
                const bool texts = corpus_ && corpus_->texts;
                ask<Studio>().reveal(QStringLiteral("prompt"));
                ask<PromptBar>().tryText(text(texts ? PairTable::Target : PairTable::Source),
                                         texts ? QString() : text(PairTable::Target));
            }));
}

QWidget* CorpusPanel::buildSide() {
    lengths_ = new LengthChart;
    tokenizers_ = chooser(QStringLiteral("corpus.tokenizer"), QStringLiteral("Tokenizer to browse"));
    tokenSearch_ =
        searchField(vocabularyFilter_, QStringLiteral("corpus.tokens"), QStringLiteral("Search tokens"));
    vocabulary_ = table(vocabularyFilter_, QStringLiteral("corpus.vocabulary"),
                        QStringLiteral("Vocabulary of the tokenizer"));
    vocabulary_->horizontalHeader()->setStretchLastSection(true);
    vocabulary_->sortByColumn(VocabularyTable::Id, Qt::AscendingOrder);
    noTokenizer_ = describe(
        new QLabel(QStringLiteral(
            "No tokenizer yet; the first training of an experiment makes one (Train workspace, F5).")),
        {.role = "caption", .wraps = true});
    connect(tokenizers_, &QComboBox::activated, this, &CorpusPanel::chooseTokenizer);
    auto* top = hbox(
        {describe(new QLabel(QStringLiteral("Vocabulary")), {.role = "title"}), tokenizers_, Stretch{1}});
    auto* vocabularyBox = new QWidget;
    tools_ = new TokenTools;
    leaveOutOfFigures({tokenSearch_, tools_});
    connect(tools_, &TokenTools::runTokenizerFound, this, &CorpusPanel::chooseTokenizerOf);
    connect(vocabulary_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid())
                    tools_->showNeighbours(row.siblingAtColumn(VocabularyTable::Id).data().toInt(),
                                           row.siblingAtColumn(VocabularyTable::Token).data().toString());
            });
    auto* both = splitBox(Qt::Vertical, {vocabulary_, tools_});
    vboxIn(vocabularyBox, {top, noTokenizer_, tokenSearch_, {both, 1}, Stretch{}},
           {.margins = space::kSmall, .spacing = space::kTight});
    auto* lengthBox = boxed(vbox({{lengths_, 1}}, {.margins = space::kSmall}));
    return splitBox(Qt::Vertical, {{lengthBox, 1}, {vocabularyBox, 3}});
}

}  // namespace kurve::views
