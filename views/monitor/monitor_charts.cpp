#include "views/monitor/monitor_charts.h"

#include <algorithm>
#include <set>

#include "views/common/chart/saved_scales.h"
#include "views/common/data/run_ranking.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/monitor/noise_chart.h"
#include "views/monitor/ridge_card.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMostImported = 12;  ///< others are a click away, under "Add chart…"
constexpr std::ptrdiff_t kNoiseIndex = 5;
const QString kNoise = QStringLiteral("noise");
constexpr QLatin1String kScales("scales"), kRange("range");

/// What the monitor begins with.
struct StandardChart {
    QString id;
    const char* title;
    std::vector<std::string> metrics;
};
const StandardChart kStandardCharts[]{
    {"loss", QT_TR_NOOP("Loss"), {"loss", "valid_loss"}},
    {"quality", QT_TR_NOOP("Validation BLEU"), {"valid_bleu"}},
    {"nll", QT_TR_NOOP("NLL and its bound"), {"nll", "valid_nll", "valid_nelbo"}},
    {"grad_norm", QT_TR_NOOP("Gradient norm"), {"grad_norm"}},
    {"lr", QT_TR_NOOP("Learning rate"), {"lr"}}};

}  // namespace

MonitorCharts::MonitorCharts(const EngineInfo& engine)
    : CardGrid({px(space::kSmall), 0, px(space::kSmall), px(space::kSmall)}),
      engine_(engine),
      noise_(new NoiseChart(widget())),
      ridges_(new RidgeCard(widget())) {
    ridges_->hide();
    for (const auto& [id, title, metrics] : kStandardCharts) addChart(id, tr(title), metrics);
    connect(noise_, &LineChart::rangeChoiceChanged, this, &MonitorCharts::changed);
}

MonitorChart& MonitorCharts::addChart(const QString& id, const QString& title,
                                      std::vector<std::string> metrics) {
    auto* chart = new LineChart(QStringLiteral("monitor.") + id, title, widget());
    nameAxis(*chart);
    chart->setSmoothing(smoothing_);
    link(*chart);
    for (const auto signal : {&LineChart::scaleChanged, &LineChart::rangeChoiceChanged})
        connect(chart, signal, this, &MonitorCharts::changed);
    connect(chart, &LineChart::clickedAt, this, &MonitorCharts::clickedAt);
    connect(chart, &LineChart::curveHovered, this, &MonitorCharts::curveHovered);
    connect(chart, &LineChart::curveClicked, this, &MonitorCharts::curveClicked);
    connect(chart, &LineChart::menuRequested, this,
            [this, chart](const QString& curve, double x, const QPoint& position) {
                const MonitorChart of = *std::ranges::find(all_, chart, &MonitorChart::chart);
                Q_EMIT menuRequested(of, curve, x, position);
            });
    all_.push_back({id, std::move(metrics), chart});
    return all_.back();
}

void MonitorCharts::link(LineChart& chart) {
    const auto others = [this, &chart](auto change) {
        for (const MonitorChart& each : all_)
            if (linked_ && each.chart != &chart) change(*each.chart);
    };
    connect(&chart, &LineChart::keyRangeChosen, this, [others](double low, double high) {
        others([&](LineChart& other) { other.setKeyRange(low, high); });
    });
    connect(&chart, &LineChart::followChosen, this,
            [others] { others([](LineChart& other) { other.fit(); }); });
    connect(&chart, &LineChart::keyLimitsChanged, this, [this, others, &chart] {
        const auto own = std::ranges::find(all_, &chart, &MonitorChart::chart);
        keyLimits_[{axis_.id(), own->id}] = chart.keyLimits();
        others([&](LineChart& other) { other.setKeyLimits(chart.keyLimits()); });
        Q_EMIT changed();
    });
}

LineChart& MonitorCharts::add(const std::string& metric) {
    const QString id = qt(metric);
    removedImported_.removeAll(id);
    const auto* standard =
        std::ranges::find(kStandardCharts, metric, [](const auto& each) { return each.metrics.front(); });
    if (standard != std::end(kStandardCharts) && chart(standard->id) == nullptr)
        addChart(standard->id, tr(standard->title), standard->metrics);
    else
        addChart(id, id, {metric});
    return *all_.back().chart;
}

void MonitorCharts::remove(const QString& id) {
    const auto found = std::ranges::find(all_, id, &MonitorChart::id);
    if (found == all_.end() || all_.size() < 2) return;
    if (found->imported) removedImported_ << id;
    found->chart->hide();
    found->chart->deleteLater();
    settings_.remove(id);
    std::erase_if(keyLimits_, [&](const auto& entry) { return entry.first.second == id; });
    all_.erase(found);
    Q_EMIT changed();
}

bool MonitorCharts::setOwnCharts(OwnCharts charts) {
    std::set<std::string> drawn;
    OwnCharts present;
    for (const MonitorChart& each : all_)
        if (each.imported)
            present[each.id.toStdString()] = each.metrics;
        else
            drawn.insert(each.metrics.begin(), each.metrics.end());
    std::vector<std::string> ids;
    for (const auto& [id, metrics] : charts)
        if (!removedImported_.contains(qt(id)) &&
            !std::ranges::all_of(metrics, [&](const auto& metric) { return drawn.contains(metric); }))
            ids.push_back(id);
    ids = qualityFirst(std::move(ids));
    ids.resize(std::min(ids.size(), kMostImported));
    std::erase_if(charts,
                  [&](const auto& chart) { return std::ranges::find(ids, chart.first) == ids.end(); });
    if (charts == present) return false;
    settings_ = settings();
    std::erase_if(all_, [](const MonitorChart& each) {
        if (!each.imported) return false;
        each.chart->hide();
        each.chart->deleteLater();
        return true;
    });
    for (const std::string& name : ids) {
        const QString id = qt(name);
        MonitorChart& chart = addChart(id, id, charts.at(name));
        chart.imported = true;
        applySettings(chart);
    }
    describe();
    applyKeyLimits();
    return true;
}

void MonitorCharts::nameAxis(LineChart& chart) const {
    chart.setKeyTitle(axis_.title(engine_));
    chart.setKeyIsTime(axis_.kind == RunAxis::Kind::Wall);
}

void MonitorCharts::setAxis(const RunAxis& axis) {
    axis_ = axis;
    for (const MonitorChart& each : all_) {
        each.chart->keepOnly({});
        nameAxis(*each.chart);
        each.chart->fit();
    }
    applyKeyLimits();
}

void MonitorCharts::setSmoothing(const series::Smoothing& smoothing) {
    smoothing_ = smoothing;
    for (const MonitorChart& each : all_) each.chart->setSmoothing(smoothing);
}

LineChart::Scale MonitorCharts::firstScale(const MonitorChart& chart) const {
    const std::string& metric = chart.metrics.front();
    return engine_.metric(metric).logScale && metric != "lr" ? LineChart::Scale::Log
                                                             : LineChart::Scale::Linear;
}

void MonitorCharts::describe() {
    const bool described = !engine_.families().empty();
    for (MonitorChart& each : all_) {
        const auto text = engine_.metric(each.metrics.front());
        each.chart->setTitle(text.title, text.unit, text.doc);
        if (!each.scaleChosen && firstScale(each) == LineChart::Scale::Log)
            each.chart->setValueScale(LineChart::Scale::Log);
        each.scaleChosen = each.scaleChosen || described;
    }
}

void MonitorCharts::fit() {
    for (const MonitorChart& each : all_) each.chart->fit();
    noise_->fit();
}

int MonitorCharts::manuallyLimited() const {
    return static_cast<int>(std::ranges::count_if(all_, [](const MonitorChart& each) {
        return each.chart->keyLimits().any() || each.chart->valueLimits().any();
    }));
}

LineChart* MonitorCharts::chart(const QString& id) const {
    const auto found = std::ranges::find(all_, id, &MonitorChart::id);
    return found != all_.end() ? found->chart : id == kNoise ? noise_ : nullptr;
}

LineChart* MonitorCharts::underMouse() const {
    for (const MonitorChart& each : all_)
        if (each.chart->underMouse()) return each.chart;
    return noise_->underMouse() ? noise_ : nullptr;
}

void MonitorCharts::layOut(bool awaited, const RunData* maybeFirst) {
    std::vector<QWidget*> shown;
    for (const MonitorChart& each : all_)
        if (awaited || each.chart->hasData()) shown.push_back(each.chart);
    if (shown.empty())
        for (const MonitorChart& each : all_) shown.push_back(each.chart);
    // Evaluated twice without a word of noise levels, a run has none.
    const auto evaluated = maybeFirst ? maybeFirst->find("valid_loss") : nullptr;
    if (!maybeFirst || !maybeFirst->lossByLogSnr.empty() ||
        (awaited && (!evaluated || evaluated->size() < 2)))
        shown.insert(shown.begin() + std::min(kNoiseIndex, std::ssize(shown)), noise_);
    if (ridges_->hasData()) shown.push_back(ridges_);
    setCards(shown);
}

void MonitorCharts::applyKeyLimits() {
    for (const MonitorChart& each : all_) {
        const auto found = keyLimits_.find({axis_.id(), each.id});
        const QSignalBlocker alone(each.chart);  // each has its own, linked or not
        each.chart->setKeyLimits(found == keyLimits_.end() ? AxisLimits() : found->second);
    }
}

QJsonObject MonitorCharts::settings() const {
    QJsonObject all = settings_;
    for (const MonitorChart& each : all_) {
        QJsonObject own;
        if (const QJsonObject range = each.chart->saveRange(); !range.isEmpty()) own.insert(kRange, range);
        // What a chart begins with is not known before it is described.
        const bool known = !engine_.families().empty() || !each.scaleChosen;
        if (!known || each.chart->keyScale() != LineChart::Scale::Linear ||
            each.chart->valueScale() != firstScale(each))
            own.insert(kScales, saveScales(*each.chart));
        own.isEmpty() ? all.remove(each.id) : static_cast<void>(all.insert(each.id, own));
    }
    return all;
}

void MonitorCharts::applySettings(MonitorChart& chart) {
    const QJsonObject saved = settings_.value(chart.id).toObject();
    // The range last: its signal has the session written.
    chart.scaleChosen = saved.contains(kScales);
    if (chart.scaleChosen) restoreScales(*chart.chart, saved.value(kScales).toArray());
    chart.chart->restoreRange(saved.value(kRange).toObject());
}

QJsonObject MonitorCharts::save() const {
    QStringList added, removed;
    QJsonArray x;
    for (const StandardChart& standard : kStandardCharts) removed << standard.id;
    for (const MonitorChart& each : all_)
        if (!each.imported && removed.removeAll(each.id) == 0) added << each.id;
    for (const auto& [about, limits] : keyLimits_)
        if (limits.any()) x.append(QJsonArray{about.first, about.second, saveLimits(limits)});
    return {{QStringLiteral("charts"), QJsonArray::fromStringList(added)},
            {QStringLiteral("removed"), QJsonArray::fromStringList(removed + removedImported_)},
            {QStringLiteral("settings"), settings()},
            {QStringLiteral("x_limits"), x},
            {kNoise, noise_->saveRange()}};
}

void MonitorCharts::restore(const QJsonObject& saved) {
    settings_ = saved.value(QStringLiteral("settings")).toObject();
    for (const auto id : saved.value(QStringLiteral("charts")).toArray())
        if (!chart(id.toString())) add(id.toString().toStdString());
    for (const auto id : saved.value(QStringLiteral("removed")).toArray()) {
        if (chart(id.toString()) == nullptr) removedImported_ << id.toString();
        remove(id.toString());
    }
    for (MonitorChart& each : all_) applySettings(each);
    noise_->restoreRange(saved.value(kNoise).toObject());
    keyLimits_.clear();
    for (const auto each : saved.value(QStringLiteral("x_limits")).toArray())
        keyLimits_[{each[0].toString(), each[1].toString()}] = limitsOf(each[2]);
    applyKeyLimits();
}

}  // namespace kurve::views
