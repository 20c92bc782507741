#pragma once

#include "core/alerts/family_watch.h"

namespace kurve::models::difformer {

/// Finds a collapse of the embeddings: the MSE pulls them to zero, so L_diff and their standard deviation
/// fall while the tokens are predicted no better. Compares smoothed values with those of the start.
class CollapseWatch final : public alerts::FamilyWatch {
public:
    [[nodiscard]] const char* id() const override { return "embedding_collapse"; }
    [[nodiscard]] const char* doc() const override {
        return "embeddings and diffusion loss shrink while the tokens are predicted no better";
    }
    std::optional<std::string> observe(std::int64_t step,
                                       const std::map<std::string, double>& scalars) override;

private:
    struct Values {
        double difference = 0, nll = 0, standardDeviation = 0;
    };
    Values start_, now_;
    int points_ = 0;
};

}  // namespace kurve::models::difformer
