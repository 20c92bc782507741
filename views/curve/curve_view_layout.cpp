#include "views/curve/curve_view_layout.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {
namespace {

constexpr float kLowPlot = 16, kWideEnough = 36;  ///< em: a plot is low, and there is width for two parts

void placeBeside(CurveViewLayout& layout, const Box& all, float leftW, float head, float em) {
    const float gap = 1.6F * em;
    const float plotW = std::round(std::clamp(1.7F * (all.h - head), 0.5F * leftW, 0.62F * leftW));
    layout.plot = {all.x, all.y + head, plotW, all.h - head};
    layout.strips[0] = {all.x + plotW + gap, all.y, leftW - plotW - gap, all.h};
}

void placeBelow(CurveViewLayout& layout, const Box& all, float leftW, float head, float em, int sides) {
    // A low widget has a low strip.
    const float stripH = !layout.strip     ? 0
                         : all.h > 20 * em ? std::clamp(0.26F * all.h, 8 * em, 13 * em)
                                           : 5.8F * em;
    layout.plot = {all.x, all.y + head, leftW, all.h - head - (layout.strip ? stripH + em : 0)};
    const float gap = 1.2F * em, count = static_cast<float>(sides);
    const float width = (leftW - gap * (count - 1)) / count;
    for (int i = 0; layout.strip && i < sides; ++i)
        layout.strips.at(static_cast<std::size_t>(i)) = {all.x + (width + gap) * static_cast<float>(i),
                                                         all.bottom() - stripH, width, stripH};
}

}  // namespace

CurveViewLayout layoutOfCurve(ImVec2 size, float em, const CurveLayoutRequest& request) {
    CurveViewLayout layout;
    const float head = std::round(1.8F * em);
    const Box all = Box{0, 0, size.x, size.y}.inset(std::round(0.9F * em));
    layout.statisticsShown = all.w > 56 * em;
    const float statisticsW = layout.statisticsShown ? std::min(30 * em, 0.32F * all.w) : 0;
    const float leftW = all.w - (layout.statisticsShown ? statisticsW + 2.4F * em : 0);
    layout.statistics = {all.right() - statisticsW, all.y, statisticsW, all.h};
    layout.strip = request.strip && all.h > 13 * em;
    placeBelow(layout, all, leftW, head, em, request.sides);
    const bool low = layout.plot.h < kLowPlot * em && leftW > kWideEnough * em;
    if (layout.strip && low && request.sides == 1 && request.oneSquare)
        placeBeside(layout, all, leftW, head, em);
    return layout;
}

std::vector<Box> boxesOfPlots(const Box& area, int sides, int planes, float gap, float below) {
    const int count = sides * planes;
    const auto sizeIn = [&](int columns) {
        const int rows = (count + columns - 1) / columns;
        const auto across = static_cast<float>(columns), down = static_cast<float>(rows);
        return ImVec2{(area.w - gap * (across - 1)) / across, (area.h - gap * (down - 1)) / down - below};
    };
    const auto shorter = [&](int columns) { return std::min(sizeIn(columns).x, sizeIn(columns).y); };
    // One trace may go on in a further row; of two each plane has its partner beside or below it.
    std::vector<int> choices{planes > 1 ? planes : sides};
    if (planes > 1 && sides > 1) choices.push_back(sides);
    for (int columns = planes - 1; sides == 1 && columns > 0; --columns) choices.push_back(columns);
    const int columns = *std::max_element(choices.begin(), choices.end(),
                                          [&](int a, int b) { return shorter(a) < shorter(b); });
    const ImVec2 size = sizeIn(columns);
    std::vector<Box> boxes;
    for (int side = 0; side < sides; ++side)
        for (int plane = 0; plane < planes; ++plane) {
            const bool byPlane = sides > 1 && columns == sides && planes > 1;
            const int at = byPlane ? plane * sides + side : side * planes + plane;
            const int column = at % columns, row = at / columns;
            boxes.push_back({std::round(area.x + (size.x + gap) * static_cast<float>(column)),
                             std::round(area.y + (size.y + below + gap) * static_cast<float>(row)),
                             std::round(size.x), std::round(size.y)});
        }
    return boxes;
}

}  // namespace kurve::views
