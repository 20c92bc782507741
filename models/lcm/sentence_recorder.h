#pragma once

#include <utility>
#include <vector>

#include "models/common/trace_recorder.h"
#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {

/// Records one document: a frame for each denoising step of each written sentence. Layers of sentences:
/// "latent" (estimates), "noisy" (what the network read), in normalised vectors; their texts as decoded then.
class SentenceRecorder {
public:
    SentenceRecorder(LcmParts& parts, const train::GenerateRequest& request, trace::TraceSink& sink,
                     int known, std::size_t steps, int most);

    /// The vector [w] of the next sentence of the prompt.
    void know(const at::Tensor& vector) { vectors_.push_back(vector); }

    struct Place {
        int sentence = 0, step = 0;
    };
    struct State {
        at::Tensor noisy, estimate;  ///< [w]
    };
    /// `before`: the sentences that are written already.
    void add(const std::vector<std::vector<std::int32_t>>& before, const Place& place,
             const std::pair<double, double>& timeAndLogSnr, const State& state);

private:
    [[nodiscard]] std::uint32_t numberOf(const std::vector<std::int32_t>& sentence);

    LcmParts& parts_;
    const train::GenerateRequest& request_;
    TraceRecorder recorder_;
    int known_, most_;
    std::map<std::string, std::uint32_t> texts_;
    std::vector<at::Tensor> vectors_;  ///< [w] of the sentences before, normalised
    std::uint32_t before_ = 0;         ///< the estimate's text one step before
};

}  // namespace kurve::models::lcm
