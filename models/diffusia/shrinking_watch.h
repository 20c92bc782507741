#pragma once

#include "core/alerts/family_watch.h"

namespace kurve::models::diffusia {

/// Finds that the loss falls because the embeddings shrink and not because they are estimated better: their
/// standard deviation falls, and the error over their variance does not. Compares smoothed values with those
/// of the start.
class ShrinkingWatch final : public alerts::FamilyWatch {
public:
    [[nodiscard]] const char* id() const override { return "embedding_shrinkage"; }
    [[nodiscard]] const char* doc() const override {
        return "the embeddings shrink, and with them the loss, while the relative error does not fall";
    }
    std::optional<std::string> observe(std::int64_t step,
                                       const std::map<std::string, double>& scalars) override;

private:
    struct Values {
        double error = 0, deviation = 0;
    };
    Values start_, now_;
    int points_ = 0;
};

}  // namespace kurve::models::diffusia
