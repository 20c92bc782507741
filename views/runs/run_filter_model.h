#pragma once

#include <QHash>
#include <QSet>
#include <QSortFilterProxyModel>
#include <optional>

#include "core/store/project.h"

namespace kurve::views {

class RunTableModel;

/// Filters by a store::RunFilter expression; hides trashed runs unless they are shown, and archived runs
/// unless the expression has tag:archived. Where the runs are grouped, each group begins with its row, which
/// is there while it has a matching run, counts those, and can be folded.
class RunFilterModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunFilterModel(RunTableModel* runs, QObject* parent = nullptr);
    /// An error keeps the previous filter.
    Status setExpression(const QString& text);
    [[nodiscard]] const store::RunFilter& expression() const { return filter_; }
    void setTrashShown(bool on);
    [[nodiscard]] bool isTrashShown() const { return trashShown_; }
    /// The runs that match, also those in folded groups.
    [[nodiscard]] int matchCount() const;
    /// The group whose row this is, folded or unfolded; nothing for the row of a run.
    void toggleGroup(const QModelIndex& row);
    /// The keys of the folded groups.
    void setFolded(const QStringList& groups);
    [[nodiscard]] QStringList folded() const { return {folded_.begin(), folded_.end()}; }
    QVariant data(const QModelIndex& index, int role) const override;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// Numbers before texts, missing values last in either order.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    [[nodiscard]] const RunTableModel& runs() const;
    [[nodiscard]] bool matches(const store::RunSummary& run) const;
    /// How many runs of each group match; not the groups without one.
    [[nodiscard]] const QHash<QString, int>& matching() const;
    void filterAgain();

    mutable std::optional<QHash<QString, int>> matching_;  ///< empty after a change of the runs or the filter
    QSet<QString> folded_;
    store::RunFilter filter_;
    bool trashShown_ = false;
};

}  // namespace kurve::views
