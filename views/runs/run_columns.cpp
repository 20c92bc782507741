#include "views/runs/run_columns.h"

#include <QCoreApplication>
#include <cmath>
#include <utility>

#include "core/config/experiment_text.h"
#include "views/common/data/run_ranking.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr std::pair<RunColumn::Kind, const char*> kPrefixes[] = {{RunColumn::Kind::Metric, "metric:"},
                                                                 {RunColumn::Kind::Delta, "delta:"},
                                                                 {RunColumn::Kind::Lowest, "min:"},
                                                                 {RunColumn::Kind::Highest, "max:"},
                                                                 {RunColumn::Kind::Setting, "setting:"}};

constexpr const char* kMachineKey = "machine";

QString columnText(const char* text) {
    return QCoreApplication::translate("kurve::views::RunColumnValues", text);
}

std::optional<double> metricOf(const store::RunSummary& run, const std::string& key) {
    const auto found = run.metrics.find(key);
    return found == run.metrics.end() ? std::nullopt : std::optional(found->second);
}

bool isExtreme(const RunColumn& column) {
    return column.kind == RunColumn::Kind::Lowest || column.kind == RunColumn::Kind::Highest;
}

const store::Extremes* extremesOf(const store::RunSummary& run, const RunColumn& column) {
    return isExtreme(column) && run.extremes ? run.extremes->find(column.key) : nullptr;
}

QString deltaText(double delta) {
    if (delta == 0) return QStringLiteral("=");
    if (!std::isfinite(delta)) return numberText(delta);
    return delta > 0 ? QStringLiteral("▲ +%1").arg(numberText(delta, 3))
                     : QStringLiteral("▼ −%1").arg(numberText(-delta, 3));
}

}  // namespace

QString RunColumn::id() const {
    for (const auto& [of, prefix] : kPrefixes)
        if (of == kind) return QLatin1String(prefix) + QString::fromStdString(key);
    return {};
}

std::optional<RunColumn> RunColumn::fromId(const QString& id) {
    for (const auto& [kind, prefix] : kPrefixes) {
        const QLatin1String begin(prefix);
        if (id.startsWith(begin) && id.size() > begin.size())
            return RunColumn{kind, id.mid(begin.size()).toStdString()};
    }
    return std::nullopt;
}

QString RunColumn::title() const {
    const QString name = QString::fromStdString(key);
    if (kind == Kind::Lowest || kind == Kind::Highest)  // the name in filters
        return QStringLiteral("%1.%2").arg(kind == Kind::Lowest ? "min" : "max", name);
    return kind == Kind::Delta ? QStringLiteral("Δ %1").arg(name) : name;
}

void RunColumnValues::setEngine(const EngineInfo* engine) {
    engine_ = engine;
    defaults_.clear();
}

void RunColumnValues::setBaseline(const store::RunSummary* maybeRun) {
    baseline_ = maybeRun ? std::optional(*maybeRun) : std::nullopt;
}

std::optional<double> RunColumnValues::number(const store::RunSummary& run, const RunColumn& column) const {
    if (const auto* extremes = extremesOf(run, column))
        return column.kind == RunColumn::Kind::Lowest ? extremes->low : extremes->high;
    if (isExtreme(column)) return std::nullopt;
    const auto own = metricOf(run, column.key);
    if (column.kind == RunColumn::Kind::Metric) return own;
    const auto against = baseline_ ? metricOf(*baseline_, column.key) : std::nullopt;
    if (column.kind != RunColumn::Kind::Delta || !own || !against) return std::nullopt;
    return *own == *against ? 0.0 : *own - *against;  // two equal infinities differ by 0
}

/// An unchanged setting has the value of its preset or family. The machine is no setting, but is chosen,
/// sorted and filtered like one.
std::optional<std::string> RunColumnValues::setting(const store::RunSummary& run,
                                                    const std::string& key) const {
    if (key == kMachineKey) return run.machine;
    if (const auto own = run.settings.find(key); own != run.settings.end()) return own->second;
    const auto [known, isNew] = defaults_.try_emplace(run.family + '\n' + run.preset() + '\n' + key);
    const auto schema = isNew && engine_ != nullptr ? engine_->family(run.family) : nullptr;
    if (schema) known->second = unchangedText(*schema, run.preset(), key);
    return known->second;
}

EngineInfo::MetricText RunColumnValues::metric(const std::string& key) const {
    return engine_ != nullptr ? engine_->metric(key) : EngineInfo::MetricText();
}

int RunColumnValues::comparison(const store::RunSummary& run, const std::string& key) const {
    const auto delta = number(run, {RunColumn::Kind::Delta, key});
    if (!delta || !(*delta != 0) || std::isnan(*delta)) return 0;
    const auto text = metric(key);
    if (!text.ranked) return 0;
    return (*delta > 0) == text.higherIsBetter ? 1 : -1;
}

QString RunColumnValues::text(const store::RunSummary& run, const RunColumn& column) const {
    if (column.kind == RunColumn::Kind::Setting)
        return QString::fromStdString(setting(run, column.key).value_or(std::string()));
    const auto value = number(run, column);
    if (column.kind == RunColumn::Kind::Metric || isExtreme(column))
        return value ? numberText(*value) : QString();
    if (baseline_ && run.id == baseline_->id) return columnText("baseline");
    return value ? deltaText(*value) : QString();
}

QVariant RunColumnValues::sortKey(const store::RunSummary& run, const RunColumn& column) const {
    if (column.kind != RunColumn::Kind::Setting) {
        const auto value = number(run, column);
        return value && !std::isnan(*value) ? QVariant(*value) : QVariant();
    }
    const auto value = setting(run, column.key);
    if (!value) return {};
    const QString text = QString::fromStdString(*value);
    bool isNumber = false;
    const double asNumber = text.toDouble(&isNumber);
    return isNumber && !std::isnan(asNumber) ? QVariant(asNumber) : QVariant(text);
}

QVariant RunColumnValues::color(const store::RunSummary& run, const RunColumn& column) const {
    if (column.kind == RunColumn::Kind::Delta) {
        const int better = comparison(run, column.key);
        if (better != 0) return better > 0 ? theme().good : theme().bad;
    }
    if (column.kind == RunColumn::Kind::Setting)
        return run.settings.contains(column.key) ? theme().text : theme().muted;
    return {};
}

QString RunColumnValues::remark(const store::RunSummary& run, const RunColumn& column) const {
    if (column.kind == RunColumn::Kind::Setting)
        return run.settings.contains(column.key) || column.key == kMachineKey || !setting(run, column.key)
                   ? QString()
                   : columnText("default of the family or preset");
    if (const auto* extremes = extremesOf(run, column))
        return columnText("first reached at step %1")
            .arg(countText(column.kind == RunColumn::Kind::Lowest ? extremes->lowStep : extremes->highStep));
    const int better = column.kind == RunColumn::Kind::Delta ? comparison(run, column.key) : 0;
    return better > 0   ? columnText("better than the baseline")
           : better < 0 ? columnText("worse than the baseline")
                        : "";
}

QString RunColumnValues::headerTip(const RunColumn& column) const {
    if (column.key == kMachineKey) return columnText("The other machine that trains it; empty: this one");
    const QString key = QString::fromStdString(column.key);
    if (column.kind == RunColumn::Kind::Setting) {
        if (engine_ != nullptr)
            for (const auto& family : engine_->families())
                if (const FieldSpec* field = family->find(column.key))
                    return QStringLiteral("%1: %2").arg(key, QString::fromStdString(field->doc));
        return key;
    }
    const EngineInfo::MetricText about = metric(column.key);
    const QString doc = about.doc.isEmpty() ? key : QStringLiteral("%1: %2").arg(key, about.doc);
    if (isExtreme(column))
        return columnText("%1\n%2 value of the curve; filter: %3>0")
            .arg(doc, column.kind == RunColumn::Kind::Lowest ? columnText("Lowest") : columnText("Highest"),
                 column.title());
    if (column.kind == RunColumn::Kind::Metric || !baseline_) return doc;
    return columnText("%1\nDifference from the baseline %2 (B); green is better, red worse.")
        .arg(doc, QString::fromStdString(baseline_->name));
}

void RunKeys::add(const store::RunSummary& run) {
    if (!run.machine.empty()) settings_.insert(kMachineKey);
    if (run.extremes)
        for (const store::Extremes& one : run.extremes->metrics)
            if (one.isKnown()) curves_.insert(one.metric);
    for (const auto& [key, value] : run.metrics) metrics_.insert(key);
    for (const auto& [key, value] : run.settings) settings_.insert(key);
}

std::vector<RunColumn> defaultColumns(const RunKeys& keys) {
    std::vector<RunColumn> columns;
    if (keys.settings().contains(kMachineKey)) columns.push_back({RunColumn::Kind::Setting, kMachineKey});
    const std::vector<std::string> metrics = qualityFirst({keys.metrics().begin(), keys.metrics().end()});
    for (const std::string& metric : metrics) {
        if (!keys.curves().contains(metric)) continue;
        if (!isBleu(metric) && !isLoss(metric)) continue;
        columns.push_back({isBleu(metric) ? RunColumn::Kind::Highest : RunColumn::Kind::Lowest, metric});
        return columns;
    }
    if (!metrics.empty()) columns.push_back({RunColumn::Kind::Metric, metrics.front()});
    return columns;
}

}  // namespace kurve::views
