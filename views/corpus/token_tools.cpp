#include "views/corpus/token_tools.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

constexpr int kNeighbours = 20;
constexpr std::size_t kMaxTokens = 400;  // the layout of a whole document takes seconds

QLabel* textLabel(const char* name, const QString& accessibleName) {
    return describe(new QLabel, name, accessibleName, {.wraps = true, .selectable = true});
}

}  // namespace

TokenTools::TokenTools(QWidget* parent)
    : QWidget(parent),
      text_(describe(new QLineEdit, "corpus.try", tr("Text to tokenize"),
                     {.placeholder = tr("Tokenize text"), .clearable = true})),
      tokens_(textLabel("corpus.try_tokens", tr("Tokens with their ids"))),
      nearTitle_(textLabel("corpus.near_title", tr("Token whose neighbours are shown"))),
      near_(describe(new QTableWidget(0, 4), "corpus.near", tr("Nearest neighbours of the selected token"))),
      tokenizations_([](const TextRequest& request) { return tokenized(*request.tokenizer, request.text); },
                     [this](const TokenizedText& text) { showTokens(text); }) {
    near_->setHorizontalHeaderLabels({tr("Token"), tr("Id"), tr("Distance"), tr("Cosine")});
    near_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    near_->setSelectionBehavior(QAbstractItemView::SelectRows);
    near_->setShowGrid(false);
    near_->setFrameShape(QFrame::NoFrame);
    near_->verticalHeader()->hide();
    near_->verticalHeader()->setDefaultSectionSize(px(24));
    near_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const int column : {1, 2, 3})
        near_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    near_->setMinimumHeight(px(96));
    describe(nearTitle_, {.role = "caption"});
    vboxIn(this, {text_, tokens_, nearTitle_, {near_, 1}}, {.margins = 0, .spacing = space::kTight});
    connect(text_, &QLineEdit::textChanged, this, &TokenTools::retokenize);
    onThemeChange(this, &TokenTools::retokenize);
    setRun({}, {});
}

void TokenTools::setTokenizer(const std::filesystem::path& folder) {
    folder_ = folder;
    tokenizer_ = nullptr;
    tables_.drop();
    embeddings_ = nullptr;
    id_ = -1;
    showRows({});
    tokenizers_.run([folder] { return text::loadTokenizer(folder); },
                    [this](const Result<std::shared_ptr<const text::Tokenizer>>& loaded) {
                        if (!loaded) return tokens_->setText(QString::fromStdString(loaded.error().text()));
                        tokenizer_ = *loaded;
                        retokenize();
                    });
}

void TokenTools::suggest(const QString& text) {
    if (text_->isModified() || text.isEmpty()) return;
    text_->setText(text);  // leaves it unmodified
}

void TokenTools::retokenize() {
    if (tokenizer_ != nullptr) tokenizations_.request({tokenizer_, text_->text()});
}

void TokenTools::showTokens(const TokenizedText& text) {
    if (text.tokens.empty()) return tokens_->clear();
    QString html;
    for (std::size_t i = 0; i < std::min(text.tokens.size(), kMaxTokens); ++i) {
        const auto& token = text.tokens[i];
        // Unknown text is marked by a word and an underline, not by its colour alone.
        const QString style =
            token.unknown ? QStringLiteral("color:%1; text-decoration:underline").arg(theme().bad.name())
                          : QStringLiteral("background-color:%1").arg(theme().raised.name());
        const QString label = token.unknown ? tr("⁇ unknown") : token.text;
        html += QStringLiteral(
                    "<span style=\"%1\">&nbsp;%2&nbsp;</span><span style=\"color:%3\"><small>&nbsp;%4"
                    "</small></span> &nbsp;")
                    .arg(style, label.toHtmlEscaped(), theme().muted.name())
                    .arg(token.id);
    }
    if (text.tokens.size() > kMaxTokens) html += QStringLiteral("…");
    const int unknown = text.unknown();
    html += QStringLiteral("<br/><span style=\"color:%1\">%2</span>")
                .arg(theme().muted.name(),
                     tr("%1, %2 unknown")
                         .arg(countedText(static_cast<qint64>(text.tokens.size()), tr("token")),
                              countText(unknown)));
    tokens_->setText(html);
}

// ---- neighbours ----

void TokenTools::setRun(const QString& run, const std::filesystem::path& folder) {
    run_ = run;
    table_ = {};
    tables_.drop();
    embeddings_ = nullptr;
    showRows({});
    if (run.isEmpty()) {
        runs_.drop();
        return nearTitle_->setText(tr("No run selected; choose one for nearest neighbours."));
    }
    nearTitle_->setText(tr("No token selected; choose one for its nearest neighbours in %1.").arg(run));
    runs_.run([folder] { return tableOfRun(folder); },
              [this](const RunEmbeddings& table) {
                  table_ = table;
                  if (table.checkpoint.empty())
                      return nearTitle_->setText(
                          tr("%1 has no checkpoint yet; neighbours need its embeddings.").arg(run_));
                  if (!table.tokenizer.isEmpty()) Q_EMIT runTokenizerFound(table.tokenizer);
                  search();
              });
}

void TokenTools::showNeighbours(int id, const QString& token) {
    id_ = id;
    token_ = token;
    search();
}

void TokenTools::loadTable() {
    tables_.run([table = table_, folder = folder_] { return embeddingsOf(table, folder); },
                [this](const Result<std::shared_ptr<const trace::Vocabulary>>& loaded) {
                    if (!loaded) return nearTitle_->setText(QString::fromStdString(loaded.error().text()));
                    embeddings_ = *loaded;
                    search();
                });
}

void TokenTools::search() {
    if (id_ < 0 || table_.checkpoint.empty()) return;
    const QString folder = QString::fromStdString(folder_.filename().string());
    if (!table_.tokenizer.isEmpty() && !table_.tokenizer.startsWith(folder)) {
        showRows({});
        return nearTitle_->setText(
            tr("%1 was trained with another tokenizer (%2).").arg(run_, table_.tokenizer.left(8)));
    }
    if (embeddings_ == nullptr) return loadTable();
    nearTitle_->setText(
        tr("Nearest to %1 in %2, %3")
            .arg(token_, run_, QString::fromStdString(table_.checkpoint.filename().string())));
    searches_.run([table = embeddings_, id = id_] { return neighboursOf(*table, id, kNeighbours); },
                  [this](const std::vector<TokenNeighbour>& rows) { showRows(rows); });
}

void TokenTools::showRows(const std::vector<TokenNeighbour>& rows) {
    if (rows.empty()) searches_.drop();
    near_->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < near_->rowCount(); ++row) {
        const TokenNeighbour& near = rows[static_cast<std::size_t>(row)];
        const QString cells[] = {near.token, QString::number(near.id), numberText(near.distance, 4),
                                 numberText(near.cosine, 3)};
        for (int column = 0; column < 4; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            if (column == 0) item->setFont(monoFont());
            near_->setItem(row, column, item);
        }
    }
}

}  // namespace kurve::views
