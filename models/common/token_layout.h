#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::models {

/// How the words of a batch become the tokens that a network's layers see, and back; here a word is a token.
/// Built once per batch (training) or per generation, and constant over its steps.
class TokenLayout {
public:
    TokenLayout(std::span<const std::int32_t> wordLengths, std::int64_t width, c10::Device device)
        : TokenLayout(std::vector<std::int32_t>(wordLengths.begin(), wordLengths.end()), width, device) {}
    virtual ~TokenLayout() = default;

    /// [B, L, c] -> [B, M, c] and back; linear along the sequence.
    [[nodiscard]] virtual at::Tensor tokensFromWords(const at::Tensor& words) const { return words; }
    [[nodiscard]] virtual at::Tensor wordsFromTokens(const at::Tensor& tokens) const { return tokens; }
    /// The positional embedding of every token: [M, H] or [B, M, H] out of the table of position rows.
    [[nodiscard]] virtual at::Tensor positions(const at::Tensor& table) const;
    /// The word coordinate of every token, [B, M] f64 on the host; undefined where tokens count 0, 1, …
    [[nodiscard]] virtual at::Tensor maybeCoordinates() const { return {}; }
    /// The same batch with a word as a token.
    [[nodiscard]] virtual const TokenLayout& words() const { return *this; }
    /// Blocks of a trace that describe the map of row `row`: "psi", "greville", "index". Empty for words.
    [[nodiscard]] virtual std::map<std::string, trace::Block> describe(std::int64_t row) const;

    [[nodiscard]] std::int64_t tokens() const { return tokens_; }  ///< M of the longest row
    [[nodiscard]] const std::vector<std::int32_t>& tokenLengths() const { return tokenLengths_; }
    [[nodiscard]] const at::Tensor& mask() const { return mask_; }  ///< attentionMask of the tokens

protected:
    TokenLayout(std::vector<std::int32_t> tokenLengths, std::int64_t tokens, c10::Device device);

private:
    std::vector<std::int32_t> tokenLengths_;
    std::int64_t tokens_;
    at::Tensor mask_;
};

}  // namespace kurve::models
