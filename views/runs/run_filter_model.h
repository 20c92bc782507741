#pragma once

#include <QSortFilterProxyModel>

#include "core/store/project.h"

namespace kurve::views {

class RunTableModel;

/// Filters by a store::RunFilter expression; hides trashed runs unless they are shown, and archived runs
/// unless the expression has tag:archived.
class RunFilterModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunFilterModel(RunTableModel* runs, QObject* parent = nullptr);
    /// An error keeps the previous filter.
    Status setExpression(const QString& text);
    [[nodiscard]] const store::RunFilter& expression() const { return filter_; }
    void setTrashShown(bool on);
    [[nodiscard]] bool isTrashShown() const { return trashShown_; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// Numbers before texts, missing values last in either order.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    store::RunFilter filter_;
    bool trashShown_ = false;
};

}  // namespace kurve::views
