#include "core/interop/detail/trace_names.h"

#include "core/base/text.h"

namespace kurve::interop::detail {

const char* stateName(std::uint8_t state) {
    static constexpr const char* kNames[] = {"given", "masked", "new", "kept", "flip", "remask", "pad"};
    return kNames[state];
}

std::string tokenText(const trace::Trace& trace, std::uint32_t token) {
    const auto text = trace.tokenTexts.find(token);
    return text == trace.tokenTexts.end() ? "" : text->second;
}

std::string textOf(const trace::Trace& trace, int step) {
    static const std::string kBlank = "\xE2\x96\x81";  // ▁, SentencePiece's mark of a word's beginning
    std::string text;
    for (int position = 0; position < trace.positions; ++position) {
        const auto i = trace.cell(step, position);
        if (trace.state[i] != static_cast<std::uint8_t>(trace::TokenState::Pad))
            text += tokenText(trace, trace.tokens[i]);
    }
    for (auto at = text.find(kBlank); at != text.npos; at = text.find(kBlank, at))
        text.replace(at, kBlank.size(), " ");
    return std::string(trim(text));
}

}  // namespace kurve::interop::detail
