#include "core/interop/detail/trace_names.h"

#include "core/base/text.h"

namespace kurve::interop::detail {

const char* stateName(std::uint8_t state) {
    static constexpr const char* kNames[] = {"given", "masked", "new", "kept", "flip", "remask", "pad"};
    return kNames[state];
}

std::string pieceOf(const trace::Trace& trace, std::uint32_t token) {
    const auto piece = trace.pieces.find(token);
    return piece == trace.pieces.end() ? "" : piece->second;
}

std::string textOf(const trace::Trace& trace, int step) {
    static const std::string kBlank = "\xE2\x96\x81";  // ▁, SentencePiece's mark of a word's beginning
    std::string text;
    for (int slot = 0; slot < trace.slots; ++slot) {
        const auto i = trace.cell(step, slot);
        if (trace.state[i] != static_cast<std::uint8_t>(trace::SlotState::Pad))
            text += pieceOf(trace, trace.tokens[i]);
    }
    for (auto at = text.find(kBlank); at != text.npos; at = text.find(kBlank, at))
        text.replace(at, kBlank.size(), " ");
    return std::string(trim(text));
}

}  // namespace kurve::interop::detail
