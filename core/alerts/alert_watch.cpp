#include "core/alerts/alert_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/counted.h"

namespace kurve::alerts {
namespace {

constexpr double kDecay = 0.9;    // a mean over about ten points
constexpr int kFirstPoints = 10;  // no spike before that

}  // namespace

AlertWatch::AlertWatch(const std::vector<Rule>& rules, std::vector<std::unique_ptr<FamilyWatch>> watches)
    : watches_(std::move(watches)) {
    for (const auto& rule : rules)
        if (rule.enabled) watched_.push_back({rule, false, 0, 0, 0, std::nullopt, 0});
}

std::vector<Alarm> AlertWatch::observe(std::int64_t step, const std::map<std::string, double>& metrics) {
    std::vector<Alarm> alarms;
    for (auto& watched : watched_) {
        if (watched.rule.kind == Kind::Family)
            std::erase_if(watches_, [&](const auto& watch) {
                const auto text = watch->observe(step, metrics);
                if (text) alarms.push_back({watched.rule.action, *text, watch->id()});
                return text.has_value();
            });
        if (!looksAtMetric(watched.rule.kind)) continue;
        const auto found = metrics.find(watched.rule.metric);
        if (found == metrics.end() || std::isnan(found->second)) continue;
        const auto text = check(watched, step, found->second);
        if (text && !watched.met) alarms.push_back({watched.rule.action, *text});
        watched.met = text.has_value();
    }
    return alarms;
}

std::optional<std::string> AlertWatch::check(Watched& watched, std::int64_t step, double value) {
    const Rule& rule = watched.rule;
    if (rule.kind == Kind::Above && value > rule.value)
        return fmt::format("{} is {:.4g}, above {:g}", rule.metric, value, rule.value);
    if (rule.kind == Kind::Below && value < rule.value)
        return fmt::format("{} is {:.4g}, below {:g}", rule.metric, value, rule.value);
    if (rule.kind == Kind::Spike) {
        const double mean = watched.weight > 0 ? watched.mean / watched.weight : value;
        const bool spike = watched.points >= kFirstPoints && value > rule.value * mean;
        ++watched.points;
        // The spike itself enters the mean slowly.
        const double weight = spike ? 0.01 : 1 - kDecay;
        watched.mean = (1 - weight) * watched.mean + weight * value;
        watched.weight = (1 - weight) * watched.weight + weight;
        if (spike)
            return fmt::format("{} jumped to {:.4g}, {:.1f} times its recent mean {:.4g}", rule.metric, value,
                               value / mean, mean);
    }
    if (rule.kind == Kind::Plateau) {
        const bool better =
            !watched.best || (rule.higherIsBetter ? value > *watched.best : value < *watched.best);
        if (better) {
            watched.best = value;
            watched.bestStep = step;
        } else if (step - watched.bestStep >= rule.steps) {
            return fmt::format("{} has not improved on {:.4g} for {}", rule.metric, *watched.best,
                               counted(step - watched.bestStep, "step"));
        }
    }
    return std::nullopt;
}

std::vector<Alarm> AlertWatch::observeDisk(double freeMegabytes) {
    std::vector<Alarm> alarms;
    for (auto& watched : watched_) {
        if (watched.rule.kind != Kind::Disk) continue;
        const bool low = freeMegabytes < watched.rule.value;
        if (low && !watched.met)
            alarms.push_back(
                {watched.rule.action, fmt::format("{:.0f} MB are left on the disk, less than {:g}",
                                                  freeMegabytes, watched.rule.value)});
        watched.met = low;
    }
    return alarms;
}

std::optional<Action> AlertWatch::onNonFinite() const {
    for (const auto& watched : watched_)
        if (watched.rule.kind == Kind::NonFinite) return watched.rule.action;
    return std::nullopt;
}

bool AlertWatch::reportsEnd() const {
    for (const auto& watched : watched_)
        if (watched.rule.kind == Kind::Done) return true;
    return false;
}

bool AlertWatch::watchesDisk() const {
    for (const auto& watched : watched_)
        if (watched.rule.kind == Kind::Disk) return true;
    return false;
}

}  // namespace kurve::alerts
