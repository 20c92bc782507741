#include "views/timeline/timeline_tables.h"

#include <cmath>

namespace kurve::views {

namespace {

QString stateText(trace::TokenState state) {
    static const char* const kNames[] = {"given", "masked", "new", "kept", "flip", "remask", "pad"};
    return QLatin1String(kNames[static_cast<std::size_t>(state)]);
}

ViewTable positionTable(const inspect::TimelineModel& model) {
    const trace::Trace& trace = model.trace();
    ViewTable table{
        QStringLiteral("Trace by position"),
        {"step", "t", "log_snr", "position", "token_id", "token", "state", "confidence", "entropy", "margin"},
        {}};
    const bool norms = model.has(inspect::Measure::Norm);
    if (norms) table.columns << "latent_norm";
    for (int step = 0; step < model.steps(); ++step)
        for (int position = 0; position < model.positions(); ++position) {
            const auto at = static_cast<std::size_t>(step);
            const std::uint32_t token = trace.tokenAt(step, position);
            const auto number = [&](inspect::Measure measure) {
                return static_cast<double>(model.value(measure, step, position));
            };
            table.rows.push_back({step + 1.0, trace.t[at], trace.logSnr[at], static_cast<double>(position),
                                  token == trace::kNoToken ? std::nan("") : static_cast<double>(token),
                                  QString::fromStdString(trace.textOf(token)),
                                  stateText(model.state(step, position)),
                                  number(inspect::Measure::Confidence), number(inspect::Measure::Entropy),
                                  number(inspect::Measure::Margin)});
            if (norms)
                table.rows.back().emplace_back(
                    static_cast<double>(model.value(inspect::Measure::Norm, step, position)));
        }
    return table;
}

ViewTable stepTable(const inspect::TimelineModel& model) {
    const inspect::StepStatistics& all = model.statistics();
    ViewTable table{QStringLiteral("Trace by step"),
                    {"step", "confidence", "entropy", "edits", "masked", "distance", "bleu", "chrf", "text"},
                    {}};
    for (int step = 0; step < model.steps(); ++step) {
        const auto at = static_cast<std::size_t>(step);
        const auto value = [at](const std::vector<float>& values) {
            return at < values.size() ? static_cast<double>(values[at]) : std::nan("");
        };
        table.rows.push_back({step + 1.0, value(all.confidence), value(all.entropy), value(all.edits),
                              value(all.masked), value(all.distance), value(all.bleu), value(all.chrf),
                              QString::fromStdString(model.textAt(step))});
    }
    return table;
}

}  // namespace

std::vector<ViewTable> tablesOf(const inspect::TimelineModel& model) {
    return {stepTable(model), positionTable(model)};
}

}  // namespace kurve::views
