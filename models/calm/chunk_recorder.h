#pragma once

#include <vector>

#include "core/trace/trace_writer.h"
#include "models/calm/chunk_sampler.h"

namespace kurve::models::calm {

/// A written text.
struct WrittenText {
    const std::vector<std::int32_t>& known;  ///< tokens of the prompt
    const std::vector<std::int32_t>& ids;    ///< whole chunks
    const std::vector<DrawnChunk>& drawn;    ///< those behind the known whole chunks
};

/// Records it with a frame for each drawn chunk: chunks, and their tokens below. Confidence of a chunk: the
/// share of draws that are equal to it; entropy: of its draws; candidates: its most frequent draws. Layers of
/// chunks: "latent" (of chunks to come that of the newest), "draws", "draws_distinct", "draws_matched" (by
/// how many equal draws it was chosen), "fell_back".
void recordChunks(CalmParts& parts, const train::GenerateRequest& request, const WrittenText& text,
                  trace::TraceSink& sink);

}  // namespace kurve::models::calm
