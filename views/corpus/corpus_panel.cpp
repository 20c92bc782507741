#include "views/corpus/corpus_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>

#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"
#include "views/corpus/import_form.h"
#include "views/corpus/length_chart.h"
#include "views/corpus/pair_item_model.h"
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

QSortFilterProxyModel* filterOf(QAbstractItemModel* model, int column, QObject* parent) {
    auto* proxy = new QSortFilterProxyModel(parent);
    proxy->setSourceModel(model);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    proxy->setFilterKeyColumn(column);
    return proxy;
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

QString lengthText(const QString& side, const text::LengthSummary& lengths) {
    return QStringLiteral("%1 %2–%3 words, median %4")
        .arg(side)
        .arg(lengths.min)
        .arg(lengths.max)
        .arg(lengths.p50);
}

QString summaryText(const BrowsedCorpus& corpus) {
    const text::CorpusReport& report = corpus.corpus.report;
    QStringList parts{QStringLiteral("%1 pairs").arg(countText(report.pairs)),
                      lengthText(QStringLiteral("source"), corpus.source),
                      lengthText(QStringLiteral("target"), corpus.target)};
    if (corpus.duplicates > 0) parts << QStringLiteral("%1 repeated").arg(countText(corpus.duplicates));
    if (report.emptySides > 0)
        parts << QStringLiteral("%1 left out: a side is empty").arg(countText(report.emptySides));
    if (report.tooLong > 0) parts << QStringLiteral("%1 left out: too long").arg(countText(report.tooLong));
    if (report.pairs > PairItemModel::kMostRows)
        parts << QStringLiteral("the first %1 are listed").arg(countText(PairItemModel::kMostRows));
    return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

CorpusPanel::CorpusPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("corpus"), QStringLiteral("Corpus"), context, parent),
      stack_(new QStackedLayout(this)),
      empty_(new EmptyState),
      form_(new ImportForm(context.project ? context.project->folder() : std::filesystem::path())),
      pairModel_(new PairItemModel(this)),
      vocabularyModel_(new VocabularyItemModel(this)),
      pairFilter_(filterOf(pairModel_, -1, this)),
      vocabularyFilter_(filterOf(vocabularyModel_, VocabularyItemModel::Piece, this)) {
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(buildPairs());
    split->addWidget(buildSide());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    stack_->addWidget(empty_);
    stack_->addWidget(split);
    stack_->addWidget(form_);
    connect(empty_, &EmptyState::clicked, this, [this] { openImport({}); });
    connect(form_, &ImportForm::closeRequested, this, [this] {
        isImporting_ = false;
        showPage();
    });
    refresh();
}

QWidget* CorpusPanel::buildPairs() {
    files_ = chooser(QStringLiteral("corpus.file"), QStringLiteral("Split to browse"));
    search_ = searchField(pairFilter_, QStringLiteral("corpus.search"), QStringLiteral("Search the pairs"));
    summary_ = label({}, "caption");
    summary_->setWordWrap(true);
    problem_ = label({}, "error");
    problem_->setWordWrap(true);
    pairs_ = table(pairFilter_, QStringLiteral("corpus.pairs"), QStringLiteral("Pairs of the split"));
    auto* header = pairs_->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(PairItemModel::Source, QHeaderView::Stretch);
    header->setSectionResizeMode(PairItemModel::Target, QHeaderView::Stretch);
    header->setResizeContentsPrecision(100);
    header->setSortIndicator(PairItemModel::Number, Qt::AscendingOrder);
    whole_ = label({}, "value");
    whole_->setObjectName(QStringLiteral("corpus.pair"));
    whole_->setAccessibleName(QStringLiteral("The chosen pair in full"));
    whole_->setWordWrap(true);
    whole_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    whole_->hide();
    connect(pairs_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CorpusPanel::showWhole);
    connect(files_, &QComboBox::activated, this, &CorpusPanel::chooseCorpus);
    auto* import = new QPushButton(QStringLiteral("Import text…"));
    import->setObjectName(QStringLiteral("corpus.import"));
    import->setToolTip(QStringLiteral("Bring a TSV or parallel text files into the project, checked first"));
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

QWidget* CorpusPanel::buildSide() {
    lengths_ = new LengthChart;
    tokenizers_ = chooser(QStringLiteral("corpus.tokenizer"), QStringLiteral("Tokenizer to browse"));
    pieceSearch_ =
        searchField(vocabularyFilter_, QStringLiteral("corpus.pieces"), QStringLiteral("Search the pieces"));
    vocabulary_ = table(vocabularyFilter_, QStringLiteral("corpus.vocabulary"),
                        QStringLiteral("Pieces of the tokenizer"));
    vocabulary_->horizontalHeader()->setStretchLastSection(true);
    vocabulary_->sortByColumn(VocabularyItemModel::Id, Qt::AscendingOrder);
    noTokenizer_ =
        label(QStringLiteral("No tokenizer yet: the first training of an experiment makes it from the "
                             "training split. Start one in the Train workspace (F5)."),
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
    lower->addWidget(pieceSearch_);
    lower->addWidget(vocabulary_, 1);
    lower->addStretch();
    auto* lengthBox = new QWidget;
    auto* upper = new QVBoxLayout(lengthBox);
    upper->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    upper->addWidget(label(QStringLiteral("Lengths"), "title"));
    upper->addWidget(lengths_, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(lengthBox);
    split->addWidget(vocabularyBox);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    return split;
}

bool CorpusPanel::hasData() const {
    return corpus_ && !corpus_->corpus.pairs.empty();
}

QString CorpusPanel::statement() const {
    if (!hasData()) return QStringLiteral("No text to browse.");
    return QStringLiteral("%1: %2.").arg(files_->currentText(), summaryText(*corpus_));
}

void CorpusPanel::showEvent(QShowEvent* event) {
    Panel::showEvent(event);
    fillTokenizers();  // a training that ran meanwhile may have made one
    if (files_->count() == 0) fillFiles();
}

void CorpusPanel::refresh() {
    fillFiles();
    fillTokenizers();
}

void CorpusPanel::fillFiles() {
    const QString before = files_->currentText();
    files_->clear();
    if (context().project)
        for (const auto& file : corpusFiles(context().project->folder()))
            files_->addItem(QString::fromStdString(file.lexically_relative("data").string()),
                            QString::fromStdString(file.string()));
    if (files_->count() == 0) {
        showNothing(QStringLiteral("No text in this project yet"),
                    QStringLiteral(
                        "Drop a TSV with source and target on the window, or two parallel text files; in a "
                        "terminal, `kurve data import` does the same."));
        return;
    }
    const QString wanted = QString::fromStdString(defaultCorpus(*context().project).string());
    const int same = files_->findText(before);
    files_->setCurrentIndex(std::max(0, same >= 0 ? same : files_->findData(wanted)));
    chooseCorpus();
}

void CorpusPanel::fillTokenizers() {
    const QString before = tokenizers_->currentData().toString();
    tokenizers_->clear();
    if (context().project)
        for (const auto& tokenizer : tokenizerFolders(context().project->folder()))
            tokenizers_->addItem(tokenizer.title, QString::fromStdString(tokenizer.folder.string()));
    const bool any = tokenizers_->count() > 0;
    noTokenizer_->setVisible(!any);
    vocabulary_->setVisible(any);
    tokenizers_->setVisible(any);
    pieceSearch_->setVisible(any);
    if (!any) return;
    tokenizers_->setCurrentIndex(std::max(0, tokenizers_->findData(before)));
    if (tokenizers_->currentData().toString() != before) chooseTokenizer();
}

void CorpusPanel::chooseCorpus() {
    const std::filesystem::path shown = files_->currentData().toString().toStdString();
    const bool usable = !corpusSettings(context().project->folder(), shown).isEmpty();
    use_->setEnabled(usable);
    use_->setToolTip(usable ? QStringLiteral("Train on this corpus: its files go into the draft")
                            : QStringLiteral("Needs NAME.train.tsv and NAME.valid.tsv beside each other"));
    const auto file = context().project->folder() / shown;
    corpusWork_.run([file] { return browseCorpus(file); },
                    [this](BrowsedCorpus corpus) {
                        showCorpus(std::make_shared<const BrowsedCorpus>(std::move(corpus)));
                    });
}

void CorpusPanel::chooseTokenizer() {
    const std::filesystem::path folder = tokenizers_->currentData().toString().toStdString();
    vocabularyWork_.run([folder] { return browseVocabulary(folder); },
                        [this](BrowsedVocabulary vocabulary) {
                            showVocabulary(std::make_shared<const BrowsedVocabulary>(std::move(vocabulary)));
                        });
}

void CorpusPanel::showCorpus(std::shared_ptr<const BrowsedCorpus> corpus) {
    corpus_ = std::move(corpus);
    pairModel_->setCorpus(corpus_);
    lengths_->setLengths(corpus_->sourceWords, corpus_->targetWords);
    problem_->setText(corpus_->problem);
    problem_->setVisible(!corpus_->problem.isEmpty());
    summary_->setText(corpus_->problem.isEmpty() ? summaryText(*corpus_) : QString());
    showPage();
}

void CorpusPanel::showWhole(const QModelIndex& row) {
    const auto text = [&](int column) {
        return row.siblingAtColumn(column).data().toString().toHtmlEscaped();
    };
    whole_->setVisible(row.isValid());
    whole_->setText(QStringLiteral("<span style=\"color:%1\">%2</span><br/>%3")
                        .arg(theme().muted.name(), text(PairItemModel::Source), text(PairItemModel::Target)));
}

void CorpusPanel::showVocabulary(std::shared_ptr<const BrowsedVocabulary> vocabulary) {
    vocabularyModel_->setVocabulary(std::move(vocabulary));
    vocabulary_->resizeColumnsToContents();
}

void CorpusPanel::showNothing(const QString& headline, const QString& sentence) {
    corpus_.reset();
    empty_->setTexts(headline, sentence, QStringLiteral("Import text…"));
    showPage();
}

void CorpusPanel::showPage() {
    stack_->setCurrentIndex(isImporting_ ? 2 : corpus_ ? 1 : 0);
}

void CorpusPanel::openImport(const QStringList& files) {
    isImporting_ = true;
    if (!files.isEmpty()) form_->setWish(wishFor(files));
    showPage();
    form_->setFocus();
}

void CorpusPanel::showImported(const QString& name) {
    imported_ = QStringLiteral("data/%1.train.tsv").arg(name);
    importedTokenizer_ = form_->wish().tokenizerSettings();
    form_->showImported();
    isImporting_ = false;
    fillFiles();
    const int at = files_->findData(imported_);
    if (at >= 0) {
        files_->setCurrentIndex(at);
        chooseCorpus();
    }
    use_->setFocus();
    Q_EMIT statusMessage(QStringLiteral("%1 is in the project. “Use in draft” trains on it.").arg(name));
}

void CorpusPanel::useInDraft() {
    const QString shown = files_->currentData().toString();
    QMap<QString, QString> settings = corpusSettings(context().project->folder(), shown.toStdString());
    if (settings.isEmpty()) return;
    if (settings.value(QStringLiteral("data.train")) == imported_) settings.insert(importedTokenizer_);
    Q_EMIT draftRequested(settings);
}

}  // namespace kurve::views
