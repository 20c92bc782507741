#pragma once

#include <QStyledItemDelegate>

namespace kurve::views {

/// A chunk of a ChunkListModel as a cell: its tokens, below them the reconstructed ones, of which the wrong
/// are underlined and in the colour of errors, and its sigma. </s> and <pad> are dimmed.
class ChunkDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace kurve::views
