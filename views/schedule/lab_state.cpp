#include "views/schedule/lab_state.h"

#include <QJsonArray>

#include "core/schedule/schedule_file.h"
#include "views/common/text/format.h"

namespace kurve::views {
namespace {

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

}  // namespace

QJsonObject labStateJson(const LabState& state) {
    QJsonArray compared;
    for (const schedule::LabSchedule& schedule : state.compared) compared.append(scheduleJson(schedule));
    return {{"a", scheduleJson(state.a)}, {"b", scheduleJson(state.b)}, {"compared", compared}};
}

LabState labStateOf(const QJsonObject& json, const LabState& usual) {
    LabState out = usual;
    out.a = scheduleOf(json.value("a").toObject(), usual.a);
    if (out.a.kind.empty()) out.a = usual.a;  // only B may be none
    out.b = scheduleOf(json.value("b").toObject(), usual.b);
    if (json.contains("compared")) out.compared.clear();
    for (const auto one : json.value("compared").toArray())
        if (schedule::LabSchedule schedule = scheduleOf(one.toObject(), {}); !schedule.kind.empty())
            out.compared.push_back(std::move(schedule));
    return out;
}

}  // namespace kurve::views
