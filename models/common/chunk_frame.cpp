#include "models/common/chunk_frame.h"

#include <algorithm>
#include <memory>

#include "models/common/trace_recorder.h"

namespace kurve::models {

trace::Trace& addChunkTokens(trace::Trace& frame, const at::Tensor& logP, std::int64_t chunkTokens) {
    const auto tokens = static_cast<int>(logP.size(0)), each = static_cast<int>(chunkTokens);
    const auto below = std::make_shared<trace::Trace>();
    below->steps = 1;
    below->positions = tokens;
    addDistributions(*below, logP);
    frame.unit = trace::Unit::Chunk;
    frame.spans.clear();
    for (int first = 0; first < tokens; first += each)
        frame.spans.push_back({first, std::min(first + each, tokens)});
    frame.below = below;
    return *below;
}

}  // namespace kurve::models
