#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "core/tensor/random.h"
#include "core/train/model_family.h"

namespace kurve::models {

/// What an inspector asks a network to keep while it runs; empty = nothing, and then nothing is computed for
/// it.
struct Taps {
    bool hidden = false, attention = false;
    std::map<std::string, at::Tensor>
        kept;  ///< "hidden/2" [B, M, H], "attention/2" [B, heads, M, M], detached
};

/// What a forward pass needs beside its tensors.
struct ForwardPass {
    double dropout = 0;  ///< 0 outside training
    std::uint64_t seed = 0, step = 0;
    std::uint64_t firstRow = 0;  ///< of the batch within the step
    bool decoding = false;       ///< a family with several estimates chooses one instead of mixing them
    std::string scope;           ///< sets two passes of one step apart
    Taps* maybeTaps = nullptr;
    train::Activations* maybeActivations = nullptr;

    void keep(const std::string& group, const at::Tensor& x, const at::Tensor& maybeMask) const {
        if (maybeActivations != nullptr) (*maybeActivations)[group] = {x.detach(), maybeMask};
    }
    /// Each place that drops activations has its own stream.
    [[nodiscard]] tensor::RowStream dropoutStream(const std::string& place) const {
        return {StreamId(seed, "dropout/" + scope + place, step), firstRow};
    }
    [[nodiscard]] at::Tensor dropped(const at::Tensor& x, const std::string& place) const {
        return dropout > 0 ? tensor::dropout(x, dropout, dropoutStream(place)) : x;
    }
    [[nodiscard]] at::Tensor addDropped(const at::Tensor& residual, const at::Tensor& x,
                                        const std::string& place) const {
        return dropout > 0 ? tensor::addDropout(residual, x, dropout, dropoutStream(place)) : residual + x;
    }
};

}  // namespace kurve::models
