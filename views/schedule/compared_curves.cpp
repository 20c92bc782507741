#include "views/schedule/compared_curves.h"

#include <QCoreApplication>
#include <array>

#include "views/common/chart/plot_card.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

QColor ComparedCurves::color(std::size_t index) {
    // A and B have the first two; the losses' two come last.
    static constexpr std::array kOrder{5, 3, 4, 2};
    return categoryColor(kOrder[index % kOrder.size()]);
}

void ComparedCurves::addGraphs() {
    const auto graph = [](PlotCard* card) {
        QCPGraph* made = card->plot()->addGraph();
        made->setAdaptiveSampling(false);
        return made;
    };
    graphs_.push_back({graph(signal_), graph(logSnr_), graph(density_)});
}

void ComparedCurves::show(std::vector<ScheduleCurves> curves) {
    curves_ = std::move(curves);
    while (graphs_.size() < curves_.size()) addGraphs();
    const ScheduleCurves none;
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
        const ScheduleCurves& c = i < curves_.size() ? curves_[i] : none;
        const auto set = [&](QCPGraph* graph, const std::vector<double>& x, const std::vector<double>& y,
                             const char* quantity, bool sorted) {
            graph->setData({x.begin(), x.end()}, {y.begin(), y.end()}, sorted);
            graph->setName(QString::fromStdString(c.name) + QLatin1Char(' ') +
                           QCoreApplication::translate("ScheduleCharts", quantity));
        };
        set(graphs_[i].signal, c.s, c.signal, c.masking ? "unmasked" : "alpha", true);
        set(graphs_[i].logSnr, c.snrAt, c.logSnr, "log-SNR", true);
        set(graphs_[i].density, c.density.logSnr, c.density.density, "p", false);
    }
    restyle();
}

void ComparedCurves::restyle() {
    for (std::size_t i = 0; i < graphs_.size(); ++i)
        for (QCPGraph* graph : {graphs_[i].signal, graphs_[i].logSnr, graphs_[i].density})
            graph->setPen(QPen(color(i), 1.1 * theme().scale));
}

QStringList ComparedCurves::keys() const {
    QStringList keys;
    for (std::size_t i = 0; i < curves_.size(); ++i)
        keys << PlotCard::key(color(i), QString::fromStdString(curves_[i].name), kGlyph);
    return keys;
}

}  // namespace kurve::views
