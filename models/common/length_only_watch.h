#pragma once

#include <deque>
#include <optional>
#include <string>

#include "core/alerts/family_watch.h"

namespace kurve::models {

/// Finds that lengths are learned but no words: for 500 steps the NLL rests near the unigram entropy, what a
/// model reaches that knows nothing but the words' frequencies, while the length loss has fallen.
class LengthOnlyWatch final : public alerts::FamilyWatch {
public:
    /// nll: the scalar; unigramEntropy: of the training targets, nats.
    LengthOnlyWatch(std::string nll, double unigramEntropy)
        : nll_(std::move(nll)), unigramEntropy_(unigramEntropy) {}
    [[nodiscard]] const char* id() const override { return "length_only"; }
    [[nodiscard]] const char* doc() const override {
        return "the NLL rests at the unigram entropy while the length loss falls";
    }
    std::optional<std::string> observe(std::int64_t step,
                                       const std::map<std::string, double>& scalars) override;

private:
    struct Point {
        std::int64_t step = 0;
        double nll = 0, length = 0;
    };
    std::string nll_;
    double unigramEntropy_;
    std::deque<Point> points_;           // of the last 500 steps
    std::optional<double> firstLength_;  // length loss of the first point
};

}  // namespace kurve::models
