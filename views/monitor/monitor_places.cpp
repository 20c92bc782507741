// Which charts the monitor shows: those that can have points, and what another program logged by names of
// its own.
#include <algorithm>
#include <array>
#include <set>

#include "views/common/imported_run.h"
#include "views/common/line_chart.h"
#include "views/common/run_ranking.h"
#include "views/monitor/chart_grid.h"
#include "views/monitor/monitor_panel.h"
#include "views/monitor/noise_chart.h"
#include "views/monitor/ridge_card.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMostForeign = 12;  ///< others are a click away, under "Add chart…"
constexpr std::ptrdiff_t kNoisePlace = 5;
constexpr QLatin1String kKeyScale("x"), kValueScale("y"), kRange("range");
constexpr std::array kEnds{"completed", "cancelled", "failed", "crashed", "damaged"};

/// Nothing will be logged any more. A run that the list does not know yet has just begun.
bool isOver(const store::RunSummary* maybeRun) {
    return maybeRun != nullptr && std::find(kEnds.begin(), kEnds.end(), maybeRun->state) != kEnds.end();
}

}  // namespace

std::vector<std::string> MonitorPanel::foreignMetrics() const {
    std::set<std::string> names;
    for (const QString& run : drawnRuns())
        if (const auto data = context().catalog->data(run); data && isImported(*data))
            for (const auto& [name, series] : data->series) names.insert(name);
    for (const Place& place : places_)
        if (!place.foreign)
            for (const std::string& metric : place.metrics) names.erase(metric);
    for (const QString& id : removedForeign_) names.erase(id.toStdString());
    auto metrics = qualityFirst({names.begin(), names.end()});
    metrics.resize(std::min(metrics.size(), kMostForeign));
    return metrics;
}

QJsonObject MonitorPanel::foreignLooks() const {
    QJsonObject looks = foreignLooks_;
    for (const Place& place : places_) {
        if (!place.foreign) continue;
        const auto key = place.chart->keyScale(), value = place.chart->valueScale();
        const QJsonObject range = place.chart->saveRange();
        looks.remove(place.id);
        if (key == LineChart::Scale::Linear && value == LineChart::Scale::Linear && range.isEmpty()) continue;
        looks.insert(place.id, QJsonObject{{kKeyScale, static_cast<int>(key)},
                                           {kValueScale, static_cast<int>(value)},
                                           {kRange, range}});
    }
    return looks;
}

void MonitorPanel::giveForeignLooks() {
    for (const Place& place : places_) {
        const QJsonObject look = foreignLooks_.value(place.id).toObject();
        if (!place.foreign || look.isEmpty()) continue;
        place.chart->setKeyScale(static_cast<LineChart::Scale>(look.value(kKeyScale).toInt() % 3));
        place.chart->setValueScale(static_cast<LineChart::Scale>(look.value(kValueScale).toInt() % 3));
        place.chart->restoreRange(look.value(kRange).toObject());
    }
}

void MonitorPanel::followForeign() {
    const std::vector<std::string> wanted = foreignMetrics();
    std::vector<std::string> present;
    for (const Place& place : places_)
        if (place.foreign) present.push_back(place.metrics.front());
    if (wanted == present) return;
    foreignLooks_ = foreignLooks();
    for (const Place& place : places_)
        if (place.foreign) {
            place.chart->hide();
            place.chart->deleteLater();
        }
    places_.erase(std::remove_if(places_.begin(), places_.end(), [](const Place& p) { return p.foreign; }),
                  places_.end());
    for (const std::string& metric : wanted) {
        const QString id = QString::fromStdString(metric);
        addChart(id, id, {metric});
        places_.back().foreign = true;
    }
    engineInfoChanged();
    giveForeignLooks();
    applyKeyLimits();
    updateMarks();
    updatePlayhead();
}

void MonitorPanel::arrange() {
    const QStringList runs = drawnRuns();
    const bool awaited = std::any_of(runs.begin(), runs.end(), [this](const QString& run) {
        return !isOver(context().catalog->run(run));
    });
    std::vector<QWidget*> charts;
    for (const Place& place : places_)
        if (awaited || place.chart->hasData()) charts.push_back(place.chart);
    if (charts.empty())
        for (const Place& place : places_) charts.push_back(place.chart);
    const auto data = context().catalog->data(runs_.value(0));
    // Evaluated twice without a word of noise levels, a run has none.
    const auto evaluated = data ? data->find("valid_loss") : nullptr;
    const bool hasNoise =
        !data || !data->lossByLogSnr.empty() || (awaited && (!evaluated || evaluated->size() < 2));
    if (hasNoise)
        charts.insert(charts.begin() + std::min(kNoisePlace, static_cast<std::ptrdiff_t>(charts.size())),
                      noise_);
    if (ridges_->hasData()) charts.push_back(ridges_);
    charts_->setCharts(std::move(charts));
}

}  // namespace kurve::views
