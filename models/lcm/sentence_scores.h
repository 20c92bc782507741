#pragma once

#include <map>

#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {

/// How near the next sentences of a batch come, each from the true ones before it (LCM, section 2.4.1), and
/// what a model that knows nothing reaches: scalars by name. The first sentence of a document and
/// those of its prompt do not count. What the batch has nothing to compare with has no score.
[[nodiscard]] std::map<std::string, at::Tensor> sentenceScores(LcmParts& parts, const RunConfig& sampler,
                                                               const Documents& documents,
                                                               const train::DeviceBatch& batch,
                                                               const train::StepRandom& random);

/// Share of the vectors of other documents that are farther from each prediction than the truth: [n]. Rows
/// are sentences, `document` [n] i64 theirs; of one document alone NaN.
[[nodiscard]] at::Tensor contrastiveAccuracy(const at::Tensor& predicted, const at::Tensor& truth,
                                             const at::Tensor& document);

}  // namespace kurve::models::lcm
