#include <fmt/format.h>

#include <algorithm>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "app/engine/run_list.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/config/experiment_text.h"
#include "core/store/filter_words.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
using store::RunSummary;

json timeOf(double wall) {
    return wall > 0 ? json(wall) : json();
}

std::string metricText(const RunSummary& run, const std::string& name) {
    const auto found = run.metrics.find(name);
    return found == run.metrics.end() ? "-" : fmt::format("{:.4g}", found->second);
}

std::string tableOf(std::vector<RunSummary> runs) {
    if (runs.empty()) return "no runs";
    for (auto& run : runs)
        for (std::string* text : {&run.id, &run.name, &run.family, &run.state, &run.reason})
            *text = printableLine(*text);
    std::size_t id = 2, name = 4, family = 6, state = 5;
    for (const auto& run : runs) {
        id = std::max(id, run.id.size());
        name = std::max(name, std::min<std::size_t>(run.name.size(), 32));
        family = std::max(family, run.family.size());
        state = std::max(state, run.state.size());
    }
    const auto line = [&](const std::string& a, const std::string& b, const std::string& c,
                          const std::string& d) {
        return fmt::format("{:<{}}  {:<{}.32}  {:<{}}  {:<{}}", a, id, b, name, c, family, d, state);
    };
    std::string text = line("id", "name", "family", "state") + "     step  valid_loss  valid_bleu  tags\n";
    for (const auto& run : runs) {
        text += line(run.id, run.name, run.family, run.state);
        text += fmt::format(" {:>8}  {:>10}  {:>10}  {}\n", run.step, metricText(run, "valid_loss"),
                            metricText(run, "valid_bleu"), printableLine(join(run.tags, " ")));
        if (run.state == "damaged") text += fmt::format("{:{}}  {}\n", "", id, run.reason);
    }
    return text;
}

store::RunFilter::Unchanged unchangedSettings() {
    std::map<std::string, Schema> schemas;
    for (const auto& family : models::families()) {
        Schema schema = train::schemaOf(*family);
        schemas.emplace(schema.family, std::move(schema));
    }
    return [known = std::move(schemas)](const RunSummary& run, const std::string& key) {
        const auto schema = known.find(run.family);
        return schema == known.end() ? std::nullopt : unchangedText(schema->second, run.preset(), key);
    };
}

Status listRuns(const CommonOptions& common, const std::string& expression, Output& out) {
    KURVE_TRY(const store::RunFilter filter, store::RunFilter::parse(expression, unchangedSettings()));
    KURVE_TRY(const store::Project project, projectFor(common, std::filesystem::current_path()));
    KURVE_TRY(const auto index, indexOf(common, project));
    KURVE_TRY(const auto changed, index->refresh());
    KURVE_TRY(auto runs, index->runs());
    const std::string nothing = store::whyNothingMatches(filter, runs);
    if (!nothing.empty() && !common.quiet) logLine("kurve: " + nothing);
    const bool trashToo = filter.asksFor("is", "trashed");
    std::erase_if(runs,
                  [&](const RunSummary& run) { return !filter.matches(run) || (run.trashed && !trashToo); });
    json list = json::array();
    for (const auto& run : runs) list.push_back(runJson(run));
    out.result({{"runs", std::move(list)}}, tableOf(std::move(runs)));
    return {};
}

}  // namespace

json runJson(const RunSummary& run) {
    json metrics = json::object();
    for (const auto& [name, value] : run.metrics) metrics[name] = jsonNumber(value);
    return {{"id", run.id},
            {"name", run.name},
            {"family", run.family},
            {"task", run.task},
            {"state", run.state},
            {"reason", run.reason},
            {"step", run.step},
            {"total_steps", run.totalSteps},
            {"planned_seconds", run.plannedSeconds},
            {"started", timeOf(run.started)},
            {"ended", timeOf(run.ended)},
            {"metrics", metrics},
            {"settings", run.settings},
            {"tags", run.tags},
            {"notes", run.notes},
            {"parent", run.parent},
            {"machine", run.machine},
            {"references", run.references},
            {"config_hash", run.configHash},
            {"bytes", run.bytes},
            {"starred", run.starred},
            {"trashed", run.trashed},
            {"bundled", run.bundled}};
}

Action setupRuns(CLI::App& app) {
    auto expression = std::make_shared<std::string>();
    app.add_option("--filter", *expression,
                   "for example \"valid_bleu>20 tag:good family:sclm\"; is:trashed shows the trash (default: "
                   "all but the trash)")
        ->type_name("EXPR");
    return
        [expression](const CommonOptions& common, Output& out) { return listRuns(common, *expression, out); };
}

}  // namespace kurve::engine
