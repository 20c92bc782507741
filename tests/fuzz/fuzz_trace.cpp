// Trace files: any bytes are a trace of consistent sizes, or an error.
#include <cstdlib>

#include "core/trace/trace.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kurve::trace;
    const kurve::testing::MemoryFile file(data, size);
    const auto trace = readTrace(file.path());
    if (!trace) return 0;
    const auto cells = static_cast<std::size_t>(trace->steps) * static_cast<std::size_t>(trace->positions);
    for (const auto n : {trace->tokens.size(), trace->state.size(), trace->confidence.size(),
                         trace->margin.size(), trace->topIds.size() / kTopCandidates})
        if (n != cells) std::abort();
    if (trace->t.size() != static_cast<std::size_t>(trace->steps)) std::abort();
    return 0;
}
