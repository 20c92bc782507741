#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::models::transformer {

/// A finished text: its tokens without EOS, the sum of their log-probabilities with EOS, and
/// sum / length^lambda with EOS counted (fairseq sequence_generator.py).
struct Hypothesis {
    std::vector<std::int32_t> ids;
    double logProbability = 0, score = 0;
    std::int64_t sample = 0;  ///< index among the source's samples; 0 in a search
};

struct BeamSettings {
    std::int64_t beam = 5;
    double lengthPenalty = 1;
    std::int64_t maxLength = 200;  ///< tokens after which EOS is forced
    bool endsAtEos = true;         ///< false: only at a forced one
    std::int32_t eos = 0;
};

/// A continuation of a live row, best first.
struct Continuation {
    std::int64_t row = 0;  ///< of the live rows of the sentence
    std::int32_t token = 0;
    double logProbability = 0;  ///< of the whole text with it
};

/// Beam search of one sentence as fairseq does it: of 2 K continuations those that end are finished if their
/// rank is below K, and the best K of the others stay live; done with K finished texts. Free of tensors: the
/// caller gives the best continuations and extends the rows that are named.
class BeamSearch {
public:
    explicit BeamSearch(const BeamSettings& settings) : settings_(settings) {}

    /// `best`: at most 2 K, by falling probability; impossible ones have -inf. Afterwards parents() and
    /// tokens() are the rows to extend.
    void advance(std::span<const Continuation> best);
    [[nodiscard]] bool done() const { return done_; }
    /// Whether the next token must be EOS.
    [[nodiscard]] bool mustEnd() const { return step_ >= settings_.maxLength; }
    [[nodiscard]] std::int64_t step() const { return step_; }  ///< tokens generated
    [[nodiscard]] const std::vector<std::int64_t>& parents() const { return parents_; }
    [[nodiscard]] const std::vector<std::int32_t>& tokens() const { return tokens_; }
    [[nodiscard]] const std::vector<double>& logProbabilities() const { return logProbabilities_; }
    /// Best first; on equal scores what was finished first.
    [[nodiscard]] std::vector<Hypothesis> finished() const;

private:
    struct Node {
        std::int64_t parent = -1;
        std::int32_t token = 0;
    };
    void finish(const Continuation& end);
    [[nodiscard]] std::vector<std::int32_t> textOf(std::int64_t row) const;

    BeamSettings settings_;
    std::int64_t step_ = 0;
    bool done_ = false;
    std::vector<Node> nodes_;          ///< all tokens that ever were live
    std::vector<std::int64_t> heads_;  ///< [rows] the last node of each live row
    std::vector<std::int64_t> parents_;
    std::vector<std::int32_t> tokens_;
    std::vector<double> logProbabilities_;
    std::vector<Hypothesis> finished_;
};

}  // namespace kurve::models::transformer
