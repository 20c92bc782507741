#include "models/common/length_only_watch.h"

#include <fmt/format.h>

#include <cmath>

namespace kurve::models {
namespace {

constexpr std::int64_t kSteps = 500;
constexpr double kFlat = 0.1, kNearUnigram = 0.4;  // nats
constexpr double kLearned = 0.8;                   // of the first length loss

}  // namespace

// Both halves of the window rest near the level of the frequencies, and the length loss has fallen since the
// beginning and does not rise: what a healthy start passes through in a few steps does not fill a window.
std::optional<std::string> LengthOnlyWatch::observe(std::int64_t step,
                                                    const std::map<std::string, double>& scalars) {
    const auto nll = scalars.find(nll_), length = scalars.find("loss_length");
    if (nll == scalars.end() || length == scalars.end()) return std::nullopt;
    points_.push_back({step, nll->second, length->second});
    if (!firstLength_) firstLength_ = length->second;
    const std::int64_t begin = step - kSteps;
    while (points_.size() > 2 && points_[1].step <= begin) points_.pop_front();
    if (points_.front().step > begin) return std::nullopt;
    Point halves[2];
    int counts[2] = {0, 0};
    for (const Point& point : points_) {
        if (point.step < begin) continue;
        const int half = point.step > begin + kSteps / 2 ? 1 : 0;
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
                      std::abs(halves[1].nll - unigramEntropy_) < kNearUnigram;
    const bool lengthLearned =
        halves[1].length < kLearned * *firstLength_ && halves[1].length <= halves[0].length;
    if (!flat || !lengthLearned) return std::nullopt;
    return fmt::format(
        "{} stays at {:.2f} for {} steps, near the unigram entropy ({:.2f}), while the length loss fell from "
        "{:.2f} to {:.2f}: only lengths are learned; lower loss.length_weight (default 0.1) or train.lr and "
        "start again",
        nll_, halves[1].nll, kSteps, unigramEntropy_, *firstLength_, halves[1].length);
}

}  // namespace kurve::models
