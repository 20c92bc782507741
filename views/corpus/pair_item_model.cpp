#include "views/corpus/pair_item_model.h"

#include <algorithm>

#include "views/common/text/format.h"

namespace kurve::views {

namespace {

QString textOf(const std::string& text, int role) {
    const QString shown = QString::fromStdString(text);
    return role == Qt::ToolTipRole ? plainTip(shown) : shown;
}

}  // namespace

void PairItemModel::setCorpus(std::shared_ptr<const BrowsedCorpus> corpus) {
    beginResetModel();
    corpus_ = std::move(corpus);
    endResetModel();
}

int PairItemModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !corpus_) return 0;
    return static_cast<int>(std::min<std::size_t>(corpus_->corpus.pairs.size(), kMaxRows));
}

int PairItemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PairItemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto row = static_cast<std::size_t>(index.row());
    if (role == Qt::TextAlignmentRole && index.column() != Source && index.column() != Target)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const text::Pair& pair = corpus_->corpus.pairs[row];
    switch (index.column()) {
        case Number:
            return index.row() + 1;
        case Source:
            return textOf(pair.source, role);
        case Target:
            return textOf(pair.target, role);
        case SourceWords:
            return corpus_->texts ? QVariant() : QVariant(corpus_->sourceWords[row]);
        case TargetWords:
            return corpus_->targetWords[row];
        default:
            return {};
    }
}

QVariant PairItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const kTitles[] = {"#", "Source", "Target", "In", "Out"};
    if (corpus_ && corpus_->texts && orientation == Qt::Horizontal && role == Qt::DisplayRole) {
        if (section == Target) return QStringLiteral("Text");
        if (section == TargetWords) return QStringLiteral("Words");
    }
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(QString::fromLatin1(kTitles[section])) : QVariant();
}

}  // namespace kurve::views
