#pragma once

#include <QColor>
#include <QWidget>
#include <optional>

#include "views/schedule/schedule_model.h"

class QCPGraph;
class QCustomPlot;

namespace kurve::views {

class PlotCard;

/// Three linked charts of one or two schedules: signal and noise over s, log-SNR over s with the sampling
/// steps, and the noise levels that training draws together with a run's loss there.
class ScheduleCharts : public QWidget {
    Q_OBJECT
public:
    explicit ScheduleCharts(QWidget* parent = nullptr);
    void show(const ScheduleCurves& a, const std::optional<ScheduleCurves>& b);
    void showLoss(const QString& runName, const QColor& color,
                  const NoiseLoss& loss);  ///< empty loss hides it

    [[nodiscard]] static QColor colorA();
    [[nodiscard]] static QColor colorB();

private:
    void addGraphs();
    void restyle();
    void draw();
    void drawSchedule(const ScheduleCurves* curves, int place);
    void fitRanges();
    void updateCaptions();
    void readSignal(double s);
    void readLogSnr(double s);
    void readLoss(double logSnr);
    [[nodiscard]] QStringList keys(const QString& rest) const;

    PlotCard *signal_, *logSnr_, *loss_;
    struct Graphs {
        QCPGraph *signal, *noise, *logSnr, *density, *steps, *stepsLogSnr;
    };
    Graphs graphs_[2]{};
    QCPGraph* lossGraph_ = nullptr;
    std::optional<ScheduleCurves> curves_[2];
    NoiseLoss noiseLoss_;
    QString runName_;
    QColor runColor_;
};

}  // namespace kurve::views
