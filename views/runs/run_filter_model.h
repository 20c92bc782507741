#pragma once

#include <QSortFilterProxyModel>

#include "core/store/project.h"

namespace kurve::views {

class RunTableModel;

/// Filters by a store::RunFilter expression and hides the trash unless asked, and archived runs unless the
/// expression has tag:archived.
class RunFilterModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunFilterModel(RunTableModel* runs, QObject* parent = nullptr);
    /// An error leaves the former filter in force.
    Status setExpression(const QString& text);
    [[nodiscard]] const store::RunFilter& expression() const { return filter_; }
    void setTrashShown(bool on);
    [[nodiscard]] bool isTrashShown() const { return trashShown_; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// Numbers before texts, and what has neither behind all, whichever way is up.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    store::RunFilter filter_;
    bool trashShown_ = false;
};

}  // namespace kurve::views
