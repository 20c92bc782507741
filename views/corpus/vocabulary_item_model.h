#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "views/corpus/corpus_loader.h"

namespace kurve::views {

/// The pieces of a tokenizer: id, piece (a blank is drawn as ▁) and how often the training text has it.
class VocabularyItemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Id, Piece, Count, Role, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setVocabulary(std::shared_ptr<const BrowsedVocabulary> vocabulary);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const BrowsedVocabulary> vocabulary_;
};

}  // namespace kurve::views
