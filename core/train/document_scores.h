#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/document_scores.h"
#include "core/text/split.h"
#include "core/train/decode.h"
#include "core/train/text_scorer.h"

namespace kurve::train {

/// A sentence and those before it in its document.
struct SentenceInContext {
    std::vector<std::string> before;
    std::string sentence;
};

/// Each sentence of the first `count` documents that has one before it and is no part of a prompt: as the
/// model predicts it from the true ones before (`predicted`), as it is, and that of the next document that
/// has one there (`elsewhere`; in the context of the first).
struct NextSentences {
    std::vector<SentenceInContext> predicted, truth, elsewhere;
};
struct NextSentencesRequest {
    std::size_t count = 0;
    std::uint64_t seed = 1;
    CancelToken cancel;
    std::function<void()> alive = {};  ///< after every sentence number
};
/// By one generation for each sentence number; empty if cancelled. Errors: those of generate().
Result<NextSentences> nextSentences(const TextModel& text, const text::Split& split, const RunConfig& sampler,
                                    const NextSentencesRequest& request);

/// metrics::mutualInformation() with the ten sentences before as context (LCM, section 2.4.1), a space
/// between sentences. What is longer than the scorer can read is left out and counted in parts["unread"].
/// Errors: metric.empty.
Result<metrics::Score> mutualInformation(TextScorer& scorer, std::span<const SentenceInContext> sentences);

/// metrics::coherence() of documents in sentences against three other orders of each, drawn from the stream
/// "coherence.order" of `seed` and the document's number. Documents of one sentence, and those longer than
/// the scorer can read, are left out and counted in parts["unread"]. Errors: metric.empty.
Result<metrics::Score> coherence(TextScorer& scorer, std::span<const std::vector<std::string>> documents,
                                 std::uint64_t seed);

/// The sentences of a document in another order, if it has two different ones.
[[nodiscard]] std::vector<std::string> reordered(const std::vector<std::string>& sentences,
                                                 RandomStream& draw);

}  // namespace kurve::train
