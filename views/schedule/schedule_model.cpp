#include "views/schedule/schedule_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kurve::views {

namespace {

constexpr int kPoints = 600;

void sampleCurves(const schedule::NoiseSchedule& schedule, ScheduleCurves& out) {
    for (int i = 0; i <= kPoints; ++i) {
        const double s = static_cast<double>(i) / kPoints, ratio = schedule.logSnr(s);
        out.s.push_back(s);
        out.signal.push_back(schedule.alpha(s));
        out.noise.push_back(schedule.maskProbability(s).value_or(schedule.sigma(s)));
        if (!std::isfinite(ratio)) continue;
        out.snrAt.push_back(s);
        out.logSnr.push_back(ratio);
    }
}

/// p(lambda) = -ds/dlambda between neighbouring samples, from the noisy end upwards.
void differentiate(ScheduleCurves& out) {
    for (std::size_t i = out.logSnr.size(); i-- > 1;) {
        const double drop = out.logSnr[i - 1] - out.logSnr[i];
        out.densityAt.push_back((out.logSnr[i - 1] + out.logSnr[i]) / 2);
        out.density.push_back((out.snrAt[i] - out.snrAt[i - 1]) / drop);
    }
}

double balanceOf(const ScheduleCurves& curves) {
    const auto noisy =
        std::find_if(curves.logSnr.begin(), curves.logSnr.end(), [](double l) { return l <= 0; });
    if (noisy == curves.logSnr.begin() || noisy == curves.logSnr.end())
        return noisy == curves.logSnr.end() ? 1 : 0;
    const auto i = static_cast<std::size_t>(noisy - curves.logSnr.begin());
    const double part = curves.logSnr[i - 1] / (curves.logSnr[i - 1] - curves.logSnr[i]);
    return curves.snrAt[i - 1] + part * (curves.snrAt[i] - curves.snrAt[i - 1]);
}

}  // namespace

ScheduleCurves curvesOf(const schedule::NoiseSchedule& schedule, int samplingSteps) {
    ScheduleCurves curves;
    curves.name = schedule.name();
    if (const auto* kind = schedule::findScheduleKind(curves.name)) {
        curves.title = kind->title;
        curves.masking = kind->masking;
    }
    sampleCurves(schedule, curves);
    differentiate(curves);
    curves.balance = balanceOf(curves);
    const int most = schedule.discreteSteps() > 0 ? schedule.discreteSteps() : samplingSteps;
    curves.stepAt = schedule::samplingPositions(schedule, std::clamp(samplingSteps, 1, most));
    for (const double s : curves.stepAt) {
        curves.stepLogSnr.push_back(schedule.logSnr(s));
        const std::size_t count = curves.stepLogSnr.size();
        if (count < 2) continue;
        const double gap = curves.stepLogSnr[count - 2] - curves.stepLogSnr[count - 1];
        if (std::isfinite(gap)) curves.largestGap = std::max(curves.largestGap, gap);
    }
    return curves;
}

NoiseLoss noiseLossOf(const std::vector<store::HistogramRow>& rows, std::int64_t step) {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        if (step >= 0 && row->step > step) continue;
        const auto json = nlohmann::json::parse(row->json, nullptr, false);
        if (!json.is_object() || !json.contains("edges") || !json.contains("values")) continue;
        const auto& edges = json["edges"];
        const auto& values = json["values"];
        const auto weights = json.value("weights", nlohmann::json::array());
        NoiseLoss loss;
        loss.step = row->step;
        for (std::size_t i = 0; i < values.size() && i + 1 < edges.size(); ++i) {
            const bool filled =
                i >= weights.size() || (weights[i].is_number() && weights[i].get<double>() > 0);
            if (!filled || !values[i].is_number() || !edges[i].is_number() || !edges[i + 1].is_number())
                continue;
            loss.logSnr.push_back((edges[i].get<double>() + edges[i + 1].get<double>()) / 2);
            loss.loss.push_back(values[i].get<double>());
        }
        if (!loss.loss.empty()) return loss;
    }
    return {};
}

}  // namespace kurve::views
