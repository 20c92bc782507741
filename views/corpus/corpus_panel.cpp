#include "views/corpus/corpus_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/services/draft_form.h"
#include "views/common/services/engine.h"
#include "views/common/services/studio.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/folding_splitter.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/corpus/corpus_tables.h"
#include "views/corpus/import_form.h"
#include "views/corpus/length_chart.h"
#include "views/corpus/token_tools.h"

namespace kurve::views {

namespace {

constexpr int kSideBySideWidth = 900;  ///< the pairs with both texts, and the vocabulary

QSortFilterProxyModel* filterOf(QAbstractItemModel* model, int column, QObject* parent) {
    auto* proxy = new QSortFilterProxyModel(parent);
    proxy->setSourceModel(model);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    proxy->setFilterKeyColumn(column);
    return proxy;
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
    QStringList parts{countedText(report.pairs, corpus.documents ? QStringLiteral("document")
                                                : corpus.texts   ? QStringLiteral("text")
                                                                 : QStringLiteral("pair"))};
    if (corpus.documents) parts << countedText(report.sentences, QStringLiteral("sentence"));
    if (!corpus.texts) parts << lengthText(QStringLiteral("source"), corpus.source);
    parts << lengthText(corpus.texts ? QStringLiteral("length") : QStringLiteral("target"), corpus.target);
    if (corpus.duplicates > 0) parts << QStringLiteral("%1 repeated").arg(countText(corpus.duplicates));
    if (report.emptySides > 0)
        parts << QStringLiteral("%1 excluded: empty side").arg(countText(report.emptySides));
    if (report.tooLong > 0) parts << QStringLiteral("%1 excluded: too long").arg(countText(report.tooLong));
    if (report.pairs > PairTable::kMaxRows)
        parts << QStringLiteral("first %1 listed").arg(countText(PairTable::kMaxRows));
    return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

CorpusPanel::CorpusPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("corpus"), QStringLiteral("Corpus"), context, parent),
      stack_(new QStackedLayout(this)),
      empty_(new EmptyState),
      form_(new ImportForm(context.project ? context.project->folder() : std::filesystem::path())),
      pairModel_(new ColumnModel(this)),
      vocabularyModel_(new ColumnModel(this)),
      pairFilter_(filterOf(pairModel_, -1, this)),
      vocabularyFilter_(filterOf(vocabularyModel_, VocabularyTable::Token, this)) {
    PairTable::fill(*pairModel_, std::make_shared<const BrowsedCorpus>());
    VocabularyTable::fill(*vocabularyModel_, std::make_shared<const BrowsedVocabulary>());
    auto* split = new FoldingSplitter(kSideBySideWidth);
    split->addWidget(buildPairs());
    split->addWidget(buildSide());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({px(600), px(400)});  // not by size hints
    stack_->addWidget(empty_);
    stack_->addWidget(split);
    stack_->addWidget(form_);
    empty_->setTexts(
        QStringLiteral("No text in this project"),
        QStringLiteral("Drop a TSV with source and target, or two parallel text files, on the window, or use "
                       "`kurve data import`."),
        QStringLiteral("Import text…"));
    connect(empty_, &EmptyState::clicked, this, [this] { openImport({}); });
    connectImport();
    refresh();
    if (context.selection != nullptr) {
        connect(context.selection, &Selection::runsChanged, this, &CorpusPanel::followRun);
        connect(context.selection, &Selection::traceChanged, this, &CorpusPanel::suggestText);
    }
    followRun();
    suggestText();
}

/// One check at a time.
void CorpusPanel::connectImport() {
    context().services->offer<TextImport>(*this);
    connect(form_, &ImportForm::closeRequested, this, [this] {
        isImporting_ = false;
        showPage();
    });
    connect(form_, &ImportForm::checkRequested, this, [this](const ImportRequest& request) {
        endCheck_();
        endCheck_ = ask<Engine>().call(
            request.checkWords(),
            [this](const Result<nlohmann::json>& found) {
                found ? form_->showFound(*found) : form_->showProblem(found.error());
            },
            this);
    });
    connect(form_, &ImportForm::cancelRequested, this, [this] { endCheck_(); });
    connect(form_, &ImportForm::importRequested, this, [this](const ImportRequest& request) {
        ask<Engine>().call(
            request.importWords(),
            [this, name = request.name](const Result<nlohmann::json>& made) {
                made ? showImported(name) : form_->showProblem(made.error());
            },
            this);
    });
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
    fillTokenizers();  // a training may have made one
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
            files_->addItem(qt(file.lexically_relative("data").string()), qt(file.string()));
    if (files_->count() == 0) {
        corpus_.reset();
        return showPage();
    }
    const QString wanted = qt(defaultCorpus(*context().project).string());
    const int same = files_->findText(before);
    files_->setCurrentIndex(std::max(0, same >= 0 ? same : files_->findData(wanted)));
    chooseCorpus();
}

void CorpusPanel::fillTokenizers() {
    const QString before = tokenizers_->currentData().toString();
    BoxChoices choices;
    if (context().project)
        for (const auto& tokenizer : tokenizerFolders(context().project->folder()))
            choices.append({qt(tokenizer.folder.string()), tokenizer.title});
    offerItems(*tokenizers_, choices, before);
    const bool any = tokenizers_->count() > 0;
    noTokenizer_->setVisible(!any);
    vocabulary_->setVisible(any);
    tools_->setVisible(any);
    tokenizers_->setVisible(any);
    tokenSearch_->setVisible(any);
    if (!any) return;
    if (tokenizers_->currentData().toString() != before) chooseTokenizer();
}

void CorpusPanel::chooseCorpus() {
    const std::filesystem::path shown = files_->currentData().toString().toStdString();
    const bool usable = !corpusSettings(context().project->folder(), shown).isEmpty();
    use_->setEnabled(usable);
    use_->setToolTip(usable ? QStringLiteral("Set this corpus in the draft")
                            : QStringLiteral("NAME.train.tsv or NAME.valid.tsv is missing"));
    const auto file = context().project->folder() / shown;
    corpusWork_.run([file] { return std::make_shared<const BrowsedCorpus>(browseCorpus(file)); },
                    [this](const std::shared_ptr<const BrowsedCorpus>& corpus) { showCorpus(corpus); });
}

void CorpusPanel::chooseTokenizer() {
    const std::filesystem::path folder = tokenizers_->currentData().toString().toStdString();
    tools_->setTokenizer(folder);
    vocabularyWork_.run(
        [folder] { return std::make_shared<const BrowsedVocabulary>(browseVocabulary(folder)); },
        [this](const std::shared_ptr<const BrowsedVocabulary>& vocabulary) {
            VocabularyTable::fill(*vocabularyModel_, vocabulary);
            vocabulary_->resizeColumnsToContents();
        });
}

void CorpusPanel::chooseTokenizerOf(const QString& hash) {
    for (int at = 0; at < tokenizers_->count(); ++at) {
        const std::filesystem::path folder = tokenizers_->itemData(at).toString().toStdString();
        if (!hash.startsWith(qt(folder.filename().string()))) continue;
        if (at == tokenizers_->currentIndex()) return;
        tokenizers_->setCurrentIndex(at);
        return chooseTokenizer();
    }
}

/// The selected run's tokenizer and embeddings, and the current text.
void CorpusPanel::followRun() {
    if (context().project == nullptr || context().selection == nullptr) return;
    const QString run = context().selection->primaryRun();
    tools_->setRun(run, context().project->runFolder(run.toStdString()));
}

void CorpusPanel::suggestText() {
    if (context().selection == nullptr) return;
    const auto trace = context().selection->trace();
    QString text = trace != nullptr ? qt(trace->metaText("prompt")) : QString();
    if (text.isEmpty() && corpus_ && !corpus_->corpus.pairs.empty())
        text =
            qt(corpus_->texts ? corpus_->corpus.pairs.front().target : corpus_->corpus.pairs.front().source);
    tools_->suggest(text);
}

void CorpusPanel::showCorpus(std::shared_ptr<const BrowsedCorpus> corpus) {
    corpus_ = std::move(corpus);
    PairTable::fill(*pairModel_, corpus_);
    for (const int column : {PairTable::Source, PairTable::SourceWords})
        pairs_->setColumnHidden(column, corpus_->texts);
    lengths_->setUnit(QStringLiteral("words"), 0,
                      QLatin1String(corpus_->documents ? "document"
                                    : corpus_->texts   ? "text"
                                                       : "sentence"));
    lengths_->setLengths(corpus_->sourceWords, corpus_->targetWords);
    showText(*problem_, corpus_->problem);
    summary_->setText(corpus_->problem.isEmpty() ? summaryText(*corpus_) : QString());
    suggestText();
    showPage();
}

void CorpusPanel::showWhole(const QModelIndex& row) {
    const auto text = [&](int column) {
        return row.siblingAtColumn(column).data().toString().toHtmlEscaped();
    };
    whole_->setVisible(row.isValid());
    whole_->setText(QStringLiteral("<span style=\"color:%1\">%2</span><br/>%3")
                        .arg(theme().muted.name(), text(PairTable::Source), text(PairTable::Target)));
}

void CorpusPanel::showPage() {
    stack_->setCurrentIndex(isImporting_ ? 2 : corpus_ ? 1 : 0);
}

void CorpusPanel::openImport(const QStringList& files) {
    isImporting_ = true;
    if (!files.isEmpty()) form_->setRequest(requestFor(files));
    showPage();
    form_->setFocus();
}

void CorpusPanel::showImported(const QString& name) {
    imported_ = QStringLiteral("data/%1.train.tsv").arg(name);
    importedTokenizer_ = form_->request().tokenizerSettings();
    form_->showImported();
    isImporting_ = false;
    fillFiles();
    const int at = files_->findData(imported_);
    if (at >= 0) {
        files_->setCurrentIndex(at);
        chooseCorpus();
    }
    use_->setFocus();
    Q_EMIT statusMessage(QStringLiteral("Imported: %1. “Use in draft” trains on it.").arg(name));
}

void CorpusPanel::useInDraft() {
    const QString shown = files_->currentData().toString();
    QMap<QString, QString> settings = corpusSettings(context().project->folder(), shown.toStdString());
    if (settings.isEmpty()) return;
    if (settings.value(QStringLiteral("data.train")) == imported_) settings.insert(importedTokenizer_);
    ask<Studio>().reveal(QStringLiteral("launch"));
    ask<DraftForm>().useSettings(settings);
}

}  // namespace kurve::views
