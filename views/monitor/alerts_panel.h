#pragma once

#include <functional>

#include "core/alerts/alert_rules.h"
#include "views/common/shell/panel.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace kurve::views {

/// The project's alert rules as a table: if this happens, do that.
class AlertsPanel : public Panel {
    Q_OBJECT
public:
    explicit AlertsPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;

private:
    void showProblem();
    [[nodiscard]] const std::vector<alerts::Rule>& rules() const;
    void fill();
    void fillRow(int row);
    void addRule();
    void removeSelected();
    void changed(int row, const std::function<void(alerts::Rule&)>& edit);
    /// What stores a new value of a cell.
    template <class Value>
    auto setterOf(Value alerts::Rule::*part, int row);
    QWidget* enabledBox(int row, const alerts::Rule& rule);
    QWidget* kindBox(int row, const alerts::Rule& rule);
    QWidget* metricBox(int row, const alerts::Rule& rule);
    QWidget* amountBox(int row, const alerts::Rule& rule);
    QWidget* actionBox(int row, const alerts::Rule& rule);

    QTableWidget* table_;
    QLabel *about_, *problem_;
    QPushButton *add_, *remove_;
};

}  // namespace kurve::views
