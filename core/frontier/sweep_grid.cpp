#include "core/frontier/sweep_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/random_stream.h"
#include "core/base/text.h"
#include "core/frontier/front.h"

namespace kurve::frontier {
namespace {

constexpr const char* kForm = "write KEY=A,B,C or KEY=FIRST..LAST:STEP, for example sampler.steps=5..20:5";
constexpr std::size_t kMaximalRange = 1000;

Error badGrid(const std::string& text, const std::string& why) {
    return requestError("sweep.bad_grid", fmt::format("“{}”: {}", text, why)).at("--grid").fix(kForm);
}

std::optional<double> numberOf(std::string_view text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

bool isWhole(std::string_view text) {
    return text.find_first_not_of("+-0123456789") == std::string_view::npos;
}

std::string valueText(double value) {
    return fmt::format("{:.10g}", value);
}

Result<std::vector<std::string>> rangeValues(const std::string& axis, std::string_view text) {
    const auto dots = text.find("..");
    const auto colon = text.find(':', dots);
    const auto first = numberOf(text.substr(0, dots));
    const auto last = numberOf(text.substr(dots + 2, colon == text.npos ? text.npos : colon - dots - 2));
    const std::string_view stepText = colon == text.npos ? "1" : text.substr(colon + 1);
    const bool factor = stepText.starts_with('x');
    const auto step = numberOf(factor ? stepText.substr(1) : stepText);
    if (!first || !last || !step) return badGrid(axis, "not a number");
    if (*step <= 0 || *last < *first) return badGrid(axis, "the range must grow by a positive step");
    if (factor && (*step <= 1 || *first <= 0))
        return badGrid(axis, "a range by factors begins above zero and has a factor above one");
    const double count =
        std::floor((factor ? std::log(*last / *first) / std::log(*step) : (*last - *first) / *step) + 1e-9);
    if (count >= static_cast<double>(kMaximalRange))
        return badGrid(axis, fmt::format("the range has more than {} values", kMaximalRange));
    std::vector<std::string> values;
    for (int i = 0; i <= static_cast<int>(count); ++i)
        values.push_back(valueText(factor ? *first * std::pow(*step, i) : *first + i * *step));
    return values;
}

struct Span {
    double first = 0, last = 0;
    bool whole = false;
};

/// "1e-4..1e-2": two ends and no step.
std::optional<Span> spanOf(std::string_view text) {
    const auto dots = text.find("..");
    if (dots == text.npos || text.find_first_of(":,") != text.npos) return std::nullopt;
    const auto first = numberOf(text.substr(0, dots)), last = numberOf(text.substr(dots + 2));
    if (!first || !last || *last <= *first) return std::nullopt;
    return Span{*first, *last, isWhole(text.substr(0, dots)) && isWhole(text.substr(dots + 2))};
}

std::string drawFrom(const Span& span, RandomStream& random) {
    const bool logarithmic = span.first > 0 && span.last >= 10 * span.first;
    const double fraction = random.uniform();
    const double last = span.whole ? span.last + 1 : span.last;
    const double value = logarithmic ? span.first * std::pow(last / span.first, fraction)
                                     : span.first + fraction * (last - span.first);
    if (span.whole) return fmt::format("{:.0f}", std::min(span.last, std::floor(value)));
    return fmt::format("{:.3g}", value);
}

/// 0, n-1, the middle, the quarters …: every prefix covers the whole.
std::vector<std::size_t> coarseOrder(std::size_t n) {
    std::vector<std::size_t> order;
    std::vector<bool> taken(n);
    const auto take = [&](std::size_t i) {
        if (taken[i]) return;
        taken[i] = true;
        order.push_back(i);
    };
    if (n > 0) take(0);
    if (n > 1) take(n - 1);
    for (std::size_t parts = 2; order.size() < n; parts *= 2)
        for (std::size_t part = 1; part < parts; part += 2)
            take((n - 1) * part / parts + ((n - 1) * part % parts * 2 >= parts ? 1 : 0));
    return order;
}

std::vector<PlanePoint> planePointsOf(const std::vector<SweepPoint>& points, const std::string& quality,
                                      const std::string& diversity) {
    std::vector<PlanePoint> planePoints;
    const double sign = direction(quality);
    for (const auto& point : points) {
        const auto x = point.diversity.find(diversity);
        const auto y = point.quality.find(quality);
        const bool both = x != point.diversity.end() && y != point.quality.end();
        planePoints.push_back(both ? planePoint(x->second, y->second, sign) : PlanePoint{NAN, NAN});
    }
    return planePoints;
}

std::optional<Settings> halfWay(const Settings& a, const Settings& b) {
    Settings middle = a;
    bool moved = false;
    for (auto& [key, value] : middle) {
        const auto other = b.find(key);
        if (other == b.end()) return std::nullopt;
        const auto left = numberOf(value), right = numberOf(other->second);
        if (!left || !right || *left == *right) continue;
        const bool whole = isWhole(value) && isWhole(other->second);
        value = valueText(whole ? std::round((*left + *right) / 2) : (*left + *right) / 2);
        moved = true;
    }
    if (!moved) return std::nullopt;
    return middle;
}

/// How much the front would gain from a point between i and i+1: the length of the gap in units of the whole
/// front, doubled where the direction turns most.
double gapWeight(const std::vector<PlanePoint>& front, std::size_t i, double width, double height) {
    const auto direction = [&](std::size_t k) {
        return std::atan2((front[k + 1].y - front[k].y) / height, (front[k + 1].x - front[k].x) / width);
    };
    const double length =
        std::hypot((front[i + 1].x - front[i].x) / width, (front[i + 1].y - front[i].y) / height);
    double turn = 0;
    if (i > 0) turn = std::max(turn, std::abs(direction(i) - direction(i - 1)));
    if (i + 2 < front.size()) turn = std::max(turn, std::abs(direction(i + 1) - direction(i)));
    return length * (1 + turn / std::acos(0.0));
}

bool isSameOutcome(const SweepPoint& a, const SweepPoint& b) {
    const auto sameText = [](const SweepPoint::Text& x, const SweepPoint::Text& y) {
        return x.outputs == y.outputs;
    };
    const auto sameScore = [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.value == y.second.value;
    };
    return std::ranges::equal(a.texts, b.texts, sameText) &&
           std::ranges::equal(a.quality, b.quality, sameScore) &&
           std::ranges::equal(a.diversity, b.diversity, sameScore);
}

}  // namespace

Result<Axis> parseAxis(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return badGrid(text, "there is no KEY=");
    Axis axis{text.substr(0, equals), {}};
    std::set<std::string> seen;
    for (const std::string& part : split(std::string_view(text).substr(equals + 1), ',')) {
        const std::string value(trim(part));
        if (value.empty()) return badGrid(text, "a value is empty");
        std::vector<std::string> values{value};
        if (value.find("..") != std::string::npos) {
            KURVE_TRY(values, rangeValues(text, value));
        }
        for (auto& one : values)
            if (seen.insert(one).second) axis.values.push_back(std::move(one));
    }
    return axis;
}

Result<std::vector<Settings>> expand(const std::vector<Axis>& axes, std::size_t limit) {
    struct Combination {
        std::size_t roughness = 0;  // the latest axis position in coarse order: small = coarse
        Settings settings;
    };
    std::vector<Combination> all{{}};
    std::set<std::string> keys;
    for (const Axis& axis : axes) {
        if (!keys.insert(axis.key).second) return badGrid(axis.key, "the key is given twice");
        if (all.size() * axis.values.size() > limit)
            return requestError("sweep.too_many", fmt::format("the grid has more than {} points", limit))
                .at("--grid")
                .fix("give fewer values, or refine a coarse grid with --refine");
        std::vector<Combination> next;
        const auto order = coarseOrder(axis.values.size());
        for (const auto& combination : all)
            for (std::size_t rank = 0; rank < order.size(); ++rank) {
                Combination one = combination;
                one.roughness = std::max(one.roughness, rank < 2 ? std::size_t{0} : rank);
                one.settings[axis.key] = axis.values[order[rank]];
                next.push_back(std::move(one));
            }
        all = std::move(next);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.roughness < b.roughness; });
    std::vector<Settings> settings;
    for (auto& one : all) settings.push_back(std::move(one.settings));
    return settings;
}

Result<std::vector<Settings>> draw(const std::vector<std::string>& axes, std::size_t count,
                                   std::uint64_t seed) {
    struct Source {
        std::string key;
        std::vector<std::string> values;  // empty: any number of the span
        Span span;
    };
    std::vector<Source> sources;
    for (const auto& text : axes) {
        const auto equals = std::min(text.find('='), text.size());
        Source source{text.substr(0, equals), {}, {}};
        if (const auto span =
                spanOf(trim(std::string_view(text).substr(std::min(equals + 1, text.size()))))) {
            source.span = *span;
        } else {
            KURVE_TRY(const Axis axis, parseAxis(text));
            source.values = axis.values;
        }
        sources.push_back(std::move(source));
    }
    RandomStream random(seed, "sweep");
    std::set<Settings> known;
    std::vector<Settings> all;
    // Where the lists have fewer combinations than requested, the tries end it.
    for (std::size_t tries = 0; all.size() < count && tries < 50 * count; ++tries) {
        Settings one;
        for (const auto& source : sources)
            one[source.key] =
                source.values.empty()
                    ? drawFrom(source.span, random)
                    : source.values[static_cast<std::size_t>(random.below(source.values.size()))];
        if (known.insert(one).second) all.push_back(std::move(one));
    }
    return all;
}

std::vector<Settings> refine(const std::vector<SweepPoint>& points, const std::string& quality,
                             const std::string& diversity, std::size_t count) {
    const auto planePoints = planePointsOf(points, quality, diversity);
    const auto order = paretoFront(planePoints);
    if (order.size() < 2) return {};
    std::vector<PlanePoint> front;
    for (const auto i : order) front.push_back(planePoints[i]);
    const double width = front.back().x - front.front().x, height = front.front().y - front.back().y;
    std::vector<std::pair<double, std::size_t>> gaps;
    for (std::size_t i = 0; i + 1 < front.size(); ++i)
        gaps.emplace_back(gapWeight(front, i, width, height), i);
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::set<Settings> known;
    for (const auto& point : points) known.insert(point.settings);
    std::vector<Settings> fresh;
    for (const auto& [weight, i] : gaps) {
        if (fresh.size() == count) break;
        const auto middle = halfWay(points[order[i]].settings, points[order[i + 1]].settings);
        if (middle && known.insert(*middle).second) fresh.push_back(*middle);
    }
    return fresh;
}

std::vector<std::string> settingsWithoutEffect(const std::vector<SweepPoint>& points) {
    std::set<std::string> keys;
    for (const auto& point : points)
        for (const auto& [key, value] : point.settings) keys.insert(key);
    std::vector<std::string> without;
    for (const auto& key : keys) {
        std::map<Settings, const SweepPoint*> first;  // by the other settings
        bool compared = false, differs = false;
        for (const auto& point : points) {
            Settings others = point.settings;
            if (others.erase(key) == 0) continue;
            const auto [known, isNew] = first.emplace(std::move(others), &point);
            compared = compared || !isNew;
            differs = differs || !isSameOutcome(*known->second, point);
        }
        if (compared && !differs) without.push_back(key);
    }
    return without;
}

}  // namespace kurve::frontier
