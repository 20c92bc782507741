#pragma once

#include <QAbstractListModel>
#include <array>
#include <vector>

#include "views/autoencoder/reconstruction.h"

namespace kurve::views {

/// The chunks of a text in order, and which two of them are the ends A and B of an interpolation.
class ChunkListModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    /// As many chunks as before: rows and selection stay.
    void setChunks(std::vector<ReconstructedChunk> chunks);
    [[nodiscard]] const std::vector<ReconstructedChunk>& chunks() const { return chunks_; }
    void setEnds(std::array<int, 2> rows);  ///< -1: none
    /// "A", "B" or neither.
    [[nodiscard]] QString endName(int row) const;
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString description(int row) const;

    std::vector<ReconstructedChunk> chunks_;
    std::array<int, 2> ends_{-1, -1};
};

}  // namespace kurve::views
