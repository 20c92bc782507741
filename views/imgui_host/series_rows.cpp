#include "views/imgui_host/series_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kurve::views {
namespace {

float besideAt(const SeriesRow& row, std::size_t step) {
    return row.beside[static_cast<std::size_t>(row.partners[step])];
}

float topOf(const SeriesRow& row) {
    float top = row.least;
    for (std::size_t step = 0; step < row.values.size(); ++step) {
        if (std::isfinite(row.values[step])) top = std::max(top, row.values[step]);
        if (!row.beside.empty() && std::isfinite(besideAt(row, step)))
            top = std::max(top, besideAt(row, step));
    }
    return top > 0 ? top : 1;
}

std::string textOf(const SeriesRow& row, float value) {
    return std::isnan(value) ? std::string("–") : fmt::format(fmt::runtime(row.form), row.factor * value);
}

/// The second trace's line: dashed, and broken where it has no value.
void drawBeside(ImDrawList& list, const ImGuiWidget& host, const SeriesRow& row, const Box& graph) {
    const float top = topOf(row);
    std::vector<ImVec2> run;
    const auto end = [&] {
        if (run.size() > 1) drawDashed(list, run, host.ink().change, 1.6F, 4);
        run.clear();
    };
    for (std::size_t i = 0; i < row.values.size() && !row.beside.empty(); ++i) {
        const float v = besideAt(row, i);
        if (!std::isfinite(v)) {
            end();
            continue;
        }
        run.push_back({stepX(graph, static_cast<int>(i), static_cast<int>(row.values.size())),
                       graph.bottom() - graph.h * std::clamp(v / top, 0.0F, 1.0F)});
    }
    end();
}

}  // namespace

Box SeriesRows::plot() const {
    return {area.x + nameWidth, area.y, area.w - nameWidth - valueWidth, area.h};
}

Box SeriesRows::graph(int row, int rows) const {
    const Box whole = plot();
    const float height = whole.h / static_cast<float>(rows);
    return {whole.x, whole.y + height * (static_cast<float>(row) + 0.12F), whole.w, 0.72F * height};
}

float stepX(const Box& box, int step, int steps) {
    return box.x + box.w * static_cast<float>(step) / static_cast<float>(std::max(steps - 1, 1));
}

int scrubbedStep(const Box& box, int steps) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsMouseDown(0) || steps < 2 || !box.contains(io.MouseClickedPos[0])) return -1;
    const float unit = (io.MousePos.x - box.x) / box.w;
    return std::clamp(static_cast<int>(std::lround(unit * static_cast<float>(steps - 1))), 0, steps - 1);
}

void drawSeriesRows(ImDrawList& list, const ImGuiWidget& host, const SeriesRows& at,
                    std::span<const SeriesRow> rows) {
    const TextFace* font = host.fonts().small;
    const auto count = static_cast<int>(rows.size());
    for (int i = 0; i < count; ++i) {
        const SeriesRow& row = rows[static_cast<std::size_t>(i)];
        const Box graph = at.graph(i, count);
        list.AddRectFilled({graph.x, graph.bottom()}, {graph.right(), graph.bottom() + 1}, host.ink().line);
        drawBeside(list, host, row, graph);
        drawSeries(list, graph, row.values, 0, topOf(row), host.ink().accent, 1.6F);
        drawText(list, font, {at.area.x, graph.bottom() - textSize(font, "0").y}, host.ink().soft, row.name);
    }
}

void drawSeriesValues(ImDrawList& list, const ImGuiWidget& host, const SeriesRows& at,
                      std::span<const SeriesRow> rows, int step) {
    const TextFace* font = host.fonts().small;
    const auto count = static_cast<int>(rows.size());
    const Box plot = at.plot();
    const auto steps = rows.empty() ? 0 : static_cast<int>(rows.front().values.size());
    const float x = stepX(plot, step, steps);
    list.AddRectFilled({std::round(x) - 0.5F, plot.y}, {std::round(x) + 0.5F, plot.bottom()},
                       host.ink().playhead);
    for (int i = 0; i < count; ++i) {
        const SeriesRow& row = rows[static_cast<std::size_t>(i)];
        const Box graph = at.graph(i, count);
        const float foot = graph.bottom() - textSize(font, "0").y;
        const float v = row.values[static_cast<std::size_t>(step)];
        const bool alone = row.beside.empty();
        drawText(list, font, {at.area.right(), foot}, alone ? host.ink().text : host.ink().change,
                 textOf(row, alone ? v : besideAt(row, static_cast<std::size_t>(step))), 1);
        if (!alone)
            drawText(list, font, {at.area.right() - 0.52F * at.valueWidth, foot}, host.ink().text,
                     textOf(row, v), 1);
        if (std::isnan(v)) continue;
        const float y = graph.bottom() - graph.h * std::clamp(v / topOf(row), 0.0F, 1.0F);
        host.fonts().texts->draw(list, TextAtlas::Disc, {x, y}, 0.2F * ImGui::GetFontSize(),
                                 host.ink().playhead);
    }
}

}  // namespace kurve::views
