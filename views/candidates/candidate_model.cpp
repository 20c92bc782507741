#include "views/candidates/candidate_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metrics/metric.h"
#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/common/text/word_diff.h"
#include "views/common/theme/theme.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

constexpr std::int64_t kUnknown = -1;  ///< length of an output without candidates

Qt::Alignment alignmentOf(CandidateModel::Column column) {
    return (column == CandidateModel::Text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

/// For each word of `to` whether `from` does not have it there.
std::vector<bool> newWords(const QString& from, const QString& to) {
    std::vector<bool> marks;
    for (const DiffPart& part : wordDiff(from, to)) {
        if (part.kind == DiffPart::Kind::Removed) continue;
        const auto words = part.text.split(QLatin1Char(' '), Qt::SkipEmptyParts).size();
        marks.insert(marks.end(), static_cast<std::size_t>(words), part.kind == DiffPart::Kind::Added);
    }
    return marks;
}

}  // namespace

CandidateModel::CandidateModel(QObject* parent) : QStandardItemModel(parent) {
    onThemeChange(this, &CandidateModel::markTexts);
}

std::vector<CandidateModel::Side> CandidateModel::sidesOf(const trace::Trace* maybeTrace) {
    std::vector<Side> sides;
    if (maybeTrace == nullptr) return sides;
    auto candidates = trace::candidatesOf(*maybeTrace);
    if (const std::string output = maybeTrace->metaText("output"); candidates.empty() && !output.empty())
        candidates.push_back({output, std::numeric_limits<double>::quiet_NaN(), 0, kUnknown});
    for (const auto& one : candidates) {
        const auto better = std::count_if(candidates.begin(), candidates.end(),
                                          [&](const auto& other) { return other.score > one.score; });
        sides.push_back({one, static_cast<int>(better) + 1, sides.empty()});
    }
    return sides;
}

void CandidateModel::setTraces(std::shared_ptr<const trace::Trace> a, std::shared_ptr<const trace::Trace> b) {
    rows_.clear();
    for (Side& side : sidesOf(a.get()))
        rows_.push_back({QString::fromStdString(side.candidate.text), std::move(side), {}});
    const bool compared = !rows_.empty() && b != nullptr;
    bool anyB = false;
    for (Side& side : compared ? sidesOf(b.get()) : std::vector<Side>()) {
        anyB = true;
        const QString text = QString::fromStdString(side.candidate.text);
        const auto same =
            std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.text == text && !r.b; });
        if (same != rows_.end())
            same->b = std::move(side);
        else
            rows_.push_back({text, {}, std::move(side)});
    }
    selected_ = rows_.empty() ? QString() : rows_.front().text;
    reference_ = a == nullptr ? QString() : QString::fromStdString(a->metaText("reference")).simplified();
    columns_ = {RankA, ScoreA};
    if (anyB) columns_.insert(columns_.end(), {RankB, ScoreB});
    columns_.push_back(Tokens);
    if (!reference_.isEmpty()) columns_.insert(columns_.end(), {Bleu, Chrf});
    columns_.push_back(Text);
    clear();
    for (const Column column : columns_) setHorizontalHeaderItem(columnCount(), headOf(column));
    for (const Row& row : rows_) {
        QList<QStandardItem*> items;
        for (const Column column : columns_) items << itemOf(row, column);
        appendRow(items);
    }
    markTexts();
}

void CandidateModel::markTexts() {
    for (int row = 0; row < rowCount(); ++row)
        item(row, shownAt(Text))->setData(html(rows_[static_cast<std::size_t>(row)]), HtmlRole);
}

int CandidateModel::shownAt(Column column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

std::optional<CandidateModel::BeamIndex> CandidateModel::beamIndex(int row) const {
    if (row < 0 || row >= rowCount()) return std::nullopt;
    const Row& one = rows_[static_cast<std::size_t>(row)];
    return BeamIndex{!one.a, one.first().candidate.number};
}

/// Numbers as numbers; empty where a side does not have the text.
QVariant CandidateModel::shown(const Row& row, Column column) const {
    const auto& side = column == RankB || column == ScoreB ? row.b : row.a;
    switch (column) {
        case RankA:
        case RankB:
            return side ? QVariant(side->rank) : QVariant();
        case ScoreA:
        case ScoreB:
            return side && std::isfinite(side->candidate.score) ? QVariant(side->candidate.score)
                                                                : QVariant();
        case Tokens:
            return row.first().candidate.tokens == kUnknown
                       ? QVariant()
                       : QVariant(static_cast<qlonglong>(row.first().candidate.tokens));
        case Bleu:
            return metrics::sentenceBleu(row.text.toStdString(), reference_.toStdString());
        case Chrf:
            return metrics::sentenceChrf(row.text.toStdString(), reference_.toStdString());
        case Text:
            return row.text;
    }
    return {};
}

QString CandidateModel::tipOf(const Row& row) {
    QStringList lines{row.text};
    const auto add = [&](const std::optional<Side>& side, const QString& name) {
        if (!side) return;
        const bool scored = std::isfinite(side->candidate.score);
        if (side->candidate.tokens == kUnknown) {
            lines << tr("%1: the only candidate").arg(name);
            return;
        }
        QString line = tr("%1: beam index %2, ").arg(name).arg(side->candidate.number);
        line += scored ? tr("score %1").arg(numberText(side->candidate.score, 6))
                       : tr("not scored by the selector");
        lines << (side->selected ? tr("%1, selected").arg(line) : line);
    };
    add(row.a, QStringLiteral("A"));
    add(row.b, QStringLiteral("B"));
    return lines.join(QLatin1Char('\n'));
}

QString CandidateModel::html(const Row& row) const {
    if (row.text.trimmed().isEmpty())
        return QStringLiteral("<i style=\"color:%1\">%2</i>").arg(theme().faint.name(), tr("(empty)"));
    const std::vector<bool> other = newWords(selected_, row.text), wrong = newWords(reference_, row.text);
    const QStringList words = row.text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QStringList parts;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        QString style;
        if (other[at]) style += QStringLiteral("background:%1;").arg(theme().added.name());
        if (!reference_.isEmpty() && wrong[at]) style += QStringLiteral("text-decoration:underline;");
        parts << (style.isEmpty()
                      ? words[i].toHtmlEscaped()
                      : QStringLiteral("<span style=\"%1\">%2</span>").arg(style, words[i].toHtmlEscaped()));
    }
    const QString text = parts.join(QLatin1Char(' '));
    return row.a && row.a->selected ? QStringLiteral("<b>%1</b>").arg(text) : text;
}

QStandardItem* CandidateModel::itemOf(const Row& row, Column column) const {
    const QVariant value = shown(row, column);
    const auto& side = column == RankB ? row.b : row.a;
    QString text = value.isValid() ? value.toString() : QStringLiteral("–");
    if (value.isValid() && (column == RankA || column == RankB))
        text = side->selected ? QStringLiteral("✔ %1").arg(side->rank) : QString::number(side->rank);
    else if (value.isValid() && (column == ScoreA || column == ScoreB))
        text = numberText(value.toDouble(), 4);
    else if (column == Bleu || column == Chrf)
        text = QString::number(value.toDouble(), 'f', 1);
    auto* item = new QStandardItem(text);
    item->setData(value, kExportRole);
    item->setToolTip(tipOf(row));
    item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
    item->setTextAlignment(alignmentOf(column));
    return item;
}

QStandardItem* CandidateModel::headOf(Column column) const {
    const QString rank = tr("rank by the selector's score; ✔: the text of this trace"),
                  score = tr("the selector's score, higher is better; not comparable between selectors"),
                  metric = tr("sentence score against the reference");
    const bool alone = shownAt(RankB) < 0;
    const std::pair<QString, QString> heads[] = {{alone ? tr("rank") : tr("A"), rank},
                                                 {alone ? tr("score") : tr("score A"), score},
                                                 {tr("B"), rank},
                                                 {tr("score B"), score},
                                                 {tr("tokens"), {}},
                                                 {tr("BLEU"), metric},
                                                 {tr("chrF"), metric},
                                                 {tr("Text"), {}}};
    auto* head = new QStandardItem(heads[column].first);
    head->setToolTip(heads[column].second);
    head->setTextAlignment(alignmentOf(column));
    return head;
}

}  // namespace kurve::views
