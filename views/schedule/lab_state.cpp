#include "views/schedule/lab_state.h"

#include <QJsonArray>
#include <algorithm>

#include "core/schedule/schedule_file.h"
#include "views/common/text/format.h"

namespace kurve::views {
namespace {

using Times = schedule::TimeDensity;

constexpr ChoiceIds<3> kTimesIds{"uniform", "logit_normal", "free"};

QJsonObject scheduleJson(const schedule::LabSchedule& schedule) {
    QJsonObject values, curves;
    for (const auto& [kind, set] : schedule.values) {
        QJsonObject own;
        for (const auto& [key, text] : set) own.insert(qt(key), qt(text));
        values.insert(qt(kind), own);
    }
    for (const auto& [kind, curve] : schedule.curves)
        curves.insert(qt(kind), qt(schedule::scheduleFileText(curve)));
    return {{"kind", qt(schedule.kind)}, {"file", qt(schedule.file)}, {"values", values}, {"curves", curves}};
}

/// A value that the kind would refuse would leave no schedule at all.
bool canBeMade(const schedule::LabSchedule& schedule) {
    return schedule.kind.empty() || schedule.make() != nullptr;
}

schedule::LabSchedule scheduleOf(const QJsonObject& json, const schedule::LabSchedule& usual) {
    schedule::LabSchedule out;
    out.kind = json.value("kind").toString().toStdString();
    out.file = json.value("file").toString().toStdString();
    const bool known = out.kind.empty() || schedule::findScheduleKind(out.kind) != nullptr;
    if (json.isEmpty() || !known) return usual;
    const QJsonObject values = json.value("values").toObject(), curves = json.value("curves").toObject();
    for (const QString& kind : values.keys()) {
        const QJsonObject own = values.value(kind).toObject();
        auto& set = out.values[kind.toStdString()];  // a kind that was only shown has none
        for (const QString& key : own.keys())
            set[key.toStdString()] = own.value(key).toString().toStdString();
    }
    for (const QString& kind : curves.keys())
        if (auto curve = schedule::parseScheduleFile(curves.value(kind).toString().toStdString(), "state"))
            out.curves[kind.toStdString()] = std::move(*curve);
    return canBeMade(out) ? out : usual;
}

QJsonArray pairsJson(const std::vector<std::pair<double, double>>& pairs) {
    QJsonArray out;
    for (const auto& [x, y] : pairs) out.append(QJsonArray{x, y});
    return out;
}

std::vector<std::pair<double, double>> pairsOf(const QJsonValue& json) {
    std::vector<std::pair<double, double>> out;
    for (const QJsonValue& pair : json.toArray()) out.emplace_back(pair[0].toDouble(), pair[1].toDouble());
    return out;
}

Times timesOf(const QJsonObject& json) {
    Times times;
    times.kind = static_cast<Times::Kind>(choiceOf(kTimesIds, json.value("kind")));
    times.mean = json.value("mean").toDouble();
    times.standardDeviation = std::max(0.1, json.value("deviation").toDouble(1));
    times.points = pairsOf(json.value("points"));
    bool rising = times.points.size() >= 2;
    for (std::size_t i = 0; i < times.points.size(); ++i)
        rising = rising && times.points[i].second > 0 &&
                 (i == 0 || times.points[i].first > times.points[i - 1].first);
    return times.kind == Times::Kind::Free && !rising ? Times() : times;
}

}  // namespace

QJsonObject labStateJson(const LabState& state) {
    const schedule::ScheduleUse& use = state.use;
    const QJsonObject times{{"kind", savedChoice(kTimesIds, static_cast<int>(use.times.kind))},
                            {"mean", use.times.mean},
                            {"deviation", use.times.standardDeviation},
                            {"points", pairsJson(use.times.points)}};
    QJsonArray compared;
    for (const schedule::LabSchedule& schedule : state.compared) compared.append(scheduleJson(schedule));
    return {{"a", scheduleJson(state.a)},
            {"b", scheduleJson(state.b)},
            {"compared", compared},
            {"times", times},
            {"weight", qt(use.weight)},
            {"weight_limit", use.weightLimit},
            {"weight_points", qt(schedule::weightPointsText(use.weightPoints))},
            {"steps", use.steps},
            {"spacing", savedChoice(kSpacingIds, static_cast<int>(use.spacing))},
            {"tokens", use.tokens}};
}

LabState labStateOf(const QJsonObject& json, const LabState& usual) {
    LabState out = usual;
    out.a = scheduleOf(json.value("a").toObject(), usual.a);
    if (out.a.kind.empty()) out.a = usual.a;  // only B may be none
    out.b = scheduleOf(json.value("b").toObject(), usual.b);
    if (json.contains("compared")) out.compared.clear();
    for (const QJsonValue& one : json.value("compared").toArray())
        if (schedule::LabSchedule schedule = scheduleOf(one.toObject(), {}); !schedule.kind.empty())
            out.compared.push_back(std::move(schedule));
    schedule::ScheduleUse& use = out.use;
    if (json.contains("times")) use.times = timesOf(json.value("times").toObject());
    use.weight = json.value("weight").toString(qt(use.weight)).toStdString();
    use.weightLimit = std::clamp(json.value("weight_limit").toDouble(use.weightLimit), 0.1, 100.0);
    if (auto points = schedule::parseWeightPoints(json.value("weight_points").toString().toStdString()))
        use.weightPoints = std::move(*points);
    use.steps = std::clamp(json.value("steps").toInt(use.steps), 1, 1000);
    use.spacing = static_cast<schedule::Spacing>(
        choiceOf(kSpacingIds, json.value("spacing"), static_cast<int>(use.spacing)));
    use.tokens = std::clamp(json.value("tokens").toInt(use.tokens), 1, 512);
    return out;
}

}  // namespace kurve::views
