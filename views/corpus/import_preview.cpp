#include "views/corpus/import_preview.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <functional>
#include <vector>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/corpus/length_chart.h"

namespace kurve::views {

namespace {

using nlohmann::json;

constexpr double kMaxLengths = 1e8;  // of one length; larger counts are ignored

const std::vector<std::pair<std::string, QString>>& splitNames() {
    static const std::vector<std::pair<std::string, QString>> names = {
        {"train", QStringLiteral("Train")},
        {"valid", QStringLiteral("Validation")},
        {"test", QStringLiteral("Test")}};
    return names;
}

bool arePairs(const wire::Fields& found) {
    return found.text("kind", "pairs") == "pairs";
}

QString count(const wire::Fields& row, const char* key) {
    const auto value = row.integer(key, qint64(-1));
    return value >= 0 ? countText(value) : QStringLiteral("–");
}

QString percent(const wire::Fields& row, const char* key) {
    const double value = row.number(key, -1);
    return value >= 0 ? numberText(100 * value, 3) + QStringLiteral(" %") : QStringLiteral("–");
}

QString lengths(const wire::Fields& row) {
    const wire::Fields length = row.object("length");
    return QStringLiteral("%1 / %2 / %3")
        .arg(count(length, "p50"), count(length, "p95"), count(length, "max"));
}

QString oddLines(const wire::Fields& row) {
    return countText(row.integer("empty_sides", qint64(0)) + row.integer("too_long", qint64(0)));
}

/// Lengths from the count of each.
std::vector<int> expanded(const std::vector<double>& counts) {
    std::vector<int> lengths;
    for (std::size_t length = 0; length < counts.size(); ++length)
        if (counts[length] >= 0 && counts[length] <= kMaxLengths)
            lengths.insert(lengths.end(), static_cast<std::size_t>(counts[length]), static_cast<int>(length));
    return lengths;
}

QTableWidget* plainTable(const QString& name, const QString& accessibleName) {
    auto* table = describe(new QTableWidget, name, accessibleName);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->setDefaultSectionSize(px(24));
    return table;
}

QLabel* heading(const QString& text) {
    return describe(new QLabel(text), {.role = "title"});
}

QLabel* paragraph(const QString& name) {
    return describe(new QLabel, name,
                    {.wraps = true, .selectable = true, .hidden = true, .format = Qt::PlainText});
}

}  // namespace

ImportPreview::ImportPreview(QWidget* parent)
    : QWidget(parent),
      numbers_(plainTable(QStringLiteral("import.numbers"), tr("Statistics by split"))),
      pairs_(plainTable(QStringLiteral("import.pairs"), tr("The first examples of each split"))),
      leaks_(paragraph(QStringLiteral("import.leaks"))),
      odd_(paragraph(QStringLiteral("import.odd"))),
      lengthTitle_(heading(tr("Lengths of the training split"))),
      lengths_(new LengthChart) {
    pairs_->setColumnCount(3);
    pairs_->setHorizontalHeaderLabels({tr("Split"), tr("Source"), tr("Target")});
    pairs_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    pairs_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    pairs_->verticalHeader()->hide();
    numbers_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    vboxIn(this,
           {numbers_, leaks_, odd_, lengthTitle_, {lengths_, 2}, heading(tr("First examples")), {pairs_, 3}},
           {.margins = {space::kMedium, space::kSmall}, .spacing = space::kSmall});
    pairs_->setMinimumHeight(px(150));
}

void ImportPreview::clear() {
    numbers_->setRowCount(0);
    pairs_->setRowCount(0);
    lengths_->setLengths({}, {});
    leaks_->hide();
    odd_->hide();
}

void ImportPreview::fillNumbers(const json& found) {
    const wire::Fields fields(found), splits = fields.object("splits");
    const bool inTokens = fields.text("counted_in") == "tokens";
    struct Statistic {
        QString title;
        std::function<QString(const wire::Fields&)> text;
    };
    const auto counted = [](const char* key) {
        return [key](const wire::Fields& row) { return count(row, key); };
    };
    const auto rate = [](const char* key) {
        return [key](const wire::Fields& row) { return percent(row, key); };
    };
    const std::vector<Statistic> statistics = {
        {tr("Examples"), counted("pairs")},
        {tr("Excluded lines"), oddLines},
        {tr("Repeated examples"), counted("duplicates")},
        {inTokens ? tr("Tokens: median / p95 / max") : tr("Words: median / p95 / max"), lengths},
        {tr("Unknown tokens (OOV)"), rate("oov_rate")},
        {tr("Longer than %1 tokens: excluded from training").arg(fields.integer("max_length", 0)),
         rate("truncated_rate")},
        {tr("Words not in train"), rate("unseen_word_rate")},
        {arePairs(fields) ? tr("Sharing a sentence with train") : tr("Also in train"),
         counted("train_valid_overlap")}};
    numbers_->clear();
    numbers_->setRowCount(static_cast<int>(statistics.size()));
    QStringList columns, rows;
    for (const auto& [name, title] : splitNames())
        if (splits.has(name)) columns << title;
    numbers_->setColumnCount(static_cast<int>(columns.size()));
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        rows << statistics[i].title;
        int column = 0;
        for (const auto& [name, title] : splitNames()) {
            if (!splits.has(name)) continue;
            auto* item = new QTableWidgetItem(statistics[i].text(splits.object(name)));
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            numbers_->setItem(static_cast<int>(i), column++, item);
        }
    }
    numbers_->setHorizontalHeaderLabels(columns);
    numbers_->setVerticalHeaderLabels(rows);
    const int lines =
        numbers_->horizontalHeader()->sizeHint().height() + numbers_->verticalHeader()->length() + px(4);
    numbers_->setFixedHeight(lines);
}

void ImportPreview::fillPairs(const wire::Fields& splits) {
    pairs_->setRowCount(0);
    for (const auto& [name, title] : splitNames()) {
        for (const json& pair : splits.object(name).list("preview")) {
            const std::vector<std::string> sides = wire::textsIn(pair);
            if (sides.size() != 2) continue;
            const int row = pairs_->rowCount();
            pairs_->insertRow(row);
            pairs_->setItem(row, 0, new QTableWidgetItem(title));
            for (const int side : {0, 1}) {
                const QString text = QString::fromStdString(sides[static_cast<std::size_t>(side)]);
                auto* item = new QTableWidgetItem(text);
                item->setToolTip(plainTip(text));
                pairs_->setItem(row, side + 1, item);
            }
        }
    }
}

void ImportPreview::show(const json& found) {
    const wire::Fields fields(found), splits = fields.object("splits"), train = splits.object("train");
    fillNumbers(found);
    fillPairs(splits);
    const bool pairwise = arePairs(fields);
    pairs_->setColumnHidden(1, !pairwise);
    pairs_->horizontalHeaderItem(2)->setText(pairwise ? tr("Target") : tr("Text"));
    const bool inTokens = fields.text("counted_in") == "tokens";
    // <s> and </s> count in data.max_length.
    lengths_->setUnit(inTokens ? tr("tokens") : tr("words"),
                      inTokens ? fields.integer("max_length", 2) - 2 : 0,
                      fields.text("kind") == "text" ? tr("text") : tr("sentence"));
    lengths_->setLengths(expanded(train.numbers("source_lengths")),
                         expanded(train.numbers("target_lengths")));
    QStringList shared, odd;
    for (const auto& [name, title] : splitNames()) {
        const wire::Fields leak = fields.object("leak").object(name);
        const std::vector<std::string> examples = leak.texts("examples");
        if (const auto pairs = leak.integer("pairs", qint64(0)); pairs > 0 && !examples.empty())
            shared << (pairwise ? tr("⚠ %1: %2 with a sentence of train, for example “%3”.")
                                : tr("⚠ %1: %2 also in train, for example “%3”."))
                          .arg(title, countedText(pairs, pairwise ? tr("pair") : tr("text")),
                               QString::fromStdString(examples.front()));
        for (const std::string& line : splits.object(name).texts("examples"))
            odd << QString::fromStdString(line);
    }
    if (const auto removed = fields.integer("left_out_as_leak", qint64(0)); removed > 0)
        shared << (pairwise ? tr("Excluded from train: %1 with a sentence of a held-out split.")
                            : tr("Excluded from train: %1 of a held-out split."))
                      .arg(countedText(removed, pairwise ? tr("pair") : tr("text")));
    if (shared.isEmpty() && (splits.has("valid") || splits.has("test")))
        shared << (pairwise ? tr("✓ No sentence of another split is in train.")
                            : tr("✓ No text of another split is in train as a whole."));
    showText(*leaks_, shared.join(QLatin1Char('\n')));
    odd_->setText(tr("Excluded lines, the first of each split:\n%1").arg(odd.join(QLatin1Char('\n'))));
    odd_->setVisible(!odd.isEmpty());
}

}  // namespace kurve::views
