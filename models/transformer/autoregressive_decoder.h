#pragma once

#include <vector>

#include "core/base/cancel_token.h"
#include "models/transformer/beam_search.h"
#include "models/transformer/transformer_net.h"

namespace kurve::models::transformer {

/// Settings of one generation, read once.
struct DecoderSettings {
    std::int64_t beam = 5, minLength = 1;
    double lengthPenalty = 1, lengthFactor = 0, temperature = 1, topP = 1;
    std::int64_t lengthOffset = 200, topK = 0;
    bool sampling = false;
    std::uint64_t seed = 1, firstRow = 0;  ///< as GenerateRequest
};

/// What the edits demand of a text: its first tokens, and what may not follow them.
struct Constraint {
    std::vector<std::int32_t> prefix;  ///< forced; their log-probabilities count in the score
    std::vector<std::int32_t> banned;  ///< for the token after the prefix
    std::int64_t sample = 0;           ///< the constrained one of the samples; of a search all hypotheses are
};

/// Some sources of a request, padded.
struct SourceGroup {
    std::vector<std::size_t> numbers;  ///< in the request; each source's random stream
    at::Tensor ids;                    ///< as the encoder reads them
    std::vector<std::int32_t> lengths;
};

/// Generates the targets of a group of sources token by token, with cached keys and values; finished sources
/// leave the batch. One wait for the device per token.
class AutoregressiveDecoder {
public:
    AutoregressiveDecoder(TransformerNetImpl& net, const DecoderSettings& settings)
        : net_(net), settings_(settings) {}

    /// For the following calls of decode(), which it must outlive; null: none.
    void setConstraint(const Constraint* maybeConstraint) { maybeConstraint_ = maybeConstraint; }
    /// The greatest number of tokens for a source of this length.
    [[nodiscard]] std::int64_t maxLength(std::int32_t sourceLength) const;

    /// Hypotheses of each source, best first; empty if cancelled.
    [[nodiscard]] std::vector<std::vector<Hypothesis>> decode(const SourceGroup& group,
                                                              const CancelToken& cancel);
    [[nodiscard]] std::int64_t networkCalls() const { return calls_; }

private:
    [[nodiscard]] std::vector<std::vector<Hypothesis>> search(const SourceGroup& group,
                                                              const CancelToken& cancel);
    [[nodiscard]] std::vector<std::vector<Hypothesis>> sample(const SourceGroup& group,
                                                              const CancelToken& cancel);
    /// Rows of a batch without a free choice: those that must end, and those under the constraint.
    struct RestrictedRows {
        std::vector<std::int64_t> mustEnd, constrained;
    };
    /// log p of the allowed next tokens.
    [[nodiscard]] at::Tensor allowedLogP(const at::Tensor& states, std::int64_t step,
                                         const RestrictedRows& rows) const;
    void constrainRow(const at::Tensor& logP, const at::Tensor& raw, std::int64_t step) const;

    TransformerNetImpl& net_;
    DecoderSettings settings_;
    std::int64_t calls_ = 0;
    const Constraint* maybeConstraint_ = nullptr;
};

}  // namespace kurve::models::transformer
