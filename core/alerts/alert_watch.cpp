#include "core/alerts/alert_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurve::alerts {
namespace {

constexpr double kDecay = 0.9;    // a mean over about ten points
constexpr int kFirstPoints = 10;  // no spike before that

constexpr const char *kNll = "nll", *kLengthLoss = "loss_length";
constexpr double kFlat = 0.1, kNearUnigram = 0.4;  // nats
constexpr double kLearned = 0.8;                   // of the first length loss

}  // namespace

AlertWatch::AlertWatch(const std::vector<Rule>& rules) {
    for (const auto& rule : rules)
        if (rule.enabled) watched_.push_back({rule, false, 0, 0, 0, std::nullopt, 0});
}

std::vector<Alarm> AlertWatch::observe(std::int64_t step, const std::map<std::string, double>& metrics) {
    std::vector<Alarm> alarms;
    recordWords(step, metrics);
    for (auto& watched : watched_) {
        if (watched.rule.kind == Kind::Unigram && metrics.contains(kNll)) {
            const auto text = checkWords(watched.rule);
            if (text && !watched.met) alarms.push_back({watched.rule.action, *text});
            watched.met = text.has_value();
        }
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
            return fmt::format("{} has not improved on {:.4g} for {} steps", rule.metric, *watched.best,
                               step - watched.bestStep);
        }
    }
    return std::nullopt;
}

void AlertWatch::recordWords(std::int64_t step, const std::map<std::string, double>& metrics) {
    const auto nll = metrics.find(kNll), length = metrics.find(kLengthLoss);
    std::int64_t window = 0;
    for (const auto& watched : watched_)
        if (watched.rule.kind == Kind::Unigram) window = std::max(window, watched.rule.steps);
    if (window == 0 || nll == metrics.end() || length == metrics.end()) return;
    words_.push_back({step, nll->second, length->second});
    if (!firstLength_) firstLength_ = length->second;
    while (words_.size() > 2 && words_[1].step <= step - window) words_.pop_front();
}

// Both halves of the window rest near the level of the frequencies, and the length loss has fallen since the
// beginning and does not rise: what a healthy start passes through in a few steps does not fill a window.
std::optional<std::string> AlertWatch::checkWords(const Rule& rule) const {
    if (!unigramLevel_ || words_.empty() || words_.front().step > words_.back().step - rule.steps)
        return std::nullopt;
    const std::int64_t end = words_.back().step, begin = end - rule.steps;
    Words halves[2];
    int counts[2] = {0, 0};
    for (const Words& point : words_) {
        if (point.step < begin) continue;
        const int half = point.step > begin + rule.steps / 2 ? 1 : 0;
        halves[half].nll += point.nll;
        halves[half].length += point.length;
        ++counts[half];
    }
    if (counts[0] == 0 || counts[1] == 0) return std::nullopt;
    for (const int half : {0, 1}) {
        halves[half].nll /= counts[half];
        halves[half].length /= counts[half];
    }
    const bool flat = std::abs(halves[1].nll - halves[0].nll) < kFlat &&
                      std::abs(halves[1].nll - *unigramLevel_) < kNearUnigram;
    const bool lengthLearned =
        halves[1].length < kLearned * *firstLength_ && halves[1].length <= halves[0].length;
    if (!flat || !lengthLearned) return std::nullopt;
    return fmt::format(
        "{} stays at {:.2f} for {} steps, near the unigram entropy ({:.2f}), while the length loss fell from "
        "{:.2f} to {:.2f}: only lengths are learned; lower loss.length_weight (default 0.1) or train.lr and "
        "start again",
        kNll, halves[1].nll, rule.steps, *unigramLevel_, *firstLength_, halves[1].length);
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
