#include "app/engine/document_metrics.h"

#include "core/base/text.h"
#include "core/text/sentences.h"
#include "core/train/document_scores.h"

namespace kurve::engine {

bool isDocumentMetric(const std::string& id) {
    return id == metrics::kMutualInformation || id == metrics::kCoherence;
}

Status addMutualInformation(const DocumentScoring& scoring, const AddScore& add) {
    const std::string id = metrics::kMutualInformation;
    if (!scoring.loaded.data->documents)
        return requestError("metric.no_documents", "it scores the next sentence of a document")
            .at(id)
            .fix("ask for it of a run with data.kind = \"documents\"");
    train::NextSentencesRequest request{scoring.count, scoring.seed, {}, {}};
    CancelToken cancel = request.cancel;
    request.alive = [&] {
        if (scoring.stopRequested()) cancel.request();
    };
    KURVE_TRY(const train::NextSentences found,
              train::nextSentences(scoring.loaded.text(), scoring.split, scoring.loaded.sampler, request));
    if (cancel.requested()) return {};
    const std::pair<const char*, const std::vector<train::SentenceInContext>&> all[] = {
        {"", found.predicted}, {"_truth", found.truth}, {"_other_document", found.elsewhere}};
    for (const auto& [level, sentences] : all) {
        if (sentences.empty() && *level != '\0') continue;  // one document alone has no other
        KURVE_TRY(const metrics::Score score, train::mutualInformation(scoring.scorer, sentences));
        add(id + level, score);
    }
    return {};
}

Status addCoherence(const DocumentScoring& scoring, const train::DecodedSet& outputs,
                    const std::vector<std::string>& references, const AddScore& add) {
    std::vector<std::vector<std::string>> written, truth, permuted;
    for (const train::Decoded& row : outputs.rows)
        written.push_back(row.sentences.empty() ? text::sentencesOf(row.output) : row.sentences);
    for (const std::string& reference : references) {
        truth.push_back(scoring.loaded.data->documents ? split(reference, '\n')
                                                       : text::sentencesOf(reference));
        RandomStream draw(scoring.seed, "coherence.permuted", truth.size());
        permuted.push_back(train::reordered(truth.back(), draw));
    }
    const std::pair<const char*, const std::vector<std::vector<std::string>>&> all[] = {
        {"", written}, {"_truth", truth}, {"_permuted", permuted}};
    for (const auto& [level, documents] : all) {
        KURVE_TRY(const metrics::Score score, train::coherence(scoring.scorer, documents, scoring.seed));
        add(std::string(metrics::kCoherence) + level, score);
    }
    return {};
}

}  // namespace kurve::engine
