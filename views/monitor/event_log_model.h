#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "core/store/run_reader.h"

namespace kurve::views {

/// Log lines and event marks of one run in order of time.
class EventLogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Step, Kind, Text, Columns };
    enum Role { StepRole = Qt::UserRole };
    using QAbstractTableModel::QAbstractTableModel;
    /// Rows that continue what is shown are appended; anything else replaces it.
    void setRows(const GrowingList<store::EventRow>& log, const GrowingList<store::EventRow>& events);
    void clear() { setRows({}, {}); }
    [[nodiscard]] int rowAtStep(qint64 step) const;  ///< last row at or before the step; -1 if none

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<store::EventRow> rows_;
};

}  // namespace kurve::views
