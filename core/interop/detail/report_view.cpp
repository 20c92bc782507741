#include "core/interop/detail/report_view.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/interop/detail/json_number.h"
#include "core/series/student.h"

namespace kurve::interop::detail {
namespace {

using nlohmann::json;

/// "high:valid_bleu" as which and what.
std::pair<std::string, std::string> partsOf(const std::string& id) {
    const auto colon = id.find(':');
    return {id.substr(0, colon), colon == std::string::npos ? id : id.substr(colon + 1)};
}

std::optional<double> valueOf(const ReportRun& run, const std::string& id) {
    const auto [which, metric] = partsOf(id);
    const auto* extremes = run.summary.extremes ? run.summary.extremes->find(metric) : nullptr;
    if (which != "last") {
        if (!extremes) return {};
        return which == "low" ? extremes->low : extremes->high;
    }
    if (const auto curve = run.curves.find(metric); curve != run.curves.end()) {
        const auto& values = curve->second.value;
        const auto last =
            std::find_if(values.rbegin(), values.rend(), [](double v) { return std::isfinite(v); });
        if (last != values.rend()) return *last;
    }
    const auto found = run.summary.metrics.find(metric);
    return found == run.summary.metrics.end() ? std::nullopt : std::optional(found->second);
}

struct Group {
    std::string title;
    std::vector<const ReportRun*> members;
    store::RunStyle style;  ///< by its index among all requested groups, as in the studio
};

std::vector<Group> groupsOf(const std::vector<ReportRun>& runs, const ReportView& view) {
    std::vector<Group> groups;
    for (int index = 0; const auto& requested : view.groups) {
        Group group{requested.title, {}, store::styleAt(index++)};
        for (const ReportRun& run : runs)
            if (std::find(requested.runs.begin(), requested.runs.end(), run.summary.id) !=
                requested.runs.end())
                group.members.push_back(&run);
        if (!group.members.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

series::SampleStatistics statisticsOf(const Group& group, const std::string& value) {
    std::vector<double> found;
    for (const ReportRun* run : group.members)
        if (const auto one = valueOf(*run, value)) found.push_back(*one);
    return series::sampleStatistics(found);
}

json cellJson(const series::SampleStatistics& statistics, const series::SampleStatistics* maybeBase) {
    json cell{{"n", statistics.n}};
    if (statistics.n == 0) return cell;
    cell.update({{"mean", jsonNumber(statistics.mean)},
                 {"half", jsonNumber(statistics.half)},
                 {"least", jsonNumber(statistics.min)},
                 {"most", jsonNumber(statistics.max)}});
    if (!maybeBase || maybeBase->n == 0) return cell;
    const auto difference = series::meanDifference(*maybeBase, statistics);
    cell["difference"] = jsonNumber(difference.value);
    if (std::isnan(difference.half)) return cell;
    cell["difference_half"] = jsonNumber(difference.half);
    cell["distinguishable"] = difference.isDistinguishable();
    return cell;
}

json tableJson(const std::vector<ReportRun>& runs, const std::vector<Group>& groups, const ReportView& view) {
    const auto isBase = [&](const Group& group) { return group.members.front() == &runs.front(); };
    const auto base = std::find_if(groups.begin(), groups.end(), isBase);
    json values = json::array(), rows = json::array();
    const auto scalars = scalarsOf(runs);
    for (const auto& value : view.values) {
        json about = metricJson(partsOf(value.id).second, scalars);
        values.push_back({{"title", value.title},
                          {"doc", about["doc"]},
                          {"ranked", about["ranked"]},
                          {"higher_is_better", about["higher_is_better"]}});
    }
    for (auto group = groups.begin(); group != groups.end(); ++group) {
        json cells = json::array();
        for (const auto& value : view.values) {
            const bool isMeasured = base != groups.end() && group != base;
            const auto of = isMeasured ? statisticsOf(*base, value.id) : series::SampleStatistics();
            cells.push_back(cellJson(statisticsOf(*group, value.id), isMeasured ? &of : nullptr));
        }
        const auto hidden = std::count_if(group->members.begin(), group->members.end(), [&](const auto* run) {
            return std::find(view.hidden.begin(), view.hidden.end(), run->summary.id) != view.hidden.end();
        });
        rows.push_back({{"title", group->title},
                        {"n", group->members.size()},
                        {"hidden", hidden},
                        {"base", group == base},
                        {"cells", std::move(cells)}});
    }
    return {{"values", std::move(values)}, {"rows", std::move(rows)}};
}

json limitsJson(const ReportView::Limits& limits) {
    const auto end = [](std::optional<double> at) { return at ? jsonNumber(*at) : json(nullptr); };
    return json::array({end(limits.from), end(limits.to)});
}

}  // namespace

json viewJson(const std::vector<ReportRun>& runs, const ReportView& view) {
    const auto groups = groupsOf(runs, view);
    json list = json::array(), quantiles = json::array({nullptr});
    for (const Group& group : groups) {
        json ids = json::array();
        for (const ReportRun* run : group.members) ids.push_back(run->summary.id);
        list.push_back({{"title", group.title}, {"runs", std::move(ids)}, {"style", styleJson(group.style)}});
    }
    for (std::size_t degrees = 1; degrees < runs.size(); ++degrees)
        quantiles.push_back(series::studentQuantile(static_cast<double>(degrees)));
    json out{{"metric", view.metric},
             {"axis", view.axis},
             {"x", view.x},
             {"y", view.y},
             {"x_limits", limitsJson(view.xLimits)},
             {"y_limits", limitsJson(view.yLimits)},
             {"smoothing", {{"kind", view.smoothing}, {"strength", view.strength}}},
             {"hidden", view.hidden},
             {"grouped_by", view.groupedBy},
             {"groups", std::move(list)},
             {"band", view.range ? "range" : "interval"},
             {"quantiles", std::move(quantiles)},
             {"against", view.diffAgainst},
             {"notes", view.notes},
             {"table", tableJson(runs, groups, view)}};
    if (view.sampleStep) out["sample_step"] = *view.sampleStep;
    return out;
}

}  // namespace kurve::interop::detail
