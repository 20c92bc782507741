#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <span>
#include <vector>

#include "models/common/linear.h"

namespace kurve::models::mdlm {

/// p(length of a text), <s> and </s> included: of texts alone one learned distribution over 0 … longest; of a
/// source from the mean of its embeddings, over the difference to its length (-128 … 127), as Difformer and
/// CMLM predict it.
class LengthPredictorImpl : public torch::nn::Module {
public:
    LengthPredictorImpl(std::int64_t hidden, std::int64_t longest, bool hasSource);
    /// [B, classes]; `maybeMean` [B, H]: the mean embedding of each source.
    at::Tensor logits(const at::Tensor& maybeMean, std::int64_t rows);
    [[nodiscard]] std::int64_t classOf(std::int32_t length, std::int32_t sourceLength) const;
    /// Within 3 … longest: at least one token between <s> and </s>.
    [[nodiscard]] std::int32_t lengthOf(std::int64_t lengthClass, std::int32_t sourceLength) const;
    /// log p of each length 0 … longest from one row of logits; of lengths below `shortest` minus infinity.
    [[nodiscard]] std::vector<double> logProbabilities(std::span<const float> logits,
                                                       std::int32_t sourceLength,
                                                       std::int32_t shortest) const;

    Linear fromSource{nullptr};  ///< of sources
    at::Tensor prior;            ///< [longest + 1] logits of texts alone

private:
    std::int64_t longest_;
};
TORCH_MODULE(LengthPredictor);

}  // namespace kurve::models::mdlm
