#pragma once

#include <torch/nn/module.h>

#include <optional>

#include "core/base/random_stream.h"

namespace kurve::models {

/// A residual quantizer (LCM, section 2.3.5): x ~ sum_k C_k[q_k], each centroid the nearest to what those
/// before it left. Its codebooks are buffers: they follow the vectors seen in training by an exponential
/// average of the k-means of each batch (van den Oord et al. 2017, appendix A.1; the paper runs k-means
/// offline).
class QuantizerImpl : public torch::nn::Module {
public:
    QuantizerImpl(std::int64_t books, std::int64_t centroids, std::int64_t width);

    /// Of x [n, w]: [n, books] i64.
    [[nodiscard]] at::Tensor codes(const at::Tensor& x) const;
    /// Sums of the first 0 … books centroids: [n, books + 1, w].
    [[nodiscard]] at::Tensor sums(const at::Tensor& codes) const;
    /// Of x [n, w] when `books` [n] i64 of its books are known, fewer than all: their sum [n, w] and the next
    /// one's centroid [n] i64.
    struct Known {
        at::Tensor sum, next;
    };
    [[nodiscard]] Known known(const at::Tensor& x, const at::Tensor& books) const;
    /// How many observe() has made; reads the device only where another has written `updates`.
    [[nodiscard]] std::int64_t updatesSoFar();
    /// One update by x [n, w]. Centroids that nothing chooses begin again at a residual.
    void observe(const at::Tensor& x, const StreamId& stream);
    [[nodiscard]] std::int64_t books() const { return codebooks.size(0); }

    at::Tensor codebooks;      ///< [books, centroids, w]
    at::Tensor counts, sums_;  ///< [books, centroids], [books, centroids, w]: averages of the batches
    at::Tensor updates;        ///< scalar f32

private:
    std::int64_t knownUpdates_ = 0;
    std::optional<std::int64_t> knownVersion_;  // of `updates`, that they were read or written of
};
TORCH_MODULE(Quantizer);

/// The numbers of codebooks after which validation measures, beside all of them.
inline constexpr std::int64_t kMeasuredBooks[] = {1, 2, 4, 8, 16, 32, 64};

}  // namespace kurve::models
