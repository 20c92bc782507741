#pragma once

#include <QStyledItemDelegate>

namespace kurve::views {

/// Draws the rich text that a model gives in a role, wrapped to the column's width, on the cell's normal
/// background. For a QTableView, whose rows it gives their heights.
class RichTextDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    RichTextDelegate(int role, QObject* parent) : QStyledItemDelegate(parent), role_(role) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int role_;
};

}  // namespace kurve::views
