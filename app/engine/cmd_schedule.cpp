#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "core/base/text.h"
#include "core/schedule/noise_schedule.h"
#include "core/schedule/schedule_file.h"
#include "core/store/project.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct ScheduleRequest {
    std::string name, at;
    std::optional<int> steps;
};

Result<std::vector<double>> parseTimes(const std::string& list) {
    std::vector<double> times;
    for (const std::string& part : split(list, ',')) {
        const std::string text(trim(part));
        double value = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc() || end != text.data() + text.size() || !(value >= 0))
            return requestError("schedule.time", fmt::format("“{}” is not a time", text))
                .at("at")
                .fix("write times from 0 to 1 with commas between");
        times.push_back(value);
    }
    return times;
}

/// Positions s in [0, 1] of times that are either such positions or, where one is above 1, training steps
/// 0..T-1.
Result<std::vector<double>> positionsOf(const schedule::NoiseSchedule& schedule, std::vector<double> times) {
    const double largest = *std::max_element(times.begin(), times.end());
    if (largest <= 1) return times;
    const int steps = schedule.discreteSteps();
    const bool whole = std::all_of(times.begin(), times.end(), [](double t) { return t == std::floor(t); });
    if (!whole || largest >= steps)
        return requestError("schedule.time", fmt::format("{} is beyond the schedule's end", largest))
            .at("at")
            .fix(steps > 0 ? fmt::format("write times from 0 to 1, or training steps from 0 to {}", steps - 1)
                           : std::string("write times from 0 to 1"));
    for (double& t : times) t = (t + 1) / steps;
    return times;
}

Status checkSteps(const schedule::NoiseSchedule& schedule, int steps) {
    const int most = schedule.discreteSteps() > 0 ? schedule.discreteSteps() : 100000;
    if (steps >= 1 && steps <= most) return {};
    return requestError("schedule.steps", fmt::format("cannot sample with {} steps", steps))
        .at("steps")
        .fix(fmt::format("give 1 to {}", most));
}

/// One column of the result: a number for each position.
template <class Function>
json column(const std::vector<double>& positions, Function value) {
    json numbers = json::array();
    for (const double s : positions) numbers.push_back(jsonNumber(value(s)));
    return numbers;
}

// Index of the last training step at or before s; -1 = the data themselves.
int stepAt(const schedule::NoiseSchedule& schedule, double s) {
    return static_cast<int>(std::floor(s * schedule.discreteSteps() + 1e-9)) - 1;
}

void addTables(json& document, const schedule::NoiseSchedule& schedule,
               const std::vector<double>& positions) {
    const auto step = [&](double s) { return stepAt(schedule, s); };
    document["training_steps"] = schedule.discreteSteps();
    json steps = json::array();
    for (const double s : positions) steps.push_back(step(s));
    document["step"] = std::move(steps);
    document["beta"] = column(positions, [&](double s) {
        return step(s) < 0 ? 0 : schedule.betas()[static_cast<std::size_t>(step(s))];
    });
    document["alpha_bar"] =
        column(positions, [&](double s) { return schedule.alpha(s) * schedule.alpha(s); });
}

void addPosterior(json& document, const std::vector<schedule::ReverseStep>& chain) {
    json reverse = json::array();
    for (const schedule::ReverseStep& step : chain)
        reverse.push_back({{"step", step.t},
                           {"model_time", step.modelTime},
                           {"alpha_bar", step.alphaBar},
                           {"beta", step.beta},
                           {"c1", step.c1},
                           {"c2", step.c2},
                           {"sigma", step.sigma},
                           {"log_snr", jsonNumber(step.logSnr)}});
    document["reverse"] = std::move(reverse);
}

json documentOf(const schedule::NoiseSchedule& schedule, const std::vector<double>& positions) {
    json document{{"name", schedule.name()}, {"t", positions}};
    document["alpha"] = column(positions, [&](double s) { return schedule.alpha(s); });
    document["sigma"] = column(positions, [&](double s) { return schedule.sigma(s); });
    document["log_snr"] = column(positions, [&](double s) { return schedule.logSnr(s); });
    if (schedule.discreteSteps() > 0) addTables(document, schedule, positions);
    if (schedule.maskProbability(0.5))
        document["mask_prob"] = column(positions, [&](double s) { return *schedule.maskProbability(s); });
    if (schedule.weight(0.5))
        document["weight"] = column(positions, [&](double s) { return *schedule.weight(s); });
    if (schedule.noiseRate(0.5))
        document["dsigma"] = column(positions, [&](double s) { return *schedule.noiseRate(s); });
    return document;
}

std::string textOf(const schedule::NoiseSchedule& schedule, const std::vector<double>& positions) {
    std::string text =
        fmt::format("{}\n{:>10}{:>14}{:>14}{:>12}\n", schedule.name(), "t", "alpha", "sigma", "log-SNR");
    for (const double s : positions)
        text += fmt::format("{:>10.6g}{:>14.6g}{:>14.6g}{:>12.4g}\n", s, schedule.alpha(s), schedule.sigma(s),
                            schedule.logSnr(s));
    return text;
}

/// What a schedule file's name is relative to: the project of --project or around here, else here.
Result<fs::path> folderFor(const std::string& name, const CommonOptions& common) {
    std::error_code ignored;
    const fs::path here = fs::current_path(ignored);
    if (!name.starts_with(schedule::kFilePrefix)) return here;
    if (!common.project.empty()) {
        KURVE_TRY(const store::Project project, store::Project::open(common.project));
        return project.folder();
    }
    if (const auto project = store::Project::findUpward(here)) return project->folder();
    return here;
}

Status show(const ScheduleRequest& request, const CommonOptions& common, Output& out) {
    const std::map<std::string, std::string> values(common.sets.begin(), common.sets.end());
    KURVE_TRY(const fs::path folder, folderFor(request.name, common));
    KURVE_TRY(const auto schedule, schedule::makeSchedule(request.name, values, folder));
    std::vector<double> positions;
    const int usual = schedule->discreteSteps() > 0 ? std::min(20, schedule->discreteSteps()) : 20;
    const int steps = request.steps.value_or(usual);
    if (request.at.empty()) {
        KURVE_CHECKED(checkSteps(*schedule, steps));
        positions = schedule::samplingPositions(*schedule, steps);
    } else {
        KURVE_TRY(std::vector<double> times, parseTimes(request.at));
        KURVE_TRY(positions, positionsOf(*schedule, std::move(times)));
    }
    json document = documentOf(*schedule, positions);
    if (request.at.empty() && schedule->discreteSteps() > 0)
        addPosterior(document, schedule::respace(*schedule, steps));
    out.result(document, textOf(*schedule, positions));
    return {};
}

}  // namespace

Action setupSchedule(CLI::App& app) {
    auto request = std::make_shared<ScheduleRequest>();
    app.add_option("name", request->name,
                   "sqrt, linear, cosine, edm, cdcd, log-linear, … (kurve describe schedules), "
                   "file:schedules/NAME.toml of the project, or free:0=12,0.5=0,1=-12")
        ->required();
    auto* at = app.add_option("--at", request->at,
                              "times from 0 (data) to 1 (noise), or training steps if one is above 1")
                   ->type_name("T,T,…");
    app.add_option("--steps", request->steps, "number of sampling steps to print (default: 20)")
        ->excludes(at);
    return [request](const CommonOptions& common, Output& out) { return show(*request, common, out); };
}

}  // namespace kurve::engine
