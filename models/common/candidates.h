#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor/random.h"
#include "core/train/model_family.h"
#include "models/common/estimate_recorder.h"

namespace kurve::models {

/// Sources decoded together, with as many candidates each: row = source in the group * beam + candidate.
struct CandidateGroup {
    std::vector<std::size_t> sources;   ///< numbers in the request
    std::vector<std::int32_t> lengths;  ///< [rows] of each candidate, in words
    std::int64_t width = 0;             ///< longest of them
};

/// Lengths tried for a source whose predicted length is `predicted`: predicted - floor(n/2) …, each clamped
/// to 2 … longest.
[[nodiscard]] std::vector<std::int32_t> candidateLengths(std::int64_t predicted, std::int64_t beam,
                                                         std::int64_t longest);
/// Sets the lengths and the width of a group: of each source lengthBeam lengths around the likeliest of its
/// logits [n, classes] (target minus source length, + offset), each noiseBeam times. Waits for the device.
struct LengthChoice {
    std::int64_t offset = 0, lengthBeam = 1, noiseBeam = 1, longest = 0;
};
void chooseLengths(CandidateGroup& group, const at::Tensor& logits,
                   std::span<const std::int32_t> sourceLengths, const LengthChoice& choice);

/// Noise [rows, width, latent] of a step: candidate c of source s has stream row (firstRow + s) * 2^16 + c.
struct CandidateNoise {
    StreamId stream;
    std::uint64_t firstRow = 0;
    std::int64_t latent = 0;
};
[[nodiscard]] at::Tensor noiseOf(const CandidateGroup& group, const CandidateNoise& noise,
                                 c10::Device device);

/// Host copies of the likeliest tokens of a group and their log-probabilities, [rows, width].
struct DecodedTokens {
    std::vector<std::int64_t> ids;
    std::vector<float> logProbability;
};
/// From logits [rows, width, V].
[[nodiscard]] DecodedTokens bestTokens(const at::Tensor& logits);

/// How the candidates of a source are ordered: by mean log-probability, or by minimum Bayes risk over their
/// ids; `maybeFirst` goes before all.
struct CandidateOrder {
    bool minimumBayesRisk = false;
    std::optional<std::int64_t> maybeFirst = std::nullopt;
};
/// The candidates of source r of the group, best first; returned is the row of the best.
[[nodiscard]] std::int64_t addCandidates(const CandidateGroup& group, const DecodedTokens& decoded,
                                         std::size_t r, const text::SpecialIds& special,
                                         const CandidateOrder& order, train::GeneratedRow& out);

/// Decodes the request's sources, similar lengths together; source 0 is recorded where there is a trace.
/// `decode` fills out.rows of a group, false if cancelled. Errors: branch.candidate, those of `decode`.
struct GroupedDecoding {
    EstimateRecorder::Setup recorded;  ///< rows: candidates of each source
    std::int64_t rowsAtOnce = 1;
};
Status decodeGroups(
    const train::GenerateRequest& request, trace::TraceSink* maybeTrace, const GroupedDecoding& how,
    const std::function<Result<bool>(CandidateGroup group, EstimateRecorder* maybeRecorder)>& decode,
    train::Generation& out);

/// Rows decoded at once: activations of few stay in a core's cache and need little padding, a GPU wants
/// sampler.batch_size.
[[nodiscard]] std::int64_t rowsAtOnce(const RunConfig& sampler, c10::Device device);

}  // namespace kurve::models
