#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "views/corpus/corpus_loader.h"

namespace kurve::views {

/// The pairs of a split: number, source, target and their lengths in words.
class PairItemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Number, Source, Target, SourceWords, TargetWords, ColumnCount };
    static constexpr int kMaxRows = 200000;  ///< filtered without a noticeable delay

    using QAbstractTableModel::QAbstractTableModel;
    void setCorpus(std::shared_ptr<const BrowsedCorpus> corpus);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const BrowsedCorpus> corpus_;
};

}  // namespace kurve::views
