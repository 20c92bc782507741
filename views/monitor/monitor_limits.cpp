// Limits of the monitor's charts that were set by the user: y belongs to a chart, x to what runs along it.
// Linked charts share those of x, as they share their zoom.
#include <QJsonArray>

#include "views/common/chart/line_chart.h"
#include "views/monitor/monitor_bar.h"
#include "views/monitor/monitor_panel.h"
#include "views/monitor/noise_chart.h"

namespace kurve::views {

namespace {

const char* const kNoise = "noise";

}  // namespace

void MonitorPanel::connectLimits(LineChart& chart) {
    connect(&chart, &LineChart::rangeChoiceChanged, this, &MonitorPanel::stateChanged);
    connect(&chart, &LineChart::keyLimitsChanged, this, [this, &chart] { takeKeyLimits(chart); });
}

void MonitorPanel::takeKeyLimits(const LineChart& chart) {
    const QString axis = keys_.axis().id();
    for (const ChartEntry& entry : entries_) {
        if (entry.chart == &chart) keyLimits_[{axis, entry.id}] = chart.keyLimits();
        if (entry.chart != &chart && bar_->isLinked()) entry.chart->setKeyLimits(chart.keyLimits());
    }
    Q_EMIT stateChanged();
}

void MonitorPanel::applyKeyLimits() {
    const QString axis = keys_.axis().id();
    for (const ChartEntry& entry : entries_) {
        const auto found = keyLimits_.find({axis, entry.id});
        const QSignalBlocker alone(entry.chart);  // each has its own, linked or not
        entry.chart->setKeyLimits(found == keyLimits_.end() ? AxisLimits() : found->second);
    }
}

void MonitorPanel::reportManualLimits() {
    int held = 0;
    for (const ChartEntry& entry : entries_)
        if (entry.chart->keyLimits().any() || entry.chart->valueLimits().any()) ++held;
    if (held > 0)
        Q_EMIT statusMessage(
            tr("%n chart(s) keep manual limits; press U in a chart for automatic axes", nullptr, held));
}

QJsonObject MonitorPanel::saveRanges() const {
    QJsonObject charts;
    for (const ChartEntry& entry : entries_)
        if (const QJsonObject range = entry.chart->saveRange(); !entry.imported && !range.isEmpty())
            charts.insert(entry.id, range);
    if (const QJsonObject range = noise_->saveRange(); !range.isEmpty())
        charts.insert(QLatin1String(kNoise), range);
    QJsonArray x;
    for (const auto& [about, limits] : keyLimits_)
        if (limits.any()) x.append(QJsonArray{about.first, about.second, saveLimits(limits)});
    return {{QStringLiteral("charts"), charts}, {QStringLiteral("x"), x}};
}

void MonitorPanel::restoreRanges(const QJsonObject& saved) {
    const QJsonObject charts = saved.value(QStringLiteral("charts")).toObject();
    for (const ChartEntry& entry : entries_)
        if (!entry.imported) entry.chart->restoreRange(charts.value(entry.id).toObject());
    noise_->restoreRange(charts.value(QLatin1String(kNoise)).toObject());
    keyLimits_.clear();
    for (const QJsonValue& each : saved.value(QStringLiteral("x")).toArray()) {
        const QJsonArray one = each.toArray();
        keyLimits_[{one.at(0).toString(), one.at(1).toString()}] = limitsOf(one.at(2));
    }
    applyKeyLimits();
}

}  // namespace kurve::views
