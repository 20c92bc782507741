#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::test {

/// A model that writes 3 chunks of 2 tokens in order, denoising each in 2 steps: 6 frames, no vocabulary, no
/// candidates, no confidence; chunks have vectors, tokens have texts. "a b | c d | e f", at first "x x".
inline trace::Trace chunkTrace() {
    using namespace kurve::trace;
    Trace chunks, tokens;
    chunks.unit = Unit::Chunk;
    chunks.positions = chunks.outerLength = 3;
    tokens.positions = 6;
    tokens.outerLength = 3;
    for (int step = 0; step < 6; ++step) {
        const int now = step / 2;
        chunks.outer.push_back(now);
        chunks.inner.push_back(step % 2);
        chunks.t.push_back(step % 2 == 0 ? 1 : 0.5);
        chunks.logSnr.push_back(step % 2 == 0 ? -4 : 1);
        for (int position = 0; position < 6; ++position) {
            const bool written = position / 2 < now || (position / 2 == now && step % 2 == 1);
            const bool estimated = position / 2 == now && step % 2 == 0;
            tokens.tokens.push_back(written ? static_cast<std::uint32_t>(position) : estimated ? 6U : 7U);
        }
        for (int chunk = 0; chunk < 3; ++chunk)
            for (int i = 0; i < 2; ++i)
                chunks.blocks["latent"].data.push_back(static_cast<float>(step + chunk * (i + 1)));
    }
    chunks.blocks["latent"].shape = {6, 3, 2};
    chunks.steps = tokens.steps = 6;
    tokens.t = chunks.t;
    tokens.logSnr = chunks.logSnr;
    tokens.outer = chunks.outer;
    tokens.inner = chunks.inner;
    for (int step = 0; step < 6; ++step)
        for (int position = 0; position < 6; ++position)
            tokens.state.push_back(static_cast<std::uint8_t>(chunks.stateAt(step, position / 2)));
    const char* texts[] = {"▁a", "▁b", "▁c", "▁d", "▁e", "▁f", "▁x"};
    for (std::uint32_t id = 0; id < 7; ++id) tokens.tokenTexts[id] = texts[id];
    chunks.spans = {{0, 2}, {2, 4}, {4, 6}};
    chunks.meta = {{"prompt", "write"}, {"output", "a b c d e f"}};
    chunks.below = std::make_shared<const Trace>(std::move(tokens));
    return chunks;
}

}  // namespace kurve::test
