#include "views/autoencoder/chunk_list_model.h"

#include "views/common/text/format.h"

namespace kurve::views {

void ChunkListModel::setChunks(std::vector<ReconstructedChunk> chunks) {
    const bool same = chunks.size() == chunks_.size() && !chunks.empty();
    if (!same) beginResetModel();
    chunks_ = std::move(chunks);
    if (!same) return endResetModel();
    Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

void ChunkListModel::setEnds(std::array<int, 2> rows) {
    if (rows == ends_) return;
    ends_ = rows;
    if (!chunks_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

QString ChunkListModel::endName(int row) const {
    return row == ends_[0] ? QStringLiteral("A") : row == ends_[1] ? QStringLiteral("B") : QString();
}

int ChunkListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(chunks_.size());
}

QVariant ChunkListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ReconstructedChunk& chunk = chunks_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return QString(chunkText(chunk) + QStringLiteral(" → ") + chunkText(chunk, true));
        case Qt::ToolTipRole:
            return plainTip(description(index.row()));
        case Qt::AccessibleTextRole:
            return description(index.row());
        default:
            return {};
    }
}

QString ChunkListModel::description(int row) const {
    const ReconstructedChunk& chunk = chunks_[static_cast<std::size_t>(row)];
    const QString end = endName(row);
    return tr("Chunk %1%2: “%3”, reconstructed “%4”; %5 of %6 tokens right, mean σ %7")
        .arg(row + 1)
        .arg(end.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(end))
        .arg(chunkText(chunk), chunkText(chunk, true))
        .arg(rightTokens(chunk))
        .arg(countedTokens(chunk))
        .arg(numberText(chunk.sigma, 2));
}

}  // namespace kurve::views
