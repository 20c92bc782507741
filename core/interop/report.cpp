#include "core/interop/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/interop/detail/page.h"
#include "core/interop/detail/page_texts.h"
#include "core/interop/detail/report_data.h"
#include "core/interop/detail/report_front.h"
#include "core/interop/detail/report_view.h"
#include "core/store/evaluations.h"

namespace kurve::interop {
namespace {

using detail::ReportRun;
using nlohmann::json;

Result<std::vector<ReportRun>> readRuns(const store::Project& project, std::span<const std::string> ids,
                                        const ReportOptions& options) {
    KURVE_TRY(const auto index, store::ProjectIndex::openRepaired(project));
    if (options.notify && !index->notice().empty()) options.notify(index->notice());
    KURVE_TRY(const auto changed, index->refresh());
    KURVE_TRY(const auto known, index->runs());
    std::vector<std::string> names;
    for (const auto& run : known) names.push_back(run.id);
    std::vector<ReportRun> runs;
    for (const auto& id : ids) {
        const auto at = std::find(names.begin(), names.end(), id);
        if (at == names.end()) {
            const auto near = nearestWord(id, names);
            return requestError("run.missing", "no run \"" + id + "\" in " + project.folder().string())
                .fix(near ? "did you mean " + *near + "?" : "kurve runs lists them");
        }
        const auto& summary = known[static_cast<std::size_t>(at - names.begin())];
        KURVE_TRY(ReportRun run, detail::readReportRun(project, summary, options));
        runs.push_back(std::move(run));
    }
    return runs;
}

Status checkMetrics(const std::vector<ReportRun>& runs, const std::vector<std::string>& requested) {
    std::vector<std::string> known;
    for (const auto& run : runs)
        for (const auto& [metric, value] : run.summary.metrics) known.push_back(metric);
    for (const auto& metric : requested) {
        if (std::find(known.begin(), known.end(), metric) != known.end()) continue;
        const auto near = nearestWord(metric, known);
        return requestError("export.no_metric", "no run has a metric \"" + metric + "\"")
            .fix(near ? "did you mean " + *near + "?" : "kurve runs --json lists them");
    }
    return {};
}

/// Scores of `kurve eval --save`; a damaged file is listed and skipped.
std::vector<std::filesystem::path> readableEvaluations(const store::Project& project,
                                                       const std::vector<ReportRun>& runs,
                                                       std::vector<std::string>& problems) {
    std::vector<std::filesystem::path> files;
    for (const auto& run : runs)
        for (auto& file : store::storedEvaluations(project.runFolder(run.summary.id))) {
            const auto scores = detail::evaluationScoresJson(runs, std::vector{file});
            if (scores)
                files.push_back(std::move(file));
            else
                problems.push_back(scores.error().text());
        }
    return files;
}

std::string titleOf(const std::vector<ReportRun>& runs, const ReportOptions& options) {
    if (!options.title.empty()) return options.title;
    if (runs.size() == 1) return runs.front().summary.name;
    if (runs.size() == 2) return runs[0].summary.name + " and " + runs[1].summary.name;
    return fmt::format("{} runs against {}", runs.size() - 1, runs.front().summary.name);
}

}  // namespace

const std::vector<std::string>& reportSections() {
    static const std::vector<std::string> sections{"runs",   "values",   "groups",  "scores", "fronts",
                                                   "curves", "settings", "prompts", "studio"};
    return sections;
}

Result<std::string> reportHtml(const store::Project& project, std::span<const std::string> runs,
                               const ReportOptions& options) {
    KURVE_CHECK(!runs.empty(), "a report without runs");
    KURVE_TRY(const auto read, readRuns(project, runs, options));
    KURVE_CHECKED(checkMetrics(read, options.metrics));
    std::vector<std::string> problems;
    auto evaluations = readableEvaluations(project, read, problems);
    evaluations.insert(evaluations.end(), options.evaluations.begin(), options.evaluations.end());
    KURVE_TRY(json scores, detail::evaluationScoresJson(read, evaluations));
    for (auto& row : detail::promptScoresJson(read)) scores.push_back(std::move(row));
    json list = json::array();
    for (const auto& run : read) list.push_back(detail::runJson(run, options.curvePoints));
    json data{{"format", "kurve.report/1"},
              {"project", project.name()},
              {"folder", project.folder().filename().string()},
              {"sections", options.sections.empty() ? reportSections() : options.sections},
              {"metrics", detail::metricsJson(read, options.metrics)},
              {"runs", std::move(list)},
              {"fronts", detail::frontsJson(project, read, options.planes)},
              {"scores", std::move(scores)},
              {"score_problems", std::move(problems)}};
    if (options.view) data["view"] = detail::viewJson(read, *options.view);
    std::string script;
    for (const auto part :
         {detail::kReportCharts, detail::kReportFronts, detail::kReportGroups, detail::kReportScript})
        script += part;
    return detail::htmlPage(titleOf(read, options), std::move(data), script);
}

Status writeReport(const store::Project& project, std::span<const std::string> runs,
                   const std::filesystem::path& file, const ReportOptions& options) {
    KURVE_TRY(const std::string page, reportHtml(project, runs, options));
    return writeFileAtomically(file, page);
}

}  // namespace kurve::interop
