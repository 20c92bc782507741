#include "core/interop/trace_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/interop/detail/markup.h"
#include "core/interop/detail/trace_names.h"
#include "core/trace/map_marks.h"

namespace kurve::interop {
namespace {

using trace::TokenState;

constexpr double kRow = 14, kNames = 110, kMargin = 12, kTop = 40, kTextLine = 16, kTextWidth = 560;
constexpr int kShades = 16, kTextSteps = 8;

/// One cell of the map.
struct Cell {
    double x = 0, y = 0, w = 0;
    [[nodiscard]] double cx() const { return x + w / 2; }
    [[nodiscard]] double cy() const { return y + kRow / 2; }
};

struct Sheet {
    const trace::Trace& trace;
    trace::TokenMarks marks;
    double cell = 16, width = 0, height = 0;
    std::vector<int> textSteps;  ///< steps whose text is below the map

    explicit Sheet(const trace::Trace& t) : trace(t), marks(t) {
        cell = t.steps > 96 ? 6 : t.steps > 40 ? 10 : 16;
        const int count = std::min(t.steps, kTextSteps);
        for (int k = 0; k < count; ++k)
            textSteps.push_back(count == 1
                                    ? t.steps - 1
                                    : static_cast<int>(std::lround(double(k) * (t.steps - 1) / (count - 1))));
        width = 2 * kMargin + kNames + std::max(cell * t.steps, kTextWidth);
        height = kTop + kRow * t.positions + kMargin + kTextLine * (double(textSteps.size()) + 2.5);
    }
    [[nodiscard]] Cell at(int step, int position) const {
        return {kMargin + kNames + cell * step, kTop + kRow * position, cell};
    }
    [[nodiscard]] TokenState state(int step, int position) const { return trace.stateAt(step, position); }
    [[nodiscard]] float confidence(int step, int position) const {
        const float value = trace.value(&trace::Trace::confidence, step, position);
        return std::isfinite(value) ? std::clamp(value, 0.0F, 1.0F) : 0.0F;
    }
};

std::string displayText(const trace::Trace& trace, std::uint32_t token) {
    static const std::string kBlank = "\xE2\x96\x81";
    std::string text = trace.textOf(token);
    if (text.rfind(kBlank, 0) == 0) text.erase(0, kBlank.size());
    return text;
}

/// At most `letters` code points, an ellipsis for the rest.
std::string shortened(const std::string& text, int letters) {
    std::size_t at = 0;
    for (int n = 0; at < text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) continue;
        if (n++ == letters) return text.substr(0, at) + "\xE2\x80\xA6";
    }
    return text;
}

std::string textElement(double x, double y, std::string_view text, std::string_view more = {}) {
    return fmt::format("<text x=\"{:g}\" y=\"{:g}\"{}>{}</text>\n", x, y, more, detail::markupText(text));
}

/// One path for each shade keeps long traces small.
std::string cells(const Sheet& sheet) {
    std::array<std::string, kShades + 1> shades;
    for (int step = 0; step < sheet.trace.steps; ++step)
        for (int position = 0; position < sheet.trace.positions; ++position) {
            if (sheet.state(step, position) == TokenState::Pad) continue;
            const auto level =
                static_cast<std::size_t>(std::lround(sheet.confidence(step, position) * kShades));
            const Cell c = sheet.at(step, position);
            shades[level] += fmt::format("M{:g} {:g}h{:g}v{:g}h-{:g}z", c.x, c.y, c.w, kRow, c.w);
        }
    std::string out;
    for (std::size_t level = 1; level < shades.size(); ++level)
        if (!shades[level].empty())
            out += fmt::format("<path fill=\"#1b5e9b\" fill-opacity=\"{:.3f}\" d=\"{}\"/>\n",
                               static_cast<double>(level) / kShades, shades[level]);
    return out;
}

std::string shapes(const Sheet& sheet) {
    std::string out;
    for (int step = 0; step < sheet.trace.steps; ++step)
        for (int position = 0; position < sheet.trace.positions; ++position) {
            if (!trace::isMarked(sheet.trace, step, position)) continue;
            const TokenState state = sheet.state(step, position);
            const Cell c = sheet.at(step, position);
            const char* ink = sheet.confidence(step, position) > 0.55F ? "#ffffff" : "#1a1a1a";
            out +=
                fmt::format("<path class=\"{}\" d=\"M{:g} {:g}{}\" {}=\"{}\"{}/>", detail::stateName(state),
                            c.cx(), c.cy(), trace::markPath(state, std::min(3.4, c.w * 0.3)),
                            trace::markShapes(state)[0].filled ? "fill" : "stroke", ink,
                            trace::markShapes(state)[0].filled ? "" : " fill=\"none\"");
        }
    return out + "\n";
}

std::string ring(const Cell& c, bool deep) {
    return fmt::format(
        "<circle class=\"will-mask\" cx=\"{:g}\" cy=\"{:g}\" r=\"{:g}\" fill=\"none\" stroke=\"{}\" "
        "stroke-dasharray=\"1.4 1.6\"/>",
        c.cx(), c.cy(), std::min(5.8, c.w * 0.5), deep ? "#ffffff" : "#1a1a1a");
}

/// Over `positions` cells from `c` down, with a white edge that keeps it visible on dark ones.
std::string bracket(const Cell& c, int positions) {
    std::string out;
    for (const char* pen : {" stroke=\"#ffffff\" stroke-width=\"3\"",
                            " class=\"committed\" stroke=\"#1a1a1a\" stroke-width=\"1.3\""})
        out += fmt::format("<path{} fill=\"none\" d=\"M{:g} {:g}h-3v{:g}h3\"/>", pen, c.x + 4, c.y + 1,
                           kRow * positions - 2);
    return out;
}

/// A dotted ring around what the next step masks, a bracket where a block was finished.
std::string declared(const Sheet& sheet) {
    const trace::TokenMarks& marks = sheet.marks;
    std::string out;
    for (int step = 0; step < sheet.trace.steps; ++step)
        for (int position = 0; position < sheet.trace.positions; ++position)
            if (sheet.state(step, position) != TokenState::Pad && marks.willMask(step, position))
                out += ring(sheet.at(step, position), sheet.confidence(step, position) > 0.55F);
    for (const trace::FinishedBlock& block : trace::finishedBlocks(sheet.trace, marks))
        out += bracket(sheet.at(block.step, block.from), block.count);
    return out + "\n";
}

std::string legend(const Sheet& sheet) {
    const char* grey = " fill=\"#555555\"";
    std::string more;
    if (sheet.marks.anyWillMask()) more = "dotted ring: remasked in the next step";
    if (sheet.marks.anyCommitted())
        more += (more.empty() ? "" : "; ") + std::string("bracket: block finished");
    const double low = sheet.height - 8;
    return textElement(kMargin, more.empty() ? low : low - 13,
                       "shade: confidence · \xE2\x97\x86 changed · \xE2\x97\x8F new · \xE2\x96\xA1 masked · "
                       "\xE2\x97\x8B with tail: remasked · bar: given",
                       grey) +
           (more.empty() ? "" : textElement(kMargin, low, more, grey));
}

std::string labels(const Sheet& sheet) {
    const trace::Trace& t = sheet.trace;
    std::string out;
    for (int position = 0; position < t.positions; ++position) {
        if (sheet.state(t.steps - 1, position) == TokenState::Pad) continue;
        const std::string text = shortened(displayText(t, t.tokenAt(t.steps - 1, position)), 14);
        out +=
            textElement(kMargin + kNames - 6, sheet.at(0, position).cy() + 3.5, text, " text-anchor=\"end\"");
    }
    const int every = std::max(1, static_cast<int>(std::ceil(24 / sheet.cell)));
    for (int step = 0; step < t.steps; ++step)
        if (step == 0 || (step + 1) % every == 0)
            out += textElement(sheet.at(step, 0).cx(), kTop - 5, std::to_string(step + 1),
                               " text-anchor=\"middle\"");
    return out;
}

std::string texts(const Sheet& sheet) {
    const trace::Trace& t = sheet.trace;
    double y = kTop + kRow * t.positions + kMargin + kTextLine;
    std::string out;
    for (const int step : sheet.textSteps) {
        const auto s = static_cast<std::size_t>(step);
        const std::string time = s < t.t.size() ? fmt::format("step {}, t {:.2f}", step + 1, t.t[s])
                                                : fmt::format("step {}", step + 1);
        out += textElement(kMargin + kNames - 6, y, time, " text-anchor=\"end\" fill=\"#555555\"");
        out += textElement(kMargin + kNames, y, shortened(detail::textOf(t, step), 96));
        y += kTextLine;
    }
    return out;
}

std::string caption(const trace::Trace& trace) {
    std::string out;
    const auto append = [&](const char* key, const char* form) {
        const auto found = trace.meta.find(key);
        if (found == trace.meta.end() || found->second.empty()) return;
        if (!out.empty()) out += " \xC2\xB7 ";
        out += fmt::format(fmt::runtime(form), found->second);
    };
    append("run", "{}");
    append("checkpoint_step", "after {} training steps");
    append("branch_change", "{}");
    append("seed", "seed {}");
    append("prompt", "\"{}\"");
    return out.empty() ? "Trace" : out;
}

}  // namespace

std::string traceSvg(const trace::Trace& trace) {
    const Sheet sheet(trace);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0:g}\" height=\"{1:g}\" "
        "viewBox=\"0 0 "
        "{0:g} {1:g}\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"10\" fill=\"#1a1a1a\">\n"
        "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        sheet.width, sheet.height, detail::markupText(caption(trace)));
    out += textElement(kMargin, 16, shortened(caption(trace), 110));
    if (trace.steps > 0 && trace.positions > 0)
        out += cells(sheet) + shapes(sheet) + declared(sheet) + labels(sheet) + texts(sheet);
    return out + legend(sheet) + "</svg>\n";
}

}  // namespace kurve::interop
