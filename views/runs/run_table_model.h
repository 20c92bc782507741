#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "core/store/project.h"

namespace kurve::views {

/// The runs of the catalog as a table. A refresh that keeps the same runs in the same order changes cells
/// only, so selection and scroll position stay; new runs are inserted.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Star, Name, State, Step, Started, Family, FirstMetric };
    enum Role { IdRole = Qt::UserRole, SortRole, TrashedRole, ProgressRole, StateRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setRuns(const std::vector<store::RunSummary>& runs);
    /// Runs that no chart draws: faint, with an empty sign.
    void setHidden(const QStringList& ids);
    [[nodiscard]] const store::RunSummary* at(int row) const;
    [[nodiscard]] int rowOf(const QString& id) const;  ///< -1 if there is no such run
    [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void renameRequested(const QString& id, const QString& name);

private:
    [[nodiscard]] QVariant text(const store::RunSummary& run, int column) const;
    [[nodiscard]] QVariant exportValue(const store::RunSummary& run, int column) const;
    [[nodiscard]] QVariant sortKey(const store::RunSummary& run, int column) const;
    [[nodiscard]] QString tip(const store::RunSummary& run) const;
    void setMetrics(const std::vector<store::RunSummary>& runs);

    std::vector<store::RunSummary> runs_;
    QStringList hidden_;
    std::vector<std::string> metrics_;  ///< columns after the fixed ones
};

}  // namespace kurve::views
