#include "core/interop/detail/report_front.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/frontier/plane.h"
#include "core/interop/detail/json_number.h"
#include "core/metrics/metric.h"

namespace kurve::interop::detail {
namespace {

using frontier::FrontPlane;
using frontier::PlaneCurve;
using frontier::SweepPoint;
using nlohmann::json;

json metricOf(const std::string& id) {
    json axis{{"id", id}, {"title", id == frontier::kOneMinusSelfBleu ? "1 − self-BLEU" : id}, {"unit", ""}};
    for (const auto& kind : metrics::metricKinds())
        if (kind.id == id) axis.update({{"title", kind.title}, {"unit", kind.unit}});
    for (const auto& info : metrics::commonScalars())
        if (info.id == id) axis.update({{"title", info.title}, {"unit", info.unit}});
    if (!metrics::higherIsBetter(id)) axis["lower_is_better"] = true;
    return axis;
}

std::string settingsText(const SweepPoint& point) {
    std::string text;
    for (const auto& [key, value] : point.settings)
        text += (text.empty() ? "" : ", ") + key.substr(key.find('.') + 1) + " " + value;
    return text.empty() ? "the run's own settings" : text;
}

json boundsJson(const frontier::Estimate& estimate) {
    return {jsonNumber(estimate.low), jsonNumber(estimate.high)};
}

json pointJson(const PlaneCurve& curve, std::size_t i, const ReportPlane& axes) {
    const SweepPoint& point = *curve.points[i];
    const frontier::Estimate &x = point.diversity.at(axes.diversity), &y = point.quality.at(axes.quality);
    const double draws = static_cast<double>(point.sentences) * static_cast<double>(point.seeds.size());
    json made{{"x", jsonNumber(x.value)},
              {"y", jsonNumber(y.value)},
              {"x_ci95", boundsJson(x)},
              {"y_ci95", boundsJson(y)},
              {"settings", settingsText(point)}};
    if (draws > 0) made["milliseconds"] = jsonNumber(1e3 * point.cost.seconds / draws);
    if (const auto& e = curve.ellipses[i]) made["ellipse"] = {e->x, e->y, e->major, e->minor, e->angle};
    return made;
}

json curveJson(const PlaneCurve& curve, const ReportPlane& axes) {
    json points = json::array();
    for (std::size_t i = 0; i < curve.points.size(); ++i) points.push_back(pointJson(curve, i, axes));
    json made{{"run", curve.run},     {"step", curve.step},
              {"alone", curve.alone}, {"points", std::move(points)},
              {"front", curve.front}, {"hypervolume", jsonNumber(curve.hypervolume)}};
    // Of a folder its name: a report is sent to others.
    made["checkpoint"] = std::filesystem::path(curve.points.front()->checkpoint).filename().string();
    if (curve.fromReference) made["from_reference"] = jsonNumber(*curve.fromReference);
    return made;
}

/// Notes for a fair comparison.
std::vector<std::string> notesOf(const FrontPlane& plane, const ReportPlane& axes,
                                 std::span<const std::string> damaged) {
    const SweepPoint& first = *plane.curves.front().points.front();
    std::vector<SweepPoint> shown;
    for (const auto& curve : plane.curves)
        for (const auto* point : curve.points) shown.push_back(*point);
    std::vector<std::string> notes{
        fmt::format("{} of the {} split, {}; bars are 95 % CI over sentences, ellipses hold "
                    "95 % of the seeds.",
                    counted(first.sentences, "sentence"), first.split, counted(first.seeds.size(), "seed"))};
    if (first.seeds.size() < 3)
        notes.emplace_back("Fewer than three seeds: the variance between seeds is not known.");
    if (plane.leftOut > 0)
        notes.push_back(
            fmt::format("Excluded: other evaluation settings ({}; sentences, references or seeds differ).",
                        counted(plane.leftOut, "point")));
    if (frontier::isScorerQuality(axes.quality)) notes.push_back(fmt::format("Scorer: {}.", first.scorer));
    if (axes.quality == metrics::kGenPerplexity)
        notes.emplace_back(
            "Generative perplexity rewards repetition: compare at equal diversity, and by a reference-based "
            "quality.");
    for (auto& caveat : frontier::caveats(shown)) notes.push_back(std::move(caveat));
    if (plane.referenceDiversity)
        notes.emplace_back("Hatched: diversity below 90 % of the references; repetition is likely.");
    notes.insert(notes.end(), damaged.begin(), damaged.end());
    return notes;
}

json planeJson(const FrontPlane& plane, const ReportPlane& axes, std::span<const std::string> damaged) {
    json curves = json::array();
    for (const auto& curve : plane.curves) curves.push_back(curveJson(curve, axes));
    json made{{"quality", metricOf(axes.quality)},
              {"diversity", metricOf(axes.diversity)},
              {"curves", std::move(curves)},
              {"corner", {jsonNumber(plane.cornerX), jsonNumber(plane.cornerY)}},
              {"notes", notesOf(plane, axes, damaged)}};
    if (plane.referenceDiversity) made["reference"] = jsonNumber(*plane.referenceDiversity);
    return made;
}

}  // namespace

json frontsJson(const store::Project& project, const std::vector<ReportRun>& runs,
                std::span<const ReportPlane> planes) {
    std::vector<frontier::StoredPoints> stored;
    std::vector<frontier::PlaneRun> swept;
    std::vector<std::string> damaged;
    for (const auto& run : runs) stored.push_back(frontier::loadPoints(project.runFolder(run.summary.id)));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        swept.push_back({runs[i].summary.id, runs[i].summary.name, stored[i].points});
        for (const auto& error : stored[i].damaged) damaged.push_back(error.text());
    }
    std::vector<ReportPlane> requested(planes.begin(), planes.end());
    const auto qualities = frontier::qualitiesOf(swept), diversities = frontier::diversitiesOf(swept);
    if (requested.empty() && !qualities.empty() && !diversities.empty())
        requested.push_back({qualities.front(), diversities.front()});
    json fronts = json::array();
    for (const auto& axes : requested)
        if (const auto plane = frontier::frontPlane(swept, axes.quality, axes.diversity);
            !plane.curves.empty())
            fronts.push_back(planeJson(plane, axes, damaged));
    return fronts;
}

}  // namespace kurve::interop::detail

namespace kurve::interop {

Status checkPlanes(const store::Project& project, std::span<const std::string> runs,
                   std::span<const ReportPlane> planes) {
    if (planes.empty()) return {};
    std::vector<frontier::StoredPoints> stored;
    std::vector<frontier::PlaneRun> swept;
    for (const auto& run : runs) stored.push_back(frontier::loadPoints(project.runFolder(run)));
    for (const auto& one : stored) swept.push_back({"", "", one.points});
    const auto qualities = frontier::qualitiesOf(swept), diversities = frontier::diversitiesOf(swept);
    for (const auto& axes : planes) {
        if (!frontier::frontPlane(swept, axes.quality, axes.diversity).curves.empty()) continue;
        return requestError("export.plane", fmt::format("no sweep of these runs has both {} and {}",
                                                        axes.quality, axes.diversity))
            .at("--plane")
            .fix(qualities.empty() ? std::string("kurve sweep RUN makes one")
                                   : fmt::format("they have the qualities {} and the diversities {}",
                                                 join(qualities, ", "), join(diversities, ", ")));
    }
    return {};
}

}  // namespace kurve::interop
