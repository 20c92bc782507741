#include "views/candidates/candidate_model.h"

#include <QFont>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metrics/metric.h"
#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/common/text/word_diff.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr std::int64_t kUnknown = -1;  ///< length of an output without candidates

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
    beginResetModel();
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
    if (!reference_.isEmpty())
        for (Row& row : rows_) {
            row.bleu = metrics::sentenceBleu(row.text.toStdString(), reference_.toStdString());
            row.chrf = metrics::sentenceChrf(row.text.toStdString(), reference_.toStdString());
        }
    endResetModel();
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

int CandidateModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CandidateModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
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
            return row.bleu;
        case Chrf:
            return row.chrf;
        case Text:
            return row.text;
    }
    return {};
}

QString CandidateModel::tip(const Row& row) const {
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

QVariant CandidateModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const Column column = columns_[static_cast<std::size_t>(index.column())];
    const QVariant value = shown(row, column);
    switch (role) {
        case kExportRole:
            return value;
        case HtmlRole:
            return column == Text ? html(row) : QString();
        case Qt::ToolTipRole:
            return tip(row);
        case Qt::TextAlignmentRole:
            return column == Text ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    if (column == RankA || column == RankB) {
        const auto& side = column == RankA ? row.a : row.b;
        if (!side) return QStringLiteral("–");
        return side->selected ? QStringLiteral("✔ %1").arg(side->rank) : QString::number(side->rank);
    }
    if (!value.isValid()) return QStringLiteral("–");
    if (column == ScoreA || column == ScoreB) return numberText(value.toDouble(), 4);
    if (column == Bleu || column == Chrf) return QString::number(value.toDouble(), 'f', 1);
    return value.toString();
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column column = columns_[static_cast<std::size_t>(section)];
    const bool alone = shownAt(RankB) < 0;
    switch (role) {
        case Qt::TextAlignmentRole:
            return column == Text ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                  : QVariant(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            if (column == RankA || column == RankB)
                return tr("rank by the selector's score; ✔: the text of this trace");
            if (column == ScoreA || column == ScoreB)
                return tr("the selector's score, higher is better; not comparable between selectors");
            if (column == Bleu || column == Chrf) return tr("sentence score against the reference");
            return {};
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    static const QStringList kTitles{tr("A"),      tr("score A"), tr("B"),    tr("score B"),
                                     tr("tokens"), tr("BLEU"),    tr("chrF"), tr("Text")};
    if (alone && column == RankA) return tr("rank");
    if (alone && column == ScoreA) return tr("score");
    return kTitles[column];
}

}  // namespace kurve::views
