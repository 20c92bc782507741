#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "views/corpus/corpus_loader.h"

namespace kurve::views {

/// The vocabulary of a tokenizer: id, token (a blank is drawn as ▁) and its count in the training text.
class VocabularyItemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Id, Token, Count, Role, ColumnCount };

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
