#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/random.h"
#include "core/text/special_ids.h"

namespace kurve::models {

/// Texts cut into chunks of K tokens (Shao et al. 2025, section 2.1): from behind <s> to </s>, the last chunk
/// filled with <pad>.
struct TextChunks {
    at::Tensor ids;                    ///< [B, C, K] i64 on the texts' device
    std::vector<std::int32_t> counts;  ///< [B] chunks of each text
    std::vector<std::int32_t> tokens;  ///< [B] tokens of each text, without <s> and the filling

    [[nodiscard]] std::int64_t total() const;  ///< chunks of all texts
    [[nodiscard]] std::int64_t totalTokens() const;
};

/// The chunks of a batch one after another, without the filling of short texts.
struct ChunkPlaces {
    at::Tensor indices;  ///< [n] i64: flat places in [texts, most]
    std::int64_t texts = 0, most = 0;

    explicit ChunkPlaces(const TextChunks& chunks);
    /// Those rows of values [texts, most, …]: [n, …].
    [[nodiscard]] at::Tensor of(const at::Tensor& values) const;
    using Draw = at::Tensor (*)(at::IntArrayRef shape, const tensor::RowStream& stream, c10::Device device);
    /// A number for each chunk, [n] i64, of its text's number and its place there; `firstRow` is the first
    /// text's.
    [[nodiscard]] at::Tensor numbers(std::uint64_t firstRow) const;
    /// Random numbers [n, width] that depend on a chunk's text and its place there, not on the batch.
    [[nodiscard]] at::Tensor draw(Draw numbers, std::int64_t width, const tensor::RowStream& stream) const;
};

/// `texts` [B, L] i64 with <s> first, `lengths` their tokens with it; at least two of them.
[[nodiscard]] TextChunks chunksOf(const at::Tensor& texts, std::span<const std::int32_t> lengths,
                                  std::int64_t chunkTokens, const text::SpecialIds& special);

}  // namespace kurve::models
