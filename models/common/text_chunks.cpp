#include "models/common/text_chunks.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "models/common/padding.h"

namespace kurve::models {

std::int64_t TextChunks::total() const {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t TextChunks::totalTokens() const {
    return std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
}

ChunkPlaces::ChunkPlaces(const TextChunks& chunks)
    : indices(realIndices(chunks.counts, chunks.ids.size(1), chunks.ids.device())),
      texts(chunks.ids.size(0)),
      most(chunks.ids.size(1)) {}

at::Tensor ChunkPlaces::of(const at::Tensor& values) const {
    return values.flatten(0, 1).index_select(0, indices);
}

at::Tensor ChunkPlaces::numbers(std::uint64_t firstRow) const {
    constexpr std::int64_t kMostPlaces = 1 << 20;
    const at::Tensor row = indices.div(most, "floor") + static_cast<std::int64_t>(firstRow);
    return row * kMostPlaces + indices.remainder(most);
}

at::Tensor ChunkPlaces::draw(Draw numbers, std::int64_t width, const tensor::RowStream& stream) const {
    return of(numbers({texts, most, width}, stream, indices.device()));
}

TextChunks chunksOf(const at::Tensor& texts, std::span<const std::int32_t> lengths, std::int64_t chunkTokens,
                    const text::SpecialIds& special) {
    TextChunks out;
    std::int64_t most = 0;
    for (const std::int32_t length : lengths) {
        KURVE_CHECK(length > 1, "a text of {} tokens", length);
        out.tokens.push_back(length - 1);
        out.counts.push_back(static_cast<std::int32_t>((length - 2 + chunkTokens) / chunkTokens));
        most = std::max<std::int64_t>(most, out.counts.back());
    }
    const std::int64_t width = most * chunkTokens, there = std::min(width, texts.size(1) - 1);
    out.ids = at::constant_pad_nd(texts.narrow(1, 1, there), {0, width - there}, special.pad)
                  .view({texts.size(0), most, chunkTokens});
    return out;
}

}  // namespace kurve::models
