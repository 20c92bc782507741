#include "core/interop/trace_player.h"

#include <cmath>
#include <functional>

#include "core/interop/detail/json_number.h"
#include "core/interop/detail/page.h"
#include "core/interop/detail/page_texts.h"
#include "core/trace/map_marks.h"

namespace kurve::interop {
namespace {

using nlohmann::json;

/// Four digits: the file itself holds 16 bits.
json rounded(const std::vector<float>& values) {
    json array = json::array();
    for (const float v : values) array.push_back(std::isfinite(v) ? std::round(double{v} * 1e4) / 1e4 : 0.0);
    return array;
}

/// [S * N] of 0 and 1; empty where nothing is marked.
json marked(const trace::Trace& trace, bool any, const std::function<bool(int, int)>& mark) {
    json array = json::array();
    if (!any) return array;
    for (int step = 0; step < trace.steps; ++step)
        for (int position = 0; position < trace.positions; ++position)
            array.push_back(mark(step, position) ? 1 : 0);
    return array;
}

/// By state: SVG path data about the middle of a cell, and whether it is filled.
json markShapesJson() {
    constexpr double kHalf = 3.4;  // in cells of 14
    json paths = json::array();
    for (int state = 0; state <= static_cast<int>(trace::TokenState::Pad); ++state) {
        const auto one = static_cast<trace::TokenState>(state);
        const auto& shapes = trace::markShapes(one);
        paths.push_back(
            {{"path", trace::markPath(one, kHalf)}, {"filled", !shapes.empty() && shapes[0].filled}});
    }
    return paths;
}

json finished(const trace::Trace& trace, const trace::TokenMarks& marks) {
    json blocks = json::array();
    for (const trace::FinishedBlock& block : trace::finishedBlocks(trace, marks))
        blocks.push_back({block.step, block.from, block.count});
    return blocks;
}

std::string titleOf(const trace::Trace& trace) {
    const auto prompt = trace.meta.find("prompt");
    return prompt == trace.meta.end() || prompt->second.empty() ? "Trace" : prompt->second;
}

}  // namespace

std::string tracePlayerHtml(const trace::Trace& trace) {
    json texts = json::object();
    for (const auto& [id, text] : trace.tokenTexts) texts[std::to_string(id)] = text;
    const trace::TokenMarks marks(trace);
    const auto willMask = [&](int step, int position) { return marks.willMask(step, position); };
    const auto committed = [&](int step, int position) { return marks.committed(step, position); };
    json states = json::array();
    for (int step = 0; step < trace.steps; ++step)
        for (int position = 0; position < trace.positions; ++position)
            states.push_back(trace.stateAt(step, position));
    const json data{
        {"format", "kurve.player/1"},
        {"meta", trace.meta},
        {"unit", trace::unitName(trace.unit)},
        {"steps", trace.steps},
        {"positions", trace.positions},
        {"candidates", trace.topK},
        {"token_texts", texts},
        {"t", detail::jsonNumbers(trace.t)},
        {"log_snr", detail::jsonNumbers(trace.logSnr)},
        {"tokens", trace.tokens},
        {"state", states},
        {"marked",
         marked(trace, true, [&](int step, int position) { return trace::isMarked(trace, step, position); })},
        {"mark_shapes", markShapesJson()},
        {"finished_blocks", finished(trace, marks)},
        {"will_mask", marked(trace, marks.anyWillMask(), willMask)},
        {"committed", marked(trace, marks.anyCommitted(), committed)},
        {"confidence", rounded(trace.confidence)},
        {"entropy", rounded(trace.entropy)},
        {"top_ids", trace.topIds},
        {"top_prob", rounded(trace.topProbability)}};
    return detail::htmlPage(titleOf(trace), data, detail::kPlayerScript);
}

}  // namespace kurve::interop
