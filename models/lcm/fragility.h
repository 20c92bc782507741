#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/train/model_family.h"
#include "models/concept/concept_net.h"

namespace kurve::models::lcm {

/// How much the reconstruction of sentences suffers under noise (LCM, section 2.5.2): 1 - E[score], with
/// x' = denormalised(sqrt(1 - a) x + sqrt(a) e), a of {0.1, …, 0.9}, e ~ N(0, I). The score is the share of
/// a sentence's tokens that the frozen decoder finds from x', each from the true ones before it: what can be
/// computed in a training step. 0: it bears all noise.
struct FragileNoise {
    at::Tensor variance;  ///< a, [n, 1]
    at::Tensor noise;     ///< e, [n, w]
};
/// Mean over the draws: [n]. `normalised` [n, w] are the vectors of the sentences. No gradient.
[[nodiscard]] at::Tensor fragility(sentence_concept::ConceptNetImpl& concepts,
                                   const sentence_concept::Sentences& sentences, const at::Tensor& normalised,
                                   const std::vector<FragileNoise>& draws);

/// LCM, eq. 19: sigmoid(slope fragility + offset). With the fragility in [0, 1] instead of the -E[score] of
/// eq. 26, at which the published slope and offset would give all sentences 0.97 and more.
[[nodiscard]] at::Tensor fragilityWeight(const at::Tensor& fragility, double slope, double offset);

/// As many draws, each row's of its own random numbers; `like` [n, w] gives shape and device. The levels of a
/// row spread over {0.1, …, 0.9}: of nine draws each has another.
[[nodiscard]] std::vector<FragileNoise> fragileNoise(std::int64_t draws, const at::Tensor& like,
                                                     const train::StepRandom& random);

}  // namespace kurve::models::lcm
