#pragma once

#include <functional>
#include <vector>

#include "core/metrics/distance_correlation.h"
#include "core/train/multi_token_prediction.h"

namespace kurve::train {

struct DependenceRequest {
    std::vector<std::vector<std::int32_t>> contexts;  ///< ids, BOS first; at least one
    Perturbation perturbation;                        ///< of context i with row i
    int permutations = 20;                            ///< of the baseline
    CancelToken cancel;
    std::function<void(double fraction)> progress = {};  ///< after every context
};

/// Distance correlations between the logit vectors of the n tokens that are predicted from one state, while
/// that state is perturbed (Sentence Curve Language Models, sec. 5.4, figure 6).
struct PositionDependence {
    /// n x n, row by row: of positions i and j, the mean over the contexts.
    std::vector<std::vector<double>> matrix;
    /// By context: the mean over pairs of different positions, over neighbouring ones, and of the former with
    /// the observations of one of the two in random order. By these, models are compared context by context.
    std::vector<double> offDiagonal, neighbours, permuted;
    bool cancelled = false;
};

/// Of a model of at least two positions. An untrained one has high values as well: all positions depend on
/// one state, and sums of many dimensions correlate by distance. Only differences between models on the same
/// contexts mean anything. Errors: those of perturbedLogits().
Result<PositionDependence> positionDependence(MultiTokenPrediction& model, const DependenceRequest& request);

/// The beginnings of the first texts that have n tokens after them: one of each text, at most `count`, of a
/// random length from the stream "dependence.context" of the seed. `texts`: ids, BOS first.
[[nodiscard]] std::vector<std::vector<std::int32_t>> dependenceContexts(
    const std::vector<std::vector<std::int32_t>>& texts, std::size_t count, std::int64_t n,
    std::uint64_t seed);

}  // namespace kurve::train
