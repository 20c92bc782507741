#include "views/timeline/timeline_tables.h"

#include <cmath>

namespace kurve::views {

namespace {

QString stateWord(trace::SlotState state) {
    static const char* const kNames[] = {"given", "masked", "new", "kept", "flip", "remask", "pad"};
    return QLatin1String(kNames[static_cast<std::size_t>(state)]);
}

ViewTable slotTable(const TimelineModel& model) {
    const trace::Trace& trace = model.trace();
    ViewTable table{
        QStringLiteral("Denoising, slot by slot"),
        {"step", "t", "log_snr", "slot", "token", "piece", "state", "confidence", "entropy", "margin"},
        {}};
    const bool points = model.measures(Measure::Norm);
    if (points) table.columns << "latent_norm";
    for (int step = 0; step < model.steps(); ++step)
        for (int slot = 0; slot < model.slots(); ++slot) {
            const std::size_t cell = trace.cell(step, slot);
            const auto at = static_cast<std::size_t>(step);
            const auto piece = trace.pieces.find(trace.tokens[cell]);
            table.rows.push_back(
                {step + 1.0, trace.t[at], trace.logSnr[at], static_cast<double>(slot),
                 static_cast<double>(trace.tokens[cell]),
                 piece == trace.pieces.end() ? QString() : QString::fromStdString(piece->second),
                 stateWord(model.state(step, slot)), static_cast<double>(trace.confidence[cell]),
                 static_cast<double>(trace.entropy[cell]), static_cast<double>(trace.margin[cell])});
            if (points)
                table.rows.back().emplace_back(static_cast<double>(model.value(Measure::Norm, step, slot)));
        }
    return table;
}

ViewTable stepTable(const TimelineModel& model) {
    const StepStatistics& all = model.statistics();
    ViewTable table{QStringLiteral("Denoising, step by step"),
                    {"step", "confidence", "entropy", "edits", "masked", "distance", "bleu", "chrf", "text"},
                    {}};
    for (int step = 0; step < model.steps(); ++step) {
        const auto at = static_cast<std::size_t>(step);
        const auto value = [at](const std::vector<float>& values) {
            return at < values.size() ? static_cast<double>(values[at]) : std::nan("");
        };
        table.rows.push_back({step + 1.0, value(all.confidence), value(all.entropy), value(all.edits),
                              value(all.masked), value(all.distance), value(all.bleu), value(all.chrf),
                              model.textAt(step)});
    }
    return table;
}

}  // namespace

std::vector<ViewTable> tablesOf(const TimelineModel& model) {
    return {stepTable(model), slotTable(model)};
}

}  // namespace kurve::views
