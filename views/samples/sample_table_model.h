#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/store/run_reader.h"

namespace kurve::views {

/// The fixed prompts of a run at one evaluation: input, output, reference.
class SampleTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Input, Output, Reference, Columns };
    enum Role { HtmlRole = Qt::UserRole, TraceRole, StepRole };
    using QAbstractTableModel::QAbstractTableModel;
    void setRows(std::vector<store::SampleRow> rows);
    [[nodiscard]] const std::vector<store::SampleRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<store::SampleRow> rows_;
};

}  // namespace kurve::views
