#pragma once

#include <QAbstractItemView>
#include <QStyledItemDelegate>

namespace kurve::views {

/// Elides the names of runs in the middle so that they stay distinguishable from the other visible names.
class NameDelegate : public QStyledItemDelegate {
public:
    explicit NameDelegate(QAbstractItemView* view);

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    [[nodiscard]] QStringList visibleNames(int column) const;

    QAbstractItemView* view_;
};

/// Shows the state glyph alone where the column is too narrow for its word.
class StateDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace kurve::views
