#include "core/schedule/detail/discrete_schedule.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::schedule::detail {

DiscreteSchedule::DiscreteSchedule(std::string name, const Values& values, const SignalCurve& curve)
    : name_(std::move(name)) {
    const auto steps = std::get<std::int64_t>(values.at("steps"));
    const bool bend = std::get<bool>(values.at("vp_rf"));
    const double factor = real(values, "noise_factor"), square = factor * factor;
    noiseFactor_ = bend ? 1 : factor;
    const auto signal = [&](std::int64_t i) {
        const double plain = curve(static_cast<double>(i) / static_cast<double>(steps));
        return bend ? plain / (square - (square - 1) * plain) : plain;
    };
    double product = 1;
    for (std::int64_t i = 0; i < steps; ++i) {
        betas_.push_back(std::min(1 - signal(i + 1) / signal(i), 0.999));
        product *= 1 - betas_.back();
        alphaBars_.push_back(product);
    }
    if (std::get<bool>(values.at("zero_terminal"))) rescaleToZero();
}

void DiscreteSchedule::rescaleToZero() {
    const double first = std::sqrt(alphaBars_.front()), last = std::sqrt(alphaBars_.back());
    double before = 1;
    for (std::size_t i = 0; i < alphaBars_.size(); ++i) {
        const double root = (std::sqrt(alphaBars_[i]) - last) * first / (first - last);
        alphaBars_[i] = root * root;
        betas_[i] = 1 - alphaBars_[i] / before;
        before = alphaBars_[i];
    }
}

DiscreteSchedule::Point DiscreteSchedule::at(double s) const {
    KURVE_CHECK(s >= 0 && s <= 1, "s = {} is not in [0, 1]", s);
    const double position = s * static_cast<double>(alphaBars_.size()), nearest = std::round(position);
    // A sum of rounding errors in s must not leave the table.
    const double whole = std::abs(position - nearest) < 1e-9 ? nearest : std::floor(position);
    const auto index = static_cast<std::size_t>(whole);
    const double before = index == 0 ? 1 : alphaBars_[index - 1], part = position - whole;
    if (part < 1e-9 || index == alphaBars_.size()) return {before, 1 - before};
    if (alphaBars_[index] == 0) {  // to no signal the amplitude falls in a straight line
        const double signal = before * (1 - part) * (1 - part);
        return {signal, 1 - signal};
    }
    const double logSignal = std::log(before) + part * std::log(alphaBars_[index] / before);
    return {std::exp(logSignal), -std::expm1(logSignal)};
}

double DiscreteSchedule::alpha(double s) const {
    return std::sqrt(at(s).signal);
}
double DiscreteSchedule::sigma(double s) const {
    return noiseFactor_ * std::sqrt(at(s).noise);
}

std::vector<FieldSpec> discreteFields(std::vector<FieldSpec> own) {
    std::vector<FieldSpec> fields{
        integerField("steps", 2000, "number of training steps T")
            .range(2, 20000)
            .unit("steps")
            .from("Difformer's code"),
        realField("noise_factor", 1, "noise rescaling F: multiplies the noise, not the signal")
            .range(0.01, 100)
            .from("Difformer, noise rescaling"),
        flagField("vp_rf", false, "bend the schedule by F instead of multiplying the noise")
            .from("Difformer's code, --vp-rf"),
        flagField("zero_terminal", false, "rescaled, so that the last step has no signal at all")
            .from("Lin et al. 2024, algorithm 1")};
    fields.insert(fields.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    return fields;
}

std::vector<FieldSpec> karrasFields(double sigmaMin, double sigmaMax, const std::string& source) {
    return discreteFields(
        {realField("sigma_min", sigmaMin, "noise at s = 0, relative to the signal")
             .range(1e-6, 1e3)
             .from(source),
         realField("sigma_max", sigmaMax, "noise at s = 1, relative to the signal")
             .range(1e-3, 1e6)
             .from(source),
         realField("rho", 7, "bending: sigma^(1/rho) is linear in s").range(1, 20).from(source)});
}

DiscreteSchedule::SignalCurve karrasCurve(const Values& values) {
    const double rho = real(values, "rho");
    const double low = std::pow(real(values, "sigma_min"), 1 / rho),
                 high = std::pow(real(values, "sigma_max"), 1 / rho);
    return [=](double s) { return 1 / (std::pow(high + (1 - s) * (low - high), 2 * rho) + 1); };
}

}  // namespace kurve::schedule::detail
