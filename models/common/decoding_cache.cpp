#include "models/common/decoding_cache.h"

#include <torch/torch.h>

#include "core/base/check.h"

namespace kurve::models {
namespace {

constexpr std::int64_t kPositionDim = 4, kGrowth = 16;  // few reallocations, and little to copy for nothing

}  // namespace

DecodingCache::DecodingCache(const Sizes& sizes, const at::TensorOptions& options)
    : all_(at::empty({sizes.rows, sizes.layers, 2, sizes.heads, kGrowth, sizes.width}, options)) {}

void DecodingCache::truncate(std::int64_t length) {
    KURVE_CHECK(length >= 0 && length <= length_, "{} of {} positions", length, length_);
    length_ = length;
}

KeyValue DecodingCache::append(std::int64_t layer, const at::Tensor& key, const at::Tensor& value) {
    const std::int64_t count = key.size(2), end = length_ + count;
    if (const std::int64_t capacity = all_.size(kPositionDim); end > capacity) {
        auto more = all_.sizes().vec();
        more[kPositionDim] = (end - capacity + kGrowth - 1) / kGrowth * kGrowth;
        all_ = at::cat({all_, at::empty(more, all_.options())}, kPositionDim);
    }
    const at::Tensor here = all_.select(1, layer);  // [rows, 2, heads, capacity, width]
    const at::Tensor keys = here.select(1, 0), values = here.select(1, 1);
    keys.narrow(2, length_, count).copy_(key);
    values.narrow(2, length_, count).copy_(value);
    return {keys.narrow(2, 0, end), values.narrow(2, 0, end)};
}

}  // namespace kurve::models
