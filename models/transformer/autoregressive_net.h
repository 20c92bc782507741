#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/train/model_family.h"
#include "models/common/decoding.h"
#include "models/common/decoding_cache.h"
#include "models/common/forward_pass.h"

namespace kurve::models::transformer {

/// Some texts of a request, generated at the same time.
struct TextGroup {
    std::vector<std::size_t> numbers;  ///< in the request; each text's random stream
    at::Tensor source;                 ///< [n, S] padded, as the encoder reads them; S is 0 without sources
    std::vector<std::int32_t> sourceLengths;
    std::vector<std::vector<std::int32_t>>
        known;  ///< what each text begins with, BOS included; of one length
};

/// A batch with targets.
struct TeacherForced {
    at::Tensor source, target;                               ///< [B, S], [B, L + 1]
    std::vector<std::int32_t> sourceLengths, targetLengths;  ///< targets without BOS
};

/// Texts that grow by a token at a time, each in one or more rows, whose keys and values are kept. One thread
/// at a time.
class IncrementalDecoder {
public:
    explicit IncrementalDecoder(DecodingCache cache) : cache_(std::move(cache)) {}
    virtual ~IncrementalDecoder() = default;

    /// Appends `tokens` [R] i64: logits [R, V] of what follows.
    [[nodiscard]] virtual at::Tensor extend(const at::Tensor& tokens) = 0;
    /// Row i becomes the former row index[i]; rows may be repeated or left out. Afterwards rows come in equal
    /// groups per text.
    virtual void select(const at::Tensor& index) { cache_.select(index); }
    /// The same for what the rows of a text share.
    virtual void selectTexts(const at::Tensor& /*index*/) {}

protected:
    DecodingCache cache_;
};

/// What training, scoring and decoding need of a network that predicts each token from those before it.
class AutoregressiveNet : public torch::nn::Module {
public:
    explicit AutoregressiveNet(const text::SpecialIds& special) : special_(special) {}
    [[nodiscard]] const text::SpecialIds& special() const { return special_; }

    /// [B, L, H]: state i has seen the target up to i, and predicts token i + 1.
    [[nodiscard]] virtual at::Tensor states(const TeacherForced& batch, const ForwardPass& pass) = 0;
    /// Tokens that are predicted from one state; decoding generates so many per network call, and a trace has
    /// them in one step.
    [[nodiscard]] virtual std::int64_t tokensPerState() const { return 1; }
    /// states() of one text as decoding has them, whose first `known` tokens were given: the tokens of a call
    /// have not seen each other. Before position `known` - 1 the values mean nothing.
    [[nodiscard]] virtual at::Tensor decodingStates(const TeacherForced& text, std::int64_t /*known*/,
                                                    const ForwardPass& pass) {
        return states(text, pass);
    }
    /// [V, H]: its product with the states is the logits.
    [[nodiscard]] virtual const at::Tensor& outputTable() const = 0;
    [[nodiscard]] at::Tensor logits(const at::Tensor& states) const {
        return at::matmul(states, outputTable().t());
    }

    /// In evaluation mode, one row per text; its first token is firstToken(), and what is known before that
    /// is already read. Refers to the network.
    [[nodiscard]] virtual std::unique_ptr<IncrementalDecoder> begin(const TextGroup& group) = 0;
    [[nodiscard]] virtual std::int64_t firstToken(std::span<const std::int32_t> known) const = 0;
    /// The greatest number of tokens between `known` ones and EOS.
    [[nodiscard]] virtual std::int64_t room(std::size_t known) const = 0;
    /// Errors: sample.too_long, prompt.unsupported.
    [[nodiscard]] virtual Status check(const train::GenerateRequest& request) const = 0;
    /// Whether a text ends at its first EOS. Blocks of running text have EOS inside and end at their length.
    [[nodiscard]] virtual bool endsAtEos() const { return true; }

    /// Ids that the encoder leaves out at the start of every source: its BOS, or none.
    [[nodiscard]] virtual std::int64_t firstSource() const { return 0; }
    [[nodiscard]] Padding sourcePadding() const {
        return {special_.pad, static_cast<std::size_t>(firstSource())};
    }
    [[nodiscard]] virtual std::int64_t maxPositions() const = 0;  ///< of a text that is scored
    [[nodiscard]] c10::Device device() const { return outputTable().device(); }

private:
    text::SpecialIds special_;
};

}  // namespace kurve::models::transformer
