#pragma once

#include <string>
#include <vector>

#include "app/engine/run_access.h"
#include "core/metrics/metric.h"

namespace kurve::engine {

/// Metrics of kurve eval where none are asked for: of pairs, of texts with a bound, of documents.
inline constexpr const char *kPairMetrics = "bleu,chrf,reps_word,reps_bpe,token-accuracy,embedding_f1",
                            *kTextMetrics = "nelbo,bits_per_char,ppl_bound,distinct-2,entropy,reps_bpe",
                            *kDocumentMetrics = "loss,rouge-l,rep-4,ovl-3,wr,distinct-2,reps_bpe";

/// The requested metrics, checked before the work.
struct RequestedMetrics {
    std::vector<std::string> ids;     ///< of the outputs
    bool perplexity = false;          ///< of the references
    bool loss = false;                ///< and all of its parts
    std::vector<std::string> parts;   ///< of the loss, by name
    std::vector<std::string> bounds;  ///< of their likelihood: bounds, and of several tokens at once
    std::vector<std::string> briers;  ///< of draws of what goes on in them
    bool mutualInformation = false;   ///< of sentences predicted in the references
    bool coherence = false;           ///< of the outputs
};
/// Of ids with commas; also what the family logs of the validation split, as parts of the loss. Errors:
/// metric.*.
Result<RequestedMetrics> requestedMetrics(const std::string& ids, const RunConfig& config);
/// Where none are asked for: of outputs that have references, of texts by their likelihood.
[[nodiscard]] std::string usualMetrics(const LoadedModel& loaded);

}  // namespace kurve::engine
