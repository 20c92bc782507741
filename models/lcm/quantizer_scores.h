#pragma once

#include <map>
#include <string>

#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {

/// How much of vectors x [n, w] a quantizer keeps and how evenly it uses its centroids: scalars by name, for
/// each number k of kMeasuredBooks below its books, and under the plain name for all of them.
/// - quantizer_error_k: squared norm of what k books leave, over that of x;
/// - quantizer_used_k: distinct centroids of book k, over the most that n vectors can use;
/// - quantizer_entropy_k: entropy of their frequencies, over the logarithm of the same number.
/// The plain names of the last two are means over the books.
[[nodiscard]] std::map<std::string, at::Tensor> codebookScores(const QuantizerImpl& quantizer,
                                                               const at::Tensor& x);

/// codebookScores() of a batch's sentences, and quantizer_exact_k: the share of them that the autoencoder
/// writes letter for letter from the sums of k centroids.
[[nodiscard]] std::map<std::string, at::Tensor> quantizerScores(LcmParts& parts, const at::Tensor& x,
                                                                const train::DeviceBatch& batch);

/// The share of the sentences `which` of a batch that the autoencoder writes letter for letter from their
/// vectors [n, w]; `again` gets what it writes.
[[nodiscard]] double exactShare(sentence_concept::ConceptNetImpl& concepts, const at::Tensor& vectors,
                                const train::DeviceBatch& batch, std::span<const std::int64_t> which,
                                std::vector<std::vector<std::int32_t>>* maybeWritten = nullptr);

}  // namespace kurve::models::lcm
