#pragma once

#include <ATen/core/Tensor.h>

#include "models/common/attention.h"

namespace kurve::models {

/// Keys and values of the tokens that a causal decoder has generated, for all layers and rows: a new token
/// then costs one position. One tensor [rows, layers, 2, heads, capacity, width], so that choosing rows is
/// one copy.
class DecodingCache {
public:
    struct Sizes {
        std::int64_t rows = 0, layers = 0, heads = 0, width = 0;
    };
    DecodingCache(const Sizes& sizes, const at::TensorOptions& options);

    /// Adds n positions of layer `layer`, key and value [rows, heads, n, width]; returns all up to the last.
    [[nodiscard]] KeyValue append(std::int64_t layer, const at::Tensor& key, const at::Tensor& value);
    /// After every layer has appended `positions`.
    void advance(std::int64_t positions = 1) { length_ += positions; }
    /// Forgets all but the first `length` positions.
    void truncate(std::int64_t length);
    /// Row i becomes the former row index[i]; rows may be repeated or left out.
    void select(const at::Tensor& index) { all_ = all_.index_select(0, index); }
    [[nodiscard]] std::int64_t length() const { return length_; }

private:
    at::Tensor all_;
    std::int64_t length_ = 0;
};

/// A layer's part of a cache.
struct LayerCache {
    DecodingCache& cache;
    std::int64_t layer;
};

}  // namespace kurve::models
