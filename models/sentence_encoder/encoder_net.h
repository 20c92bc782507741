#pragma once

#include <cstdint>
#include <span>

#include "models/common/bert_encoder.h"
#include "models/common/init.h"

namespace kurve::models::sentence_encoder {

/// How the states of a sentence's tokens become its vector (Reimers and Gurevych 2019, section 3).
enum class Pooling : std::uint8_t { Mean, First };

struct EncoderSizes {
    BertSizes bert;
    Pooling pooling = Pooling::Mean;
    bool normalize = true;  ///< to length 1
};

/// BERT and the pooling of its last states. Only for evaluation: there is no dropout. Works in float32 and
/// float64.
class EncoderNetImpl : public torch::nn::Module {
public:
    explicit EncoderNetImpl(const EncoderSizes& sizes);
    /// Sentences [n, L] i64 with their first and last special tokens, right-padded; lengths [n] count them ->
    /// [n, H]. A length of 0, or above maxPositions, is a ContractError.
    [[nodiscard]] at::Tensor forward(const at::Tensor& ids, std::span<const std::int32_t> lengths);
    /// The vectors of last states [n, L, H].
    [[nodiscard]] at::Tensor pooled(const at::Tensor& states, std::span<const std::int32_t> lengths) const;
    [[nodiscard]] const EncoderSizes& sizes() const { return sizes_; }
    [[nodiscard]] c10::Device device() const { return bert->words->weight.device(); }

    BertEncoder bert{nullptr};

private:
    EncoderSizes sizes_;
};
TORCH_MODULE(EncoderNet);

/// N(0, 0.02), norms one, biases zero (Devlin et al. 2019): until weights are read.
[[nodiscard]] Initializer encoderInitializer(const std::string& name, const at::Tensor& parameter);

}  // namespace kurve::models::sentence_encoder
