#pragma once

#include <QObject>
#include <QPoint>
#include <QString>

#include "views/runs/run_columns.h"
#include "views/runs/run_groups.h"

namespace kurve::views {

class ChoiceList;
class RunTable;
class RunTableModel;

/// Chooses the columns of the run list (every metric and setting of the runs and their families, and the
/// fixed columns) in a searchable list; and the context menu of a header.
class ColumnChooser : public QObject {
    Q_OBJECT
public:
    ColumnChooser(RunTableModel* model, RunTable* table);
    /// For titles and the settings of families; null: only what the runs contain.
    void setEngine(const EngineInfo* engine);
    void open();
    void openMenu(const QString& columnId, const QPoint& globalPosition);
    void set(const QString& columnId, bool on);
    void resetColumns();
    void group(RunGroupBy by);
    [[nodiscard]] ChoiceList* list() const { return list_; }

Q_SIGNALS:
    void changed();  ///< columns or groups: the table is reset

private:
    void fill();

    RunTableModel* model_;
    RunTable* table_;
    ChoiceList* list_;
    const EngineInfo* engine_ = nullptr;
};

}  // namespace kurve::views
