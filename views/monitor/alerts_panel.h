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
    void save();
    void fill();
    void fillRow(int row);
    void addRule();
    void removeSelected();
    void changed(int row, const std::function<void(alerts::Rule&)>& edit);
    QWidget* enabledBox(int row);
    QWidget* kindBox(int row);
    QWidget* metricBox(int row);
    QWidget* amountBox(int row);
    QWidget* actionBox(int row);

    std::vector<alerts::Rule> rules_;
    QTableWidget* table_;
    QLabel *about_, *problem_;
    QPushButton *add_, *remove_;
};

}  // namespace kurve::views
