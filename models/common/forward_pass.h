#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

#include "core/tensor/random.h"
#include "core/train/model_family.h"

namespace kurve::models {

/// Which inner tensors a forward pass captures for a trace, and those tensors.
struct StateCapture {
    bool hidden = false, attention = false;
    /// "hidden/2" [B, M, H], "attention/2" [B, heads, M, M], "cross_attention/2" [B, heads, M, S], detached.
    std::map<std::string, at::Tensor> tensors;
};

/// The settings of a forward pass.
struct ForwardPass {
    double dropout = 0;  ///< 0 outside training
    std::uint64_t seed = 0, step = 0;
    std::uint64_t firstRow = 0;  ///< of the batch within the step
    bool decoding = false;       ///< a family with several estimates chooses one instead of mixing them
    std::string scope;           ///< distinguishes two passes of one step
    StateCapture* maybeCapture = nullptr;
    train::Activations* maybeActivations = nullptr;

    void keep(const std::string& group, const at::Tensor& x, const at::Tensor& maybeMask) const {
        if (maybeActivations != nullptr) (*maybeActivations)[group] = {x.detach(), maybeMask};
    }
    /// Every dropout layer has its own stream.
    [[nodiscard]] tensor::RowStream dropoutStream(const std::string& layer) const {
        return {StreamId(seed, "dropout/" + scope + layer, step), firstRow};
    }
    [[nodiscard]] at::Tensor dropped(const at::Tensor& x, const std::string& layer) const {
        return dropout > 0 ? tensor::dropout(x, dropout, dropoutStream(layer)) : x;
    }
    [[nodiscard]] at::Tensor addDropped(const at::Tensor& residual, const at::Tensor& x,
                                        const std::string& layer) const {
        return dropout > 0 ? tensor::addDropout(residual, x, dropout, dropoutStream(layer)) : residual + x;
    }
};

}  // namespace kurve::models
