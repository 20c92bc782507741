#pragma once

#include <QObject>
#include <QPoint>
#include <QString>
#include <vector>

#include "views/runs/run_columns.h"

class QMenu;

namespace kurve::views {

class ChoiceList;
class RunTable;
class RunTableModel;

/// Which columns the run list has: every metric and every setting of the runs and their families, and the
/// fixed ones, in a list that one searches; and the menu of a header.
class ColumnChooser : public QObject {
    Q_OBJECT
public:
    ColumnChooser(RunTableModel* model, RunTable* table);
    /// For titles and the settings of families; null: only what the runs tell.
    void setEngine(const EngineInfo* engine);
    void open();
    void openMenu(const QString& columnId, const QPoint& globalPlace);
    void set(const QString& columnId, bool on);
    void takeUsual();
    [[nodiscard]] ChoiceList* list() const { return list_; }

Q_SIGNALS:
    /// Around a change of columns, which resets the table: the selection must be kept over it.
    void aboutToChange();
    void changed();

private:
    void fill();

    RunTableModel* model_;
    RunTable* table_;
    ChoiceList* list_;
    const EngineInfo* engine_ = nullptr;
};

}  // namespace kurve::views
