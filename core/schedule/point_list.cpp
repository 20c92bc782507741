#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/schedule/free_curve.h"

namespace kurve::schedule {
namespace {

Error listError(const std::string& message, const std::string& remedy) {
    return requestError("schedule.points", message).at("points").fix(remedy);
}

Result<double> numberOf(std::string_view text) {
    text = trim(text);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return listError(fmt::format("“{}” is not a finite number", text.substr(0, 40)),
                         "write 0=12,0.5=0,1=-12");
    return value;
}

/// Every comma stands between two digits and there is no point: each may be a decimal sign.
bool commasMayBeDecimal(std::string_view text) {
    if (text.find('.') != std::string_view::npos || text.find(',') == std::string_view::npos) return false;
    const auto isDigit = [&](std::size_t at) {
        return at < text.size() && text[at] >= '0' && text[at] <= '9';
    };
    for (std::size_t at = text.find(','); at != std::string_view::npos; at = text.find(',', at + 1))
        if (at == 0 || !isDigit(at - 1) || !isDigit(at + 1)) return false;
    return true;
}

/// As people copy them from papers and spreadsheets: the minus of Unicode, and decimal commas where a tab or
/// a semicolon parts the numbers ("0,5<tab>-1,2").
std::string withPlainNumbers(std::string text) {
    static constexpr std::string_view kMinus = "\u2212";
    for (std::size_t at = text.find(kMinus); at != std::string::npos; at = text.find(kMinus, at))
        text.replace(at, kMinus.size(), "-");
    if (text.find_first_of("\t;") != std::string::npos && commasMayBeDecimal(text))
        std::replace(text.begin(), text.end(), ',', '.');
    return text;
}

using Lines = std::vector<std::vector<std::string>>;

/// What would be read as something else than was meant.
Status checkColumns(const std::string& text, const Lines& lines) {
    if (lines.size() < 2) return {};
    const std::size_t columns = lines.front().size();
    const auto all = [&](auto fits) { return std::all_of(lines.begin(), lines.end(), fits); };
    if (columns > 2 && text.find('\t') != std::string::npos &&
        all([&](const auto& line) { return line.size() == columns; }))
        return listError(fmt::format("a table of {} columns", columns), "copy two: the time and the value");
    if (!commasMayBeDecimal(text) || !all([](const auto& line) { return line.size() <= 2; })) return {};
    const auto timeOf = [](const auto& line) { return numberOf(line.front()).value_or(NAN); };
    const bool pairs = all([](const auto& line) { return line.size() == 2; });
    if (pairs && std::adjacent_find(lines.begin(), lines.end(), [&](const auto& a, const auto& b) {
                     return !(timeOf(a) < timeOf(b));
                 }) == lines.end())
        return {};
    return listError("the commas may be decimal signs, or stand between time and value",
                     "write decimals with a point, or separate the time and the value by a tab");
}

/// The words of each line; what separates numbers in files of all sorts counts as a blank.
Lines wordsByLine(const std::string& text) {
    Lines lines;
    for (std::string line : split(text, '\n')) {
        for (char& c : line)
            if (std::string_view(",;=:[](){}|\"'").find(c) != std::string_view::npos) c = ' ';
        if (auto words = splitWords(line); !words.empty()) lines.push_back(std::move(words));
    }
    return lines;
}

/// log-SNR of a fraction of the signal and of the noise; clamped to the limits of a free curve.
double ratioOf(double signal, double noise) {
    const double most = kMaxLogSnr / 2;
    if (!(signal > 0)) return -most;
    if (!(noise > 0)) return most;
    return std::clamp(std::log(signal / noise), -kMaxLogSnr, kMaxLogSnr);
}

bool isFraction(double value) {
    return value >= 0 && value <= 1;
}

Result<double> logSnrOf(double value, PointMeaning meaning, bool masking) {
    if (meaning == PointMeaning::LogSnr) return value;
    if (!isFraction(value))
        return listError(fmt::format("{} is not between 0 and 1", value), "check the list");
    if (masking)
        return meaning == PointMeaning::Sigma ? ratioOf(1 - value, value) : ratioOf(value, 1 - value);
    if (meaning == PointMeaning::Alpha) return ratioOf(value * value, 1 - value * value);
    if (meaning == PointMeaning::Sigma) return ratioOf(1 - value * value, value * value);
    return ratioOf(value, 1 - value);
}

/// A table beta_1 … beta_T becomes alpha_bar at 1/T … 1, and the point before it all data.
Result<std::vector<SchedulePoint>> fromBetas(const std::vector<SchedulePoint>& betas) {
    std::vector<SchedulePoint> points{{0, kMaxLogSnr / 2}};
    double alphaBar = 1;
    for (std::size_t i = 0; i < betas.size(); ++i) {
        const double beta = betas[i].logSnr;
        if (!isFraction(beta))
            return listError(fmt::format("{} is not between 0 and 1", beta), "check the list");
        alphaBar *= 1 - beta;
        points.push_back({static_cast<double>(i + 1) / static_cast<double>(betas.size()),
                          ratioOf(alphaBar, 1 - alphaBar)});
    }
    return points;
}

Result<std::vector<SchedulePoint>> rawList(const std::string& pasted) {
    const std::string text = withPlainNumbers(pasted);
    const auto lines = wordsByLine(text);
    KURVE_CHECKED(checkColumns(text, lines));
    // "t=value" pairs on one line count as pairs too.
    const bool signs = text.find_first_of("=:") != std::string::npos;
    const bool pairs =
        signs || (lines.size() > 1 &&
                  std::all_of(lines.begin(), lines.end(), [](const auto& l) { return l.size() == 2; }));
    std::vector<double> numbers;
    for (const auto& line : lines)
        for (const std::string& word : line) {
            KURVE_TRY(const double number, numberOf(word));
            numbers.push_back(number);
        }
    if (pairs && numbers.size() % 2 != 0)
        return listError("a time without a value", "write time=value pairs, or values alone");
    const std::size_t count = pairs ? numbers.size() / 2 : numbers.size();
    if (count < 2) return listError(counted(count, "point"), "give at least 2");
    std::vector<SchedulePoint> points;
    for (std::size_t i = 0; i < count; ++i)
        points.push_back(
            pairs ? SchedulePoint{numbers[2 * i], numbers[2 * i + 1]}
                  : SchedulePoint{static_cast<double>(i) / static_cast<double>(count - 1), numbers[i]});
    return points;
}

/// Times in order, from 0 to 1.
Status stretch(std::vector<SchedulePoint>& points) {
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
    const double from = points.front().t, width = points.back().t - from;
    for (std::size_t i = 1; i < points.size(); ++i)
        if (points[i].t - points[i - 1].t < kMinGap * width || width == 0)
            return listError(fmt::format("two points at the time {}", points[i].t), "remove one of them");
    for (SchedulePoint& point : points) point.t = (point.t - from) / width;
    return {};
}

/// Every so manieth point of a long list, the ends included: a table of 1000 steps is no curve to drag.
std::vector<SchedulePoint> thinned(const std::vector<SchedulePoint>& points) {
    constexpr std::size_t kHandy = 33;
    if (points.size() <= kMaxPoints) return points;
    std::vector<SchedulePoint> few;
    for (std::size_t i = 0; i < kHandy; ++i) few.push_back(points[i * (points.size() - 1) / (kHandy - 1)]);
    return few;
}

}  // namespace

Result<std::vector<SchedulePoint>> parsePoints(const std::string& text) {
    std::vector<SchedulePoint> points;
    for (const std::string& part : split(text, ',')) {
        const std::size_t sign = part.find('=');
        if (sign == std::string::npos)
            return listError(fmt::format("“{}” is not a point", std::string(trim(part)).substr(0, 40)),
                             "write time=log-SNR, as in 0=12,0.5=0,1=-12");
        KURVE_TRY(const double t, numberOf(std::string_view(part).substr(0, sign)));
        KURVE_TRY(const double ratio, numberOf(std::string_view(part).substr(sign + 1)));
        points.push_back({t, ratio});
    }
    return points;
}

std::string pointsText(const std::vector<SchedulePoint>& points) {
    std::vector<std::string> parts;
    for (const auto& point : points) parts.push_back(fmt::format("{}={}", point.t, point.logSnr));
    return join(parts, ",");
}

Result<std::vector<SchedulePoint>> parsePointList(const std::string& text, PointMeaning meaning,
                                                  bool masking) {
    KURVE_TRY(auto points, rawList(text));
    KURVE_CHECKED(stretch(points));
    if (meaning == PointMeaning::Beta) {
        KURVE_TRY(points, fromBetas(points));
    } else {
        for (SchedulePoint& point : points) {
            KURVE_TRY(point.logSnr, logSnrOf(point.logSnr, meaning, masking));
        }
    }
    return thinned(points);
}

}  // namespace kurve::schedule
