#include "core/schedule/schedule_text.h"

#include <fmt/format.h>

#include <cmath>

namespace kurve::schedule {
namespace {

constexpr int kParts = 1000;

int partsOf(const NoiseSchedule& schedule) {
    return schedule.discreteSteps() > 0 ? schedule.discreteSteps() : kParts;
}

template <class At>
std::string arrayText(const std::string& name, std::size_t count, At at) {
    std::string text = fmt::format("inline constexpr std::array<double, {}> {}{{\n", count, name);
    for (std::size_t i = 0; i < count; ++i)
        text += (i % 6 == 0 ? "    " : " ") + realText(at(i)) + (i + 1 == count ? "" : ",") +
                (i % 6 == 5 || i + 1 == count ? "\n" : "");
    return text + "};\n";
}

std::string beginning(const NoiseSchedule& schedule) {
    return fmt::format("// Noise schedule \"{}\", written by Kurve.\n#pragma once\n\n#include <array>\n\n",
                       schedule.name());
}

std::string tables(const NoiseSchedule& schedule) {
    if (const auto signal = schedule.alphaBars(); !signal.empty())
        return "// Training steps 0 .. T-1.\n" +
               arrayText("kAlphaBar", signal.size(), [&](std::size_t i) { return signal[i]; }) +
               arrayText("kBeta", signal.size(), [&](std::size_t i) { return schedule.betas()[i]; });
    const auto at = [](std::size_t i) { return static_cast<double>(i) / kParts; };
    // The total noise of a mask schedule may be infinite at the end; what is masked says the same.
    const auto noise = [&](double t) { return schedule.maskProbability(t).value_or(schedule.sigma(t)); };
    return fmt::format("// At times i / {}.\n", kParts) +
           arrayText("kAlpha", kParts + 1, [&](std::size_t i) { return schedule.alpha(at(i)); }) +
           arrayText(schedule.maskProbability(0.5) ? "kMasked" : "kSigma", kParts + 1,
                     [&](std::size_t i) { return noise(at(i)); });
}

}  // namespace

std::string realText(double value) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string tableText(const NoiseSchedule& schedule) {
    std::string text = "t,alpha,sigma,log_snr\n";
    const int parts = partsOf(schedule);
    for (int i = 0; i <= parts; ++i) {
        const double t = static_cast<double>(i) / parts;
        text += fmt::format("{},{},{},{}\n", t, schedule.alpha(t), schedule.sigma(t), schedule.logSnr(t));
    }
    return text;
}

std::string initialiserText(const NoiseSchedule& schedule) {
    return beginning(schedule) + tables(schedule);
}

std::string initialiserText(const FreeCurve& curve, const NoiseSchedule& schedule) {
    const auto& points = curve.points;
    return beginning(schedule) + "// Monotone cubic of the log-SNR (nats) through these points.\n" +
           arrayText("kTime", points.size(), [&](std::size_t i) { return points[i].t; }) +
           arrayText("kLogSnr", points.size(), [&](std::size_t i) { return points[i].logSnr; }) +
           tables(schedule);
}

}  // namespace kurve::schedule
