#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/train/decode.h"

namespace kurve::train {

/// Texts whose chunks are to be encoded and decoded.
struct ReconstructionRequest {
    std::vector<std::string> texts = {};
    std::uint64_t seed = 1;
    /// Two chunks of the first text: what lies between their vectors is decoded too.
    std::optional<std::pair<std::size_t, std::size_t>> between = std::nullopt;
    CancelToken cancel = {};
};

/// Vectors that are decoded between two chunks, both ends included.
inline constexpr int kInterpolationSteps = 9;

/// {"texts": [{"input", "output", "tokens", "right", "chunks": [{"ids", "tokens", "decoded_ids",
/// "decoded_tokens", "mean", "latent", "sigma"}]}], "between"?: [{"t", "text", "tokens"}]}. `right` of
/// `tokens` are reconstructed, </s> among them and the filling not, as valid_token_accuracy counts; `sigma`
/// is a chunk's mean standard deviation; `output` is what `kurve sample --input` writes. Between: the
/// vectors (1 - t) z1 + t z2. Errors: reconstruct.unsupported, sample.no_input, sample.too_long,
/// reconstruct.chunk, cancelled.
Result<nlohmann::json> reconstructionJson(const TextModel& text, const ReconstructionRequest& request,
                                          const RunConfig& sampler);

}  // namespace kurve::train
