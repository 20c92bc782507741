#pragma once

#include <vector>

#include "core/base/cancel_token.h"
#include "models/transformer/autoregressive_net.h"
#include "models/transformer/beam_search.h"

namespace kurve::models::transformer {

/// Settings of one generation, read once.
struct DecoderSettings {
    std::int64_t beam = 5, minLength = 1;
    double lengthPenalty = 1, lengthFactor = 0, temperature = 1, topP = 1;
    std::int64_t lengthOffset = 200, topK = 0;
    bool sampling = false, endsAtEos = true;
    std::uint64_t seed = 1, firstRow = 0;  ///< as GenerateRequest
};

/// What the edits demand of a text: its first tokens, and what may not follow them.
struct Constraint {
    /// Forced behind what is known of the text; their log-probabilities count in the score.
    std::vector<std::int32_t> prefix;
    std::vector<std::int32_t> banned;  ///< for the token after the prefix
    std::int64_t sample = 0;           ///< the constrained one of the samples; of a search all hypotheses are
};

/// Generates a group of texts token by token, with cached keys and values; finished texts leave the batch.
/// One wait for the device per token.
class AutoregressiveDecoder {
public:
    AutoregressiveDecoder(AutoregressiveNet& net, const DecoderSettings& settings)
        : net_(net), settings_(settings) {}

    [[nodiscard]] const text::SpecialIds& special() const { return net_.special(); }
    [[nodiscard]] int tokensPerState() const { return static_cast<int>(net_.tokensPerState()); }
    /// For the following calls of decode(), which it must outlive; null: none.
    void setConstraint(const Constraint* maybeConstraint) { maybeConstraint_ = maybeConstraint; }
    /// The greatest number of tokens that are generated for a text of the group.
    [[nodiscard]] std::int64_t maxLength(const TextGroup& group, std::size_t text) const;

    /// Hypotheses of each text, best first, samples as drawn, without what was known of it; empty if
    /// cancelled.
    [[nodiscard]] std::vector<std::vector<Hypothesis>> decode(const TextGroup& group,
                                                              const CancelToken& cancel);
    [[nodiscard]] std::int64_t networkCalls() const { return calls_; }

private:
    [[nodiscard]] std::vector<std::vector<Hypothesis>> search(const TextGroup& group,
                                                              const CancelToken& cancel);
    [[nodiscard]] std::vector<std::vector<Hypothesis>> sample(const TextGroup& group,
                                                              const CancelToken& cancel);
    /// Rows of a batch without a free choice: those that must end, and those under the constraint.
    struct RestrictedRows {
        std::vector<std::int64_t> mustEnd, constrained;
    };
    /// log p of the allowed next tokens.
    [[nodiscard]] at::Tensor allowedLogP(const at::Tensor& logits, std::int64_t step,
                                         const RestrictedRows& rows) const;
    void constrainRow(const at::Tensor& logP, const at::Tensor& raw, std::int64_t step) const;

    AutoregressiveNet& net_;
    DecoderSettings settings_;
    std::int64_t calls_ = 0;
    const Constraint* maybeConstraint_ = nullptr;
};

}  // namespace kurve::models::transformer
