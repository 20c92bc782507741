#pragma once

#include <QWidget>

#include "views/common/shell/panel.h"
#include "views/compare/group_table.h"
#include "views/compare/run_columns_table.h"

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace kurve::views {

class ElidedLabel;

/// Final metrics of the compared runs, last or best: a column for each run, or a row for each group.
class FinalMetrics : public QWidget {
    Q_OBJECT
public:
    explicit FinalMetrics(const StudioContext& context);
    void setRuns(const std::vector<ComparedRun>& runs, const RunGrouping& grouping);
    [[nodiscard]] RunColumnsTable& runTable() const { return *table_; }
    [[nodiscard]] GroupTable& groups() const { return *groups_; }
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void valuesChosen();   ///< setRuns() now
    void choiceChanged();  ///< save() differs

private:
    StudioContext context_;
    RunColumnsTable* table_;
    GroupTable* groups_;
    QStackedWidget* shown_;
    ElidedLabel* against_;
    QComboBox* values_;
    QPushButton* columns_;
};

}  // namespace kurve::views
