#pragma once

#include "views/common/panel.h"
#include "views/schedule/schedule_model.h"

class QLabel;

namespace kurve::views {

class NumberControl;
class ScheduleCharts;
class ScheduleForm;

/// The schedule laboratory: one or two noise schedules with live parameters, their signal, noise and log-SNR,
/// where the sampling steps fall, and at which noise levels the selected run still loses.
class SchedulePanel : public Panel {
    Q_OBJECT
public:
    explicit SchedulePanel(const StudioContext& context, QWidget* parent = nullptr);
    ~SchedulePanel() override;
    [[nodiscard]] bool hasData() const override { return true; }
    [[nodiscard]] QString statement() const override;

private:
    QWidget* buildControls();
    void refresh();
    void watchRun();
    void refreshLoss();

    ScheduleForm *a_, *b_;
    NumberControl* steps_;
    QLabel* facts_;
    ScheduleCharts* charts_;
    ScheduleCurves curves_;
    QString watched_;
};

}  // namespace kurve::views
