// Which charts the monitor shows: those that can have points, what the runs' families chart, and what another
// program logged by names of its own.
#include <algorithm>
#include <array>
#include <set>

#include "views/common/chart/line_chart.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/imported_run.h"
#include "views/common/data/run_ranking.h"
#include "views/monitor/chart_grid.h"
#include "views/monitor/monitor_panel.h"
#include "views/monitor/noise_chart.h"
#include "views/monitor/ridge_card.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMostImported = 12;  ///< others are a click away, under "Add chart…"
constexpr std::ptrdiff_t kNoiseIndex = 5;
const std::string kValid = "valid_";
constexpr QLatin1String kKeyScale("x"), kValueScale("y"), kRange("range");
constexpr std::array kEnds{"completed", "cancelled", "failed", "crashed", "damaged"};

/// Nothing will be logged any more. A run that the list does not know yet has just begun.
bool isOver(const store::RunSummary* maybeRun) {
    return maybeRun != nullptr && std::find(kEnds.begin(), kEnds.end(), maybeRun->state) != kEnds.end();
}

}  // namespace

std::vector<MonitorPanel::OwnChart> MonitorPanel::ownCharts() const {
    std::map<std::string, std::vector<std::string>> charts;
    const auto add = [&](const std::string& chart, const std::string& metric) {
        auto& metrics = charts[chart];
        if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    };
    for (const QString& run : drawnRuns()) {
        const auto data = context().catalog->data(run);
        if (!data) continue;
        const auto addLogged = [&](const std::string& chart, const std::string& metric) {
            if (data->find(metric)) add(chart, metric);
        };
        const auto addWithTwin = [&](const std::string& metric) {
            addLogged(metric, metric);
            addLogged(metric, kValid + metric);
        };
        if (isImported(*data))
            for (const auto& [name, series] : data->series) addWithTwin(name);
        else if (const auto schema = context().engine->family(data->summary.family))
            for (const ScalarSpec& scalar : schema->scalars)
                if (!scalar.chart.empty() && data->find(scalar.id)) {
                    addWithTwin(scalar.chart);
                    add(scalar.chart, scalar.id);
                }
    }
    std::set<std::string> drawn;  // in the charts that are always there
    for (const ChartEntry& entry : entries_)
        if (!entry.imported) drawn.insert(entry.metrics.begin(), entry.metrics.end());
    std::erase_if(charts, [&](const auto& chart) {
        return removedImported_.contains(QString::fromStdString(chart.first)) ||
               std::ranges::all_of(chart.second, [&](const auto& metric) { return drawn.contains(metric); });
    });
    std::vector<std::string> order;
    for (const auto& [id, metrics] : charts) order.push_back(id);
    std::vector<OwnChart> all;
    for (const std::string& id : qualityFirst(std::move(order)))
        if (all.size() < kMostImported) all.emplace_back(id, charts.at(id));
    return all;
}

QJsonObject MonitorPanel::importedChartSettings() const {
    QJsonObject settings = importedChartSettings_;
    for (const ChartEntry& entry : entries_) {
        if (!entry.imported) continue;
        const auto key = entry.chart->keyScale(), value = entry.chart->valueScale();
        const QJsonObject range = entry.chart->saveRange();
        settings.remove(entry.id);
        if (key == LineChart::Scale::Linear && value == LineChart::Scale::Linear && range.isEmpty()) continue;
        settings.insert(entry.id, QJsonObject{{kKeyScale, static_cast<int>(key)},
                                              {kValueScale, static_cast<int>(value)},
                                              {kRange, range}});
    }
    return settings;
}

void MonitorPanel::applyImportedChartSettings() {
    for (const ChartEntry& entry : entries_) {
        const QJsonObject settings = importedChartSettings_.value(entry.id).toObject();
        if (!entry.imported || settings.isEmpty()) continue;
        entry.chart->setKeyScale(static_cast<LineChart::Scale>(settings.value(kKeyScale).toInt() % 3));
        entry.chart->setValueScale(static_cast<LineChart::Scale>(settings.value(kValueScale).toInt() % 3));
        entry.chart->restoreRange(settings.value(kRange).toObject());
    }
}

void MonitorPanel::updateImportedCharts() {
    const auto wanted = ownCharts();
    std::vector<OwnChart> present;
    for (const ChartEntry& entry : entries_)
        if (entry.imported) present.emplace_back(entry.id.toStdString(), entry.metrics);
    if (wanted == present) return;
    importedChartSettings_ = importedChartSettings();
    for (const ChartEntry& entry : entries_)
        if (entry.imported) {
            entry.chart->hide();
            entry.chart->deleteLater();
        }
    entries_.erase(
        std::remove_if(entries_.begin(), entries_.end(), [](const ChartEntry& p) { return p.imported; }),
        entries_.end());
    for (const auto& [name, metrics] : wanted) {
        const QString id = QString::fromStdString(name);
        addChart(id, id, metrics);
        entries_.back().imported = true;
    }
    nameCharts();
    applyImportedChartSettings();
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
    for (const ChartEntry& entry : entries_)
        if (awaited || entry.chart->hasData()) charts.push_back(entry.chart);
    if (charts.empty())
        for (const ChartEntry& entry : entries_) charts.push_back(entry.chart);
    const auto data = context().catalog->data(runs_.value(0));
    // Evaluated twice without a word of noise levels, a run has none.
    const auto evaluated = data ? data->find("valid_loss") : nullptr;
    const bool hasNoise =
        !data || !data->lossByLogSnr.empty() || (awaited && (!evaluated || evaluated->size() < 2));
    if (hasNoise)
        charts.insert(charts.begin() + std::min(kNoiseIndex, static_cast<std::ptrdiff_t>(charts.size())),
                      noise_);
    if (ridges_->hasData()) charts.push_back(ridges_);
    charts_->setCharts(std::move(charts));
}

}  // namespace kurve::views
