#pragma once

#include <utility>
#include <vector>

#include "models/common/trace_recorder.h"
#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {

/// Records one document: a frame for each denoising step of each written sentence. Layers of sentences:
/// "latent" (estimates; of sentences to come that of the newest), "noisy" (what the network read), in
/// normalised vectors; "step_distance" and, where there is a reference, "reference_distance" of the
/// estimates, Euclidean; their texts as decoded then; candidates: the nearest sentences of the request's
/// corpus, with the cosines as probabilities.
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
        at::Tensor noisy, estimate;                            ///< [w]
        const std::vector<std::int32_t>* maybeText = nullptr;  ///< null: what the estimate is decoded to
    };
    /// `before`: the sentences that are written already.
    void add(const std::vector<std::vector<std::int32_t>>& before, const Place& place,
             const std::pair<double, double>& timeAndLogSnr, const State& state);

private:
    [[nodiscard]] std::uint32_t numberOf(const std::vector<std::int32_t>& sentence);
    /// The corpus' nearest sentences to the estimate, as the position's candidates.
    void addNearest(const at::Tensor& estimate, int sentence);
    /// How far the estimate is from that of the step before, and from the reference's sentence.
    void addDistances(const at::Tensor& estimate, const Place& place);

    LcmParts& parts_;
    const train::GenerateRequest& request_;
    TraceRecorder recorder_;
    int known_, most_;
    std::map<std::string, std::uint32_t> texts_;
    std::vector<at::Tensor> vectors_;     ///< [w] of the sentences before, normalised
    std::uint32_t before_ = 0;            ///< the estimate's text one step before
    at::Tensor last_;                     ///< the estimate one step before
    std::vector<std::uint32_t> nearest_;  ///< of the sentences so far, as the frames have them
    std::vector<float> cosines_;
    at::Tensor corpus_;     ///< [n, w] unit vectors of the request's corpus; undefined: none
    at::Tensor reference_;  ///< [S, w] of the reference's sentences; undefined: none
};

}  // namespace kurve::models::lcm
