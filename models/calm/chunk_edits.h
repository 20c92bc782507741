#pragma once

#include <map>
#include <optional>

#include "models/calm/chunk_sampler.h"

namespace kurve::models::calm {

/// What the edits of a request demand of text 0, chunk by chunk: a text, draws with other noise, other
/// settings of the sampler from a chunk on.
class ChunkEdits {
public:
    ChunkEdits() = default;
    /// `known` tokens are given. Errors: branch.position, branch.token, and of the settings.
    static Result<ChunkEdits> of(const train::GenerateRequest& request, const RunConfig& sampler,
                                 const CalmSizes& sizes, const std::vector<std::int32_t>& known);

    [[nodiscard]] bool actsOn(std::int64_t chunk) const;
    /// Null where the chunk is drawn.
    [[nodiscard]] const sampling::Outcome* maybeForced(std::int64_t chunk) const;
    /// `usual` unless others hold.
    [[nodiscard]] const ChunkSampling& samplingAt(std::int64_t chunk, const ChunkSampling& usual) const;
    [[nodiscard]] std::uint64_t seedAt(std::int64_t chunk, std::uint64_t usual) const;

private:
    std::map<std::int64_t, sampling::Outcome> forced_;
    std::map<std::int64_t, std::uint64_t> redrawn_;    ///< how often
    std::map<std::int64_t, ChunkSampling> samplings_;  ///< from that chunk on
};

}  // namespace kurve::models::calm
