#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <vector>

#include "views/schedule/schedule_model.h"

class QCPGraph;

namespace kurve::views {

class PlotCard;

/// Further schedules in the charts of A and B, thinner than these: signal, log-SNR and p(log-SNR).
class ComparedCurves {
public:
    static inline const QString kGlyph = QStringLiteral("─");
    ComparedCurves(PlotCard* signal, PlotCard* logSnr, PlotCard* density)
        : signal_(signal), logSnr_(logSnr), density_(density) {}
    void show(std::vector<ScheduleCurves> curves);
    void restyle();
    [[nodiscard]] const std::vector<ScheduleCurves>& curves() const { return curves_; }
    [[nodiscard]] QStringList keys() const;  ///< for the charts' captions
    /// Of number `index`: not one of A and B.
    [[nodiscard]] static QColor color(std::size_t index);

private:
    struct Graphs {
        QCPGraph *signal, *logSnr, *density;
    };
    void addGraphs();

    PlotCard *signal_, *logSnr_, *density_;
    std::vector<ScheduleCurves> curves_;
    std::vector<Graphs> graphs_;
};

}  // namespace kurve::views
