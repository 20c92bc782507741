#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/engine/run_access.h"
#include "core/metrics/document_scores.h"
#include "core/train/text_scorer.h"

namespace kurve::engine {

/// Whether it is mi or coherence: a score of sentences by a scorer, with its reference levels beside it.
[[nodiscard]] bool isDocumentMetric(const std::string& id);

struct DocumentScoring {
    const LoadedModel& loaded;
    train::TextScorer& scorer;
    const text::Split& split;
    std::size_t count = 0;  ///< the first documents of the split
    std::uint64_t seed = 1;
    std::function<bool()> stopRequested;
};
using AddScore = std::function<void(const std::string& name, const metrics::Score& score)>;

/// mi: of the next sentences that the model predicts from true ones; mi_truth: of the true ones;
/// mi_other_document: of another document's at the same place. Nothing if stopped. Errors:
/// metric.no_documents, metric.empty.
Status addMutualInformation(const DocumentScoring& scoring, const AddScore& add);

/// coherence: of the outputs; coherence_truth: of the split's own; coherence_permuted: of those in another
/// order. Texts without known sentences are cut into such (text::sentencesOf()). Errors: metric.empty.
Status addCoherence(const DocumentScoring& scoring, const train::DecodedSet& outputs,
                    const std::vector<std::string>& references, const AddScore& add);

}  // namespace kurve::engine
