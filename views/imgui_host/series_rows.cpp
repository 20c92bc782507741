#include "views/imgui_host/series_rows.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {
namespace {

float topOf(const SeriesRow& row) {
    float top = row.least;
    for (const float v : row.values)
        if (std::isfinite(v)) top = std::max(top, v);
    return top > 0 ? top : 1;
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
    const ImFont* font = host.fonts().small;
    const auto count = static_cast<int>(rows.size());
    for (int i = 0; i < count; ++i) {
        const SeriesRow& row = rows[static_cast<std::size_t>(i)];
        const Box graph = at.graph(i, count);
        list.AddRectFilled({graph.x, graph.bottom()}, {graph.right(), graph.bottom() + 1}, host.ink().line);
        drawSeries(list, graph, row.values, 0, topOf(row), host.ink().accent, 1.6F);
        drawText(list, font, {at.area.x, graph.bottom() - textSize(font, "0").y}, host.ink().soft, row.name);
    }
}

void drawSeriesValues(ImDrawList& list, const ImGuiWidget& host, const SeriesRows& at,
                      std::span<const SeriesRow> rows, int step) {
    const ImFont* font = host.fonts().small;
    const auto count = static_cast<int>(rows.size());
    const Box plot = at.plot();
    const auto steps = rows.empty() ? 0 : static_cast<int>(rows.front().values.size());
    const float x = stepX(plot, step, steps);
    list.AddRectFilled({std::round(x) - 0.5F, plot.y}, {std::round(x) + 0.5F, plot.bottom()},
                       host.ink().playhead);
    for (int i = 0; i < count; ++i) {
        const SeriesRow& row = rows[static_cast<std::size_t>(i)];
        const Box graph = at.graph(i, count);
        drawText(list, font, {at.area.right(), graph.bottom() - textSize(font, "0").y}, host.ink().text,
                 row.now, 1);
        const float v = row.values[static_cast<std::size_t>(step)];
        if (std::isnan(v)) continue;
        const float y = graph.bottom() - graph.h * std::clamp(v / topOf(row), 0.0F, 1.0F);
        host.fonts().shapes.draw(list, BakedShapes::Disc, {x, y}, 0.2F * ImGui::GetFontSize(),
                                 host.ink().playhead);
    }
}

}  // namespace kurve::views
