#include "models/diffusia/shrinking_watch.h"

#include <fmt/format.h>

namespace kurve::models::diffusia {

std::optional<std::string> ShrinkingWatch::observe(std::int64_t /*step*/,
                                                   const std::map<std::string, double>& scalars) {
    const auto error = scalars.find("relative_error"), deviation = scalars.find("embedding_std");
    if (error == scalars.end() || deviation == scalars.end()) return std::nullopt;
    constexpr int kStartPoints = 3;     // the reference is the mean of the first points
    constexpr double kSmoothing = 0.2;  // of later ones
    if (points_++ < kStartPoints) {
        start_.error += error->second / kStartPoints;
        start_.deviation += deviation->second / kStartPoints;
        now_ = start_;
        return std::nullopt;
    }
    now_.error += kSmoothing * (error->second - now_.error);
    now_.deviation += kSmoothing * (deviation->second - now_.deviation);
    // In healthy runs of tiny models the deviation falls to two thirds of its start as well, but the relative
    // error to a half of its start long before that.
    const bool shrunk = now_.deviation < 0.8 * start_.deviation && now_.error > 0.9 * start_.error;
    if (!shrunk) return std::nullopt;
    return fmt::format(
        "the embeddings shrink: their standard deviation fell from {:.3g} to {:.3g}, the error relative to "
        "their variance only from {:.3g} to {:.3g}; lower train.lr",
        start_.deviation, now_.deviation, start_.error, now_.error);
}

}  // namespace kurve::models::diffusia
