#include "views/curve/curve_tables.h"

#include <cmath>

namespace kurve::views {

namespace {

QStringList axesOf(const inspect::CurveModel& model) {
    QStringList names;
    for (int axis = 0; axis < 3; ++axis) names << QString::fromStdString(model.axisName(axis));
    return names;
}

/// Points of one kind at every step.
ViewTable pointTable(const inspect::CurveModel& model, const QString& title,
                     const inspect::SpacePoints inspect::CurveStep::*part) {
    ViewTable table{title, QStringList{"step", "point"} + axesOf(model), {}};
    for (int step = 0; step < model.steps(); ++step) {
        double number = 0;
        for (const inspect::SpacePoint& point : model.step(step).*part)
            table.rows.push_back({step + 1.0, number++, static_cast<double>(point.x),
                                  static_cast<double>(point.y), static_cast<double>(point.z)});
    }
    return table;
}

ViewTable tokenTable(const inspect::CurveModel& model) {
    const trace::Trace& trace = model.trace();
    ViewTable table{QStringLiteral("Tokens"),
                    QStringList{"step", "position", "token"} + axesOf(model) + QStringList{"residual"},
                    {}};
    for (int step = 0; step < model.steps(); ++step) {
        const inspect::CurveStep& at = model.step(step);
        for (std::size_t word = 0; word < at.words.size(); ++word) {
            const inspect::SpacePoint& point = at.words[word];
            table.rows.push_back(
                {step + 1.0, static_cast<double>(word),
                 QString::fromStdString(trace.textOf(trace.tokenAt(step, static_cast<int>(word)))),
                 static_cast<double>(point.x), static_cast<double>(point.y), static_cast<double>(point.z),
                 word < at.residuals.size() ? static_cast<double>(at.residuals[word]) : std::nan("")});
        }
    }
    return table;
}

ViewTable statisticsTable(const inspect::CurveModel& model) {
    const inspect::CurveStatistics& statistics = model.statistics();
    const std::pair<const char*, const std::vector<float>*> columns[] = {
        {"length_ratio", &statistics.lengthRatio},
        {"turning_radians", &statistics.turning},
        {"residual", &statistics.residual},
        {"nearest_is_shown", &statistics.nearestShown},
        {"nearest_is_target", &statistics.nearestTarget},
        {"movement", &statistics.movement}};
    ViewTable table{QStringLiteral("Statistics"), {"step"}, {}};
    for (const auto& [name, values] : columns) table.columns << QLatin1String(name);
    for (int step = 0; step < model.steps(); ++step) {
        std::vector<ViewTable::Cell> row{step + 1.0};
        for (const auto& [name, values] : columns) {
            const auto at = static_cast<std::size_t>(step);
            row.push_back(at < values->size() ? static_cast<double>((*values)[at]) : std::nan(""));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

std::vector<ViewTable> tablesOf(const inspect::CurveModel& model) {
    return {statisticsTable(model), tokenTable(model),
            pointTable(model, QStringLiteral("Control points"), &inspect::CurveStep::controls),
            pointTable(model, QStringLiteral("Curve"), &inspect::CurveStep::curve)};
}

}  // namespace kurve::views
