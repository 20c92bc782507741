#pragma once

#include <functional>
#include <optional>

#include "core/schedule/drawn_schedule.h"
#include "core/schedule/lab_schedule.h"
#include "core/schedule/schedule_curves.h"
#include "views/common/data/background.h"
#include "views/common/shell/panel.h"
#include "views/schedule/history.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace kurve::views {

class ComparedSchedules;
class EffectStrip;
class InvariantList;
class LabRuns;
class PointEditor;
class ScheduleCharts;
class ScheduleForm;
class UseForm;

/// The schedule laboratory: one or two noise schedules, given by their parameters or drawn by points that can
/// be dragged in four linked charts, and further ones to compare with them; the conditions of a valid
/// schedule; where training draws and sampling steps; at which noise levels the selected run still loses.
class SchedulePanel : public Panel {
    Q_OBJECT
public:
    explicit SchedulePanel(const StudioContext& context, QWidget* parent = nullptr);
    ~SchedulePanel() override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] const schedule::LabSchedule& scheduleA() const { return state_.a; }
    /// A as training with uniform times would draw the same levels: what is saved and used. Errors:
    /// schedule.points.
    [[nodiscard]] Result<schedule::LabSchedule> trained() const;

    /// All schedules with their use, for the next start. changed() tells when to ask.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& json) override;

    void undo();
    void redo();
    void drawByPoints();  ///< A as points, as few as follow it
    void proposeFlat();
    void save(const QString& name);  ///< A as schedules/NAME.toml

private:
    /// What undo goes back to.
    struct State {
        schedule::LabSchedule a;
        schedule::TimeDensity times;
        schedule::WeightPoints weights;
    };
    QWidget* buildControls();
    QWidget* buildProposal();
    void buildActions(QVBoxLayout* column);
    void connectForms();
    void connectPoints();
    void addCommands();
    void addButtonCommands();
    void showRefusals();
    /// A step that can be undone; those with one tag in a row are one.
    void edit(const std::function<void(State&)>& change, const QString& tag = {});
    void redraw(const schedule::FreeCurve& curve, const schedule::FreeSettings& settings,
                const QString& tag = {});
    void setState(const State& state);
    void refresh();
    void listFiles();
    void openFile(ScheduleForm* form, const QString& name);
    void compareFile(const QString& name);
    void swap();
    void startDrag(schedule::Pane pane, std::size_t index);
    void drag(double x, double y);
    void addPointAt(double time);
    void applyProposal(bool take);
    void useInDraft();
    void sampleWith();
    void exportTo(const QString& kind);
    void writeExport(const QString& kind, const QString& file);
    void report(const QString& text) { Q_EMIT statusMessage(text); }
    [[nodiscard]] schedule::DrawnSchedule drawn() const;

    State state_;
    History<State> history_;
    schedule::LabSchedule b_;
    int selected_ = -1;
    struct Drag {
        schedule::DrawnSchedule start;
        schedule::Pane pane = schedule::Pane::LogSnr;
        std::size_t index = 0;
        QString tag;
    };
    std::optional<Drag> drag_;
    int drags_ = 0;

    ScheduleForm *formA_, *formB_;
    ComparedSchedules* compared_;
    UseForm* use_;
    PointEditor* points_;
    InvariantList* invariants_;
    QPushButton *toPoints_, *flatten_;
    QLineEdit* name_ = nullptr;
    QLabel *facts_, *difference_ = nullptr;
    QWidget* proposalBar_ = nullptr;
    EffectStrip* effect_;
    ScheduleCharts* charts_;
    schedule::ScheduleCurves curves_;
    std::optional<schedule::FreeCurve> proposal_;
    LabRuns* runs_;
    QString replaced_;
    Background saving_{JobKind::Write}, exporting_{JobKind::Write};
};

}  // namespace kurve::views
