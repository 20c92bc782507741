#include "core/interop/detail/trace_names.h"

#include "core/base/text.h"

namespace kurve::interop::detail {

const char* stateName(trace::TokenState state) {
    static constexpr const char* kNames[] = {"given", "masked", "new", "kept", "flip", "remask", "pad"};
    return kNames[static_cast<std::size_t>(state)];
}

std::string textOf(const trace::Trace& trace, int step) {
    static const std::string kBlank = "\xE2\x96\x81";  // ▁, SentencePiece's mark of a word's beginning
    std::string text;
    for (int position = 0; position < trace.positions; ++position) {
        if (trace.stateAt(step, position) == trace::TokenState::Pad) continue;
        const std::string& one = trace.textOf(trace.tokenAt(step, position));
        if (trace.unit == trace::Unit::Sentence && !one.empty()) text += ' ';
        text += one;
    }
    for (auto at = text.find(kBlank); at != text.npos; at = text.find(kBlank, at))
        text.replace(at, kBlank.size(), " ");
    return std::string(trim(text));
}

}  // namespace kurve::interop::detail
