#pragma once

#include <vector>

#include "core/base/cancel_token.h"
#include "models/transformer/beam_search.h"
#include "models/transformer/transformer_net.h"

namespace kurve::models::transformer {

/// Settings of one generation, read once.
struct WriterSettings {
    std::int64_t beam = 5, minLength = 1;
    double lengthPenalty = 1, lengthFactor = 0, temperature = 1, topP = 1;
    std::int64_t lengthOffset = 200, topK = 0;
    bool draws = false;
    std::uint64_t seed = 1, firstRow = 0;  ///< as GenerateRequest
};

/// What a hand demands of a text: its first tokens, and what may not follow them.
struct Constraint {
    std::vector<std::int32_t> prefix;  ///< written whatever their probability, which counts all the same
    std::vector<std::int32_t> banned;  ///< what the token after them may not be
    std::int64_t draw = 0;  ///< of a sampling the draw it holds for; a search keeps to it as a whole
};

/// Some sources of a request, padded.
struct SourceGroup {
    std::vector<std::size_t> numbers;  ///< in the request: names each source's random draws
    at::Tensor ids;                    ///< as the encoder reads them
    std::vector<std::int32_t> lengths;
};

/// Writes the targets of a group of sources token by token, with cached keys and values; sources that are
/// done leave the batch. One wait for the device per token.
class Writer {
public:
    Writer(TransformerNetImpl& net, const WriterSettings& settings) : net_(net), settings_(settings) {}

    /// Every source that is written from now on keeps to it; it outlives that. Null: no more.
    void constrain(const Constraint* maybeConstraint) { maybeConstraint_ = maybeConstraint; }
    /// The greatest number of tokens for a source of so many.
    [[nodiscard]] std::int64_t longest(std::int32_t sourceLength) const;

    /// Hypotheses of each source, best first; empty if cancelled.
    [[nodiscard]] std::vector<std::vector<Hypothesis>> write(const SourceGroup& group,
                                                             const CancelToken& cancel);
    [[nodiscard]] std::int64_t networkCalls() const { return calls_; }

private:
    [[nodiscard]] std::vector<std::vector<Hypothesis>> search(const SourceGroup& group,
                                                              const CancelToken& cancel);
    [[nodiscard]] std::vector<std::vector<Hypothesis>> draw(const SourceGroup& group,
                                                            const CancelToken& cancel);
    /// Rows of a batch of which not everything may follow: they can only end; they keep to the constraint.
    struct Bound {
        std::vector<std::int64_t> mustEnd, constrained;
    };
    /// log p of what may follow.
    [[nodiscard]] at::Tensor allowed(const at::Tensor& states, std::int64_t step, const Bound& rows) const;
    void constrainRow(const at::Tensor& logP, const at::Tensor& raw, std::int64_t step) const;

    TransformerNetImpl& net_;
    WriterSettings settings_;
    std::int64_t calls_ = 0;
    const Constraint* maybeConstraint_ = nullptr;
};

}  // namespace kurve::models::transformer
