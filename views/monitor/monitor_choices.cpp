// What a user chooses for all charts of the monitor, and how the session keeps it.
#include <QJsonArray>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>
#include <set>

#include "views/common/chart/line_chart.h"
#include "views/common/data/run_ranking.h"
#include "views/common/form/choice_list.h"
#include "views/monitor/monitor_bar.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

constexpr int kSettleMilliseconds = 80;             ///< until the grid has grown by a chart
const char* const kDrawnAsReference = "copy_bleu";  ///< a line of the quality chart, no chart of its own

}  // namespace

void MonitorPanel::connectBar() {
    connect(bar_, &MonitorBar::axisChanged, this, &MonitorPanel::axisChanged);
    connect(bar_, &MonitorBar::chartListOpening, this, &MonitorPanel::offerMetrics);
    connect(bar_, &MonitorBar::smoothingChanged, this, [this] {
        for (const ChartEntry& entry : entries_) entry.chart->setSmoothing(bar_->smoothing());
        Q_EMIT stateChanged();
    });
    connect(bar_, &MonitorBar::earlierChanged, this, [this] {
        updateCharts();
        Q_EMIT stateChanged();
    });
    connect(bar_, &MonitorBar::linkChanged, this, &MonitorPanel::stateChanged);
    connect(bar_, &MonitorBar::chartWanted, this, [this](const QString& metric) {
        addMetricChart(metric.toStdString());
        Q_EMIT stateChanged();
        // It stands behind the others: once they are laid out, it is brought into sight.
        QTimer::singleShot(kSettleMilliseconds, entries_.back().chart, [this, added = entries_.back().chart] {
            if (auto* scroll = findChild<QScrollArea*>()) scroll->ensureWidgetVisible(added);
        });
    });
}

void MonitorPanel::axisChanged() {
    keys_.setAxis(RunAxis::fromId(bar_->axis()));
    for (const ChartEntry& entry : entries_) {
        entry.chart->keepOnly({});
        nameAxis(*entry.chart);
        entry.chart->fit();
    }
    applyKeyLimits();
    updateCharts();
    updateMarks();
    updatePlayhead();
    Q_EMIT stateChanged();
}

void MonitorPanel::addMetricChart(const std::string& metric) {
    const QString id = QString::fromStdString(metric);
    removedImported_.removeAll(id);
    const auto standard = std::find_if(kStandardCharts.begin(), kStandardCharts.end(),
                                       [&](const StandardChart& each) { return metric == each.metrics[0]; });
    if (standard != kStandardCharts.end() && chart(QLatin1String(standard->id)) == nullptr)
        addStandardChart(*standard);
    else
        addChart(id, id, {metric});
    engineInfoChanged();
    arrange();
    updateChart(entries_.back());
    updateMarks();
    offerChoices();
}

void MonitorPanel::offerChoices() {
    std::set<std::string> names;
    RunDatas datas;
    offered_ = 0;
    for (const QString& run : runs_)
        if (const auto data = context().catalog->data(run)) {
            datas.push_back(data);
            offered_ += data->series.size();
            for (const auto& [name, series] : data->series) names.insert(name);
        }
    MonitorBar::Choices axes;
    if (!datas.empty())
        for (const RunAxis& axis : axesOf(datas, qualityFirst({names.begin(), names.end()})))
            axes.append({axis.id(), axis.title(*context().engine).section(QStringLiteral(" /"), 0, 0)});
    bar_->offerAxes(axes);
}

/// Only when somebody looks: there may be thousands.
void MonitorPanel::offerMetrics() {
    std::set<std::string> names;
    for (const QString& run : runs_)
        if (const auto data = context().catalog->data(run))
            for (const auto& [name, series] : data->series) names.insert(name);
    for (const ChartEntry& entry : entries_)
        for (const std::string& metric : entry.metrics) names.erase(metric);
    names.erase(kDrawnAsReference);
    std::vector<Choice> metrics;
    for (const std::string& name : qualityFirst({names.begin(), names.end()})) {
        const QString id = QString::fromStdString(name), title = context().engine->metric(name).title;
        metrics.push_back({id, title, title == id ? QString() : id});
    }
    bar_->offerMetrics(std::move(metrics));
}

QJsonObject MonitorPanel::saveState() const {
    QJsonObject scales;
    QJsonArray added, removed;
    const auto isOwn = [this](const char* id) {
        return std::any_of(entries_.begin(), entries_.end(), [&](const ChartEntry& entry) {
            return !entry.imported && entry.id == QLatin1String(id);
        });
    };
    for (const StandardChart& standard : kStandardCharts)
        if (!isOwn(standard.id)) removed.append(QLatin1String(standard.id));
    for (const ChartEntry& entry : entries_) {
        if (entry.imported) continue;
        scales.insert(entry.id, QJsonArray{static_cast<int>(entry.chart->keyScale()),
                                           static_cast<int>(entry.chart->valueScale())});
        const bool standard =
            std::any_of(kStandardCharts.begin(), kStandardCharts.end(),
                        [&](const auto& each) { return entry.id == QLatin1String(each.id); });
        if (!standard) added.append(entry.id);
    }
    for (const QString& id : removedImported_) removed.append(id);
    QJsonObject all = bar_->save();
    all.insert(QStringLiteral("charts"), added);
    all.insert(QStringLiteral("removed"), removed);
    all.insert(QStringLiteral("scales"), scales);
    all.insert(QStringLiteral("ranges"), saveRanges());
    all.insert(QStringLiteral("imported"), importedChartSettings());
    return all;
}

void MonitorPanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QSignalBlocker quiet(this);
    bar_->restore(saved);
    importedChartSettings_ = saved.value(QStringLiteral("imported")).toObject();
    wantedScales_ = saved.value(QStringLiteral("scales")).toObject();
    for (const QJsonValue& id : saved.value(QStringLiteral("charts")).toArray())
        if (!chart(id.toString())) addMetricChart(id.toString().toStdString());
    for (const QJsonValue& id : saved.value(QStringLiteral("removed")).toArray()) {
        if (chart(id.toString()) == nullptr) removedImported_ << id.toString();
        removeChart(id.toString());
    }
    restoreRanges(saved.value(QStringLiteral("ranges")).toObject());
    applyImportedChartSettings();
    engineInfoChanged();
}

}  // namespace kurve::views
