// Trace files: any bytes are a trace of consistent sizes, or an error.
#include <cstdlib>

#include "core/trace/trace.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kurve::trace;
    const kurve::testing::MemoryFile file(data, size);
    const auto trace = readTrace(file.path());
    if (!trace) return 0;
    for (const Trace* level = &*trace; level != nullptr; level = level->below.get()) {
        const std::size_t cells = level->cell(level->steps, 0);
        for (const auto n : {level->tokens.size(), level->state.size(), level->confidence.size(),
                             level->margin.size(), level->entropy.size()})
            if (n != cells && n != 0) std::abort();
        if (level->topIds.size() != level->topProbability.size()) std::abort();
        if (level->t.size() != static_cast<std::size_t>(level->steps)) std::abort();
        for (const Span& span : level->spans)
            if (span.begin > span.end || level->below == nullptr || span.end > level->below->positions)
                std::abort();
        for (int step = 0; step < level->steps; ++step)
            for (int position = 0; position < level->positions; ++position)
                (void)level->candidates(step, position), (void)level->stateAt(step, position);
    }
    return 0;
}
