#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/schedule/detail/discrete_schedule.h"
#include "core/schedule/detail/free_schedule.h"
#include "core/schedule/detail/logistic.h"
#include "core/schedule/schedule_file.h"

namespace kurve::schedule {
namespace detail {
namespace {

/// sigmoid(from) - sigmoid(to), without cancellation where both are near 1.
double sigmoidFall(double from, double to) {
    return -sigmoid(from) * sigmoid(-to) * std::expm1(to - from);
}

void checkTime(double s) {
    KURVE_CHECK(s >= 0 && s <= 1, "s = {} is not in [0, 1]", s);
}

/// 1 - sqrt(signal), exact where the noise is small.
double missing(double signal, double noise) {
    return noise / (1 + std::sqrt(signal));
}

const std::string& textOf(const Values& values, const char* key) {
    return std::get<std::string>(values.at(key));
}

/// The points and the zero-terminal flag of a kind's fields; what the fields hold was checked before.
Result<FreeCurve> curveOf(const Values& values, bool masking) {
    FreeCurve curve;
    curve.masking = masking;
    curve.zeroTerminal = std::get<bool>(values.at("zero_terminal"));
    KURVE_TRY(curve.points, parsePoints(textOf(values, "points")));
    KURVE_CHECKED(check(curve));
    return curve;
}

FieldSpec pointsField(const char* points) {
    return textField("points", points, "time=log-SNR pairs from 0 (data) to 1 (noise), decreasing")
        .from("Kurve: monotone cubic of Fritsch & Carlson 1980");
}

}  // namespace

FreeGaussian::FreeGaussian(const FreeCurve& curve, const FreeSettings& settings)
    : logSnr_(curve.interpolated()),
      zeroTerminal_(curve.zeroTerminal && logSnr_.value(0) > logSnr_.value(1)) {
    (settings.bend ? shift_ : noiseFactor_) =
        settings.bend ? 2 * std::log(settings.noiseFactor) : settings.noiseFactor;
    KURVE_CHECK(settings.steps >= 2, "{} steps", settings.steps);
    double before = 1;
    for (int i = 1; i <= settings.steps; ++i) {
        const double amplitude = alpha(static_cast<double>(i) / settings.steps);
        alphaBars_.push_back(amplitude * amplitude);
        betas_.push_back(1 - alphaBars_.back() / before);
        before = alphaBars_.back();
    }
}

std::pair<double, double> FreeGaussian::amplitudes(double s) const {
    checkTime(s);
    const double ratio = logSnr_.value(s) - shift_;
    const double signal = sigmoid(ratio), noise = sigmoid(-ratio);
    if (!zeroTerminal_) return {std::sqrt(signal), std::sqrt(noise)};
    if (s == 1) return {0, 1};
    const double first = logSnr_.value(0) - shift_, last = std::sqrt(sigmoid(logSnr_.value(1) - shift_));
    const double lost = missing(signal, noise), lostFirst = missing(sigmoid(first), sigmoid(-first));
    // Beyond 0 and 1 only where the points do not fall.
    const double lostNow = std::clamp(lost + last * (lost - lostFirst) / (1 - lostFirst - last), 0.0, 1.0);
    return {1 - lostNow, std::sqrt(lostNow * (2 - lostNow))};
}

FreeMask::FreeMask(const FreeCurve& curve) : logSnr_(curve.interpolated()) {
    const double first = logSnr_.value(0), end = logSnr_.value(1);
    if (!curve.zeroTerminal || first <= end) return;
    end_ = end;
    stretch_ = sigmoid(first) / sigmoidFall(first, end);
}

double FreeMask::alpha(double s) const {
    checkTime(s);
    const double ratio = logSnr_.value(s);
    return end_ ? sigmoidFall(ratio, *end_) * stretch_ : sigmoid(ratio);
}

std::optional<double> FreeMask::maskProbability(double s) const {
    checkTime(s);
    const double ratio = logSnr_.value(s);
    if (!end_) return sigmoid(-ratio);
    const double first = logSnr_.value(0);
    return sigmoid(-first) + sigmoidFall(first, ratio) * stretch_;
}

double FreeMask::fall(double s) const {
    checkTime(s);
    const double ratio = logSnr_.value(s);
    return -sigmoid(ratio) * sigmoid(-ratio) * logSnr_.slope(s) * stretch_;
}

std::optional<double> FreeMask::weight(double s) const {
    return fall(s) / *maskProbability(s);
}

std::optional<double> FreeMask::noiseRate(double s) const {
    return fall(s) / alpha(s);
}

ScheduleKind freeKind() {
    ScheduleKind kind{"free", "Free curve", "points of the log-SNR with a monotone cubic between",
                      "drawn in the laboratory, or in a schedule file"};
    kind.drawn = true;
    kind.fields = discreteFields({pointsField("0=10,0.25=2.5,0.5=0,0.75=-2.5,1=-10")});
    kind.check = [](const Values& values) -> Status {
        const auto curve = curveOf(values, false);
        return curve ? Status() : curve.error();
    };
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        FreeSettings settings;
        settings.steps = static_cast<int>(std::get<std::int64_t>(values.at("steps")));
        settings.noiseFactor = real(values, "noise_factor");
        settings.bend = std::get<bool>(values.at("vp_rf"));
        return makeFreeSchedule(*curveOf(values, false), settings);
    };
    return kind;
}

ScheduleKind freeMaskKind() {
    ScheduleKind kind{"free-mask", "Free masking curve",
                      "points of the log-odds of being unmasked with a monotone cubic between",
                      "drawn in the laboratory, or in a schedule file"};
    kind.drawn = kind.masking = true;
    kind.fields = {pointsField("0=8,0.25=1.1,0.5=0,0.75=-1.1,1=-8"),
                   flagField("zero_terminal", false, "rescaled, so that no signal is left at s = 1")
                       .from("Lin et al. 2024, algorithm 1")};
    kind.check = [](const Values& values) -> Status {
        const auto curve = curveOf(values, true);
        return curve ? Status() : curve.error();
    };
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return makeFreeSchedule(*curveOf(values, true));
    };
    return kind;
}

}  // namespace detail

std::unique_ptr<NoiseSchedule> makeFreeSchedule(const FreeCurve& curve, const FreeSettings& settings) {
    if (curve.masking) return std::make_unique<detail::FreeMask>(curve);
    return std::make_unique<detail::FreeGaussian>(curve, settings);
}

}  // namespace kurve::schedule
