#pragma once

#include <map>
#include <vector>

#include "models/lcm/next_vectors.h"

namespace kurve::models::lcm {

/// What the edits of a request demand of text 0. Steps are the frames of its trace: those of all its
/// sentences, one after another.
class SentenceEdits {
public:
    SentenceEdits() = default;
    /// `known` sentences are given. Errors: branch.position, branch.token, and of the settings.
    static Result<SentenceEdits> of(LcmParts& parts, const train::GenerateRequest& request,
                                    const RunConfig& sampler, std::size_t known);

    /// The ids of a sentence's text from a step on; null where the model writes it.
    [[nodiscard]] const std::vector<std::int32_t>* maybeText(std::int64_t sentence, int step) const;
    /// How often the noise of that step is drawn again.
    [[nodiscard]] std::uint64_t redrawn(int step) const;
    /// For a sentence that begins at that step; `usual` unless other settings hold.
    [[nodiscard]] const VectorSampler& samplerAt(int step, const VectorSampler& usual) const;

private:
    struct Text {
        int step = 0;  ///< from there on
        std::vector<std::int32_t> ids;
    };
    std::map<std::int64_t, Text> texts_;  ///< by sentence
    std::map<int, std::uint64_t> redrawn_;
    std::map<int, VectorSampler> samplers_;  ///< from that step on
};

}  // namespace kurve::models::lcm
