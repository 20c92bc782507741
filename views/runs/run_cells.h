#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace kurve::views {

/// Names of one project often begin and end alike: a short column shows what tells them from the others in
/// sight of the table.
class NameDelegate : public QStyledItemDelegate {
public:
    explicit NameDelegate(QTableView* table);

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    [[nodiscard]] QStringList inSight(int column) const;

    QTableView* table_;
};

/// A state whose column is too narrow for its word is its sign alone, whole.
class StateDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace kurve::views
