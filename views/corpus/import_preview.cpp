#include "views/corpus/import_preview.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <functional>
#include <vector>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/corpus/length_chart.h"

namespace kurve::views {

namespace {

using nlohmann::json;

const std::vector<std::pair<std::string, QString>>& splitNames() {
    static const std::vector<std::pair<std::string, QString>> names = {
        {"train", QStringLiteral("Train")},
        {"valid", QStringLiteral("Validation")},
        {"test", QStringLiteral("Test")}};
    return names;
}

QString count(const json& row, const char* key) {
    const auto value = row.find(key);
    return value != row.end() && value->is_number() ? countText(value->get<qint64>()) : QStringLiteral("–");
}

QString percent(const json& row, const char* key) {
    const auto value = row.find(key);
    if (value == row.end() || !value->is_number()) return QStringLiteral("–");
    return numberText(100 * value->get<double>(), 3) + QStringLiteral(" %");
}

QString lengths(const json& row) {
    const json length = row.value("length", json::object());
    return QStringLiteral("%1 / %2 / %3")
        .arg(count(length, "p50"), count(length, "p95"), count(length, "max"));
}

QString oddLines(const json& row) {
    return countText(row.value("empty_sides", qint64(0)) + row.value("too_long", qint64(0)));
}

/// Lengths one by one from how many there are of each.
std::vector<int> expanded(const json& counts) {
    std::vector<int> lengths;
    for (std::size_t length = 0; length < counts.size(); ++length)
        lengths.insert(lengths.end(), counts[length].get<std::size_t>(), static_cast<int>(length));
    return lengths;
}

QTableWidget* plainTable(const QString& name, const QString& accessibleName) {
    auto* table = new QTableWidget;
    table->setObjectName(name);
    table->setAccessibleName(accessibleName);
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
    auto* label = new QLabel(text);
    label->setProperty("role", "title");
    return label;
}

QLabel* paragraph(const QString& name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->hide();
    return label;
}

}  // namespace

ImportPreview::ImportPreview(QWidget* parent)
    : QWidget(parent),
      numbers_(plainTable(QStringLiteral("import.numbers"), tr("What the check counted, by split"))),
      pairs_(plainTable(QStringLiteral("import.pairs"), tr("The first pairs of each split"))),
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
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(space::kMedium), px(space::kSmall), px(space::kMedium), px(space::kSmall));
    layout->setSpacing(px(space::kSmall));
    layout->addWidget(numbers_);
    layout->addWidget(leaks_);
    layout->addWidget(odd_);
    layout->addWidget(lengthTitle_);
    layout->addWidget(lengths_, 2);
    layout->addWidget(heading(tr("First pairs")));
    layout->addWidget(pairs_, 3);
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
    const bool inPieces = found.value("counted_in", std::string()) == "pieces";
    struct Measure {
        QString title;
        std::function<QString(const json&)> text;
    };
    const auto counted = [](const char* key) { return [key](const json& row) { return count(row, key); }; };
    const auto rate = [](const char* key) { return [key](const json& row) { return percent(row, key); }; };
    const std::vector<Measure> measures = {
        {tr("Pairs"), counted("pairs")},
        {tr("Lines left out"), oddLines},
        {tr("Repeated pairs"), counted("duplicates")},
        {inPieces ? tr("Pieces: median / 95 % / longest") : tr("Words: median / 95 % / longest"), lengths},
        {tr("Unknown pieces (OOV)"), rate("oov_rate")},
        {tr("Longer than %1 pieces: not trained on").arg(found.value("max_length", 0)),
         rate("truncated_rate")},
        {tr("Words that train does not have"), rate("unseen_word_rate")},
        {tr("Pairs sharing a sentence with train"), counted("train_valid_overlap")}};
    numbers_->clear();
    numbers_->setRowCount(static_cast<int>(measures.size()));
    QStringList columns, rows;
    for (const auto& [name, title] : splitNames())
        if (found["splits"].contains(name)) columns << title;
    numbers_->setColumnCount(static_cast<int>(columns.size()));
    for (std::size_t i = 0; i < measures.size(); ++i) {
        rows << measures[i].title;
        int column = 0;
        for (const auto& [name, title] : splitNames()) {
            if (!found["splits"].contains(name)) continue;
            auto* item = new QTableWidgetItem(measures[i].text(found["splits"][name]));
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

void ImportPreview::fillPairs(const json& splits) {
    pairs_->setRowCount(0);
    for (const auto& [name, title] : splitNames()) {
        if (!splits.contains(name)) continue;
        for (const json& pair : splits[name].value("preview", json::array())) {
            const int row = pairs_->rowCount();
            pairs_->insertRow(row);
            pairs_->setItem(row, 0, new QTableWidgetItem(title));
            for (const int side : {0, 1}) {
                const QString text =
                    QString::fromStdString(pair[static_cast<std::size_t>(side)].get<std::string>());
                auto* item = new QTableWidgetItem(text);
                item->setToolTip(plainTip(text));
                pairs_->setItem(row, side + 1, item);
            }
        }
    }
}

void ImportPreview::show(const json& found) {
    const json& splits = found["splits"];
    fillNumbers(found);
    fillPairs(splits);
    const bool inPieces = found.value("counted_in", std::string()) == "pieces";
    // <s> and </s> count in data.max_length.
    lengths_->setUnit(inPieces ? tr("pieces") : tr("words"), inPieces ? found.value("max_length", 2) - 2 : 0);
    lengths_->setLengths(expanded(splits["train"]["source_lengths"]),
                         expanded(splits["train"]["target_lengths"]));
    QStringList shared, odd;
    for (const auto& [name, title] : splitNames()) {
        const json leak = found["leak"].value(name, json::object());
        if (leak.value("pairs", 0) > 0)
            shared << tr("⚠ %1: %2 pairs share a sentence with train, for example “%3”.")
                          .arg(title, countText(leak["pairs"].get<qint64>()),
                               QString::fromStdString(leak["examples"][0].get<std::string>()));
        if (splits.contains(name))
            for (const json& line : splits[name].value("examples", json::array()))
                odd << QString::fromStdString(line.get<std::string>());
    }
    if (const auto removed = found.value("left_out_as_leak", qint64(0)); removed > 0)
        shared << tr("%1 pairs are left out of train: they share a sentence with a split that is cut off.")
                      .arg(countText(removed));
    if (shared.isEmpty() && splits.size() > 1) shared << tr("✓ No sentence of another split is in train.");
    leaks_->setText(shared.join(QLatin1Char('\n')));
    leaks_->setVisible(!shared.isEmpty());
    odd_->setText(tr("Lines left out, the first of each split:\n%1").arg(odd.join(QLatin1Char('\n'))));
    odd_->setVisible(!odd.isEmpty());
}

}  // namespace kurve::views
