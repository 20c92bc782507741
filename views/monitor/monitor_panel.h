#pragma once

#include <map>
#include <memory>
#include <set>

#include "views/common/panel.h"
#include "views/common/run_catalog.h"

class QComboBox;
class QGridLayout;
class QPushButton;
class QSlider;
class QStackedLayout;

namespace kurve::views {

class EmptyState;
class LineChart;
class RidgeCard;
struct CurveLook;

/// The step of the checkpoint that a forked run began from; -1 if it is no fork.
[[nodiscard]] std::int64_t forkStepOf(const RunData& data);

/// Charts of the selected runs, live: losses, quality with the line of copying the source, gradient norm,
/// learning rate, loss against noise level, throughput; below them the log. All charts share the playhead and
/// their zoom.
class MonitorPanel : public Panel {
    Q_OBJECT
public:
    explicit MonitorPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    [[nodiscard]] LineChart* chart(const QString& id) const;

Q_SIGNALS:
    void startRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class KeyAxis : unsigned char { Step, Time };
    struct Place {
        QString id;
        std::vector<std::string> metrics;
        LineChart* chart = nullptr;
    };
    /// x of one curve, kept so that a live update costs only its new points.
    struct Keys {
        std::shared_ptr<const store::Series> seen;
        KeyAxis axis = KeyAxis::Step;
        std::vector<double> x;
    };
    QWidget* buildBar();
    void buildCharts();
    void registerCommands();
    void addChart(const QString& id, const QString& title, std::vector<std::string> metrics);
    void arrange();
    void takeSelection();
    void takeData(const QString& runId);
    void updateChart(const Place& place);
    void updateNoiseChart();
    void updateRidges();
    void updateMarks();
    void updatePlayhead();
    void updateEmpty();
    void offerMetrics();
    void chartClicked(double x);
    [[nodiscard]] const std::vector<double>& keys(const QString& runId, const std::string& metric,
                                                  const std::shared_ptr<const store::Series>& series);
    [[nodiscard]] double startOf(const QString& runId) const;
    [[nodiscard]] LineChart* focusedChart() const;

    void watchParents();
    [[nodiscard]] QString parentOf(const QString& runId) const;
    /// Dim curves of what came before: the parent up to the fork, abandoned attempts if they are wanted.
    QStringList addHistory(const Place& place, const QString& run, const RunData& data);
    void addCurve(const Place& place, const QString& id, const CurveLook& look, const store::Series& points,
                  double start);

    QStringList runs_, parents_;
    bool scalesChosen_ = false;
    int columns_ = 0;
    std::vector<Place> places_;
    std::map<std::pair<QString, std::string>, Keys> keys_;
    KeyAxis axis_ = KeyAxis::Step;
    QStackedLayout* stack_;
    EmptyState* empty_;
    QWidget* charts_;
    QGridLayout* grid_;
    LineChart* noise_ = nullptr;
    RidgeCard* ridges_ = nullptr;
    QComboBox *axisBox_, *addBox_;
    QSlider* smoothing_;
    QPushButton *linkZoom_, *earlier_;
};

}  // namespace kurve::views
