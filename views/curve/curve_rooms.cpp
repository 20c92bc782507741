#include "views/curve/curve_rooms.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {
namespace {

constexpr float kLowPlot = 16, kWideEnough = 36;  ///< em: a plot is low, and there is width for two parts

void placeBeside(CurveRooms& rooms, const Box& all, float leftW, float head, float em) {
    const float gap = 1.6F * em;
    const float plotW = std::round(std::clamp(1.7F * (all.h - head), 0.5F * leftW, 0.62F * leftW));
    rooms.plot = {all.x, all.y + head, plotW, all.h - head};
    rooms.strips[0] = {all.x + plotW + gap, all.y, leftW - plotW - gap, all.h};
}

void placeBelow(CurveRooms& rooms, const Box& all, float leftW, float head, float em, int sides) {
    // A low widget has a low strip: without it nobody would know that there is one.
    const float stripH = !rooms.strip      ? 0
                         : all.h > 20 * em ? std::clamp(0.26F * all.h, 8 * em, 13 * em)
                                           : 5.8F * em;
    rooms.plot = {all.x, all.y + head, leftW, all.h - head - (rooms.strip ? stripH + em : 0)};
    const float gap = 1.2F * em, count = static_cast<float>(sides);
    const float width = (leftW - gap * (count - 1)) / count;
    for (int i = 0; rooms.strip && i < sides; ++i)
        rooms.strips.at(static_cast<std::size_t>(i)) = {all.x + (width + gap) * static_cast<float>(i),
                                                        all.bottom() - stripH, width, stripH};
}

}  // namespace

CurveRooms roomsOfCurve(ImVec2 size, float em, const CurveWants& wants) {
    CurveRooms rooms;
    const float head = std::round(1.8F * em);
    const Box all = Box{0, 0, size.x, size.y}.inset(std::round(0.9F * em));
    rooms.numbersShown = all.w > 56 * em;
    const float numbersW = rooms.numbersShown ? std::min(30 * em, 0.32F * all.w) : 0;
    const float leftW = all.w - (rooms.numbersShown ? numbersW + 2.4F * em : 0);
    rooms.numbers = {all.right() - numbersW, all.y, numbersW, all.h};
    rooms.strip = wants.strip && all.h > 13 * em;
    placeBelow(rooms, all, leftW, head, em, wants.sides);
    const bool low = rooms.plot.h < kLowPlot * em && leftW > kWideEnough * em;
    if (rooms.strip && low && wants.sides == 1 && wants.oneSquare) placeBeside(rooms, all, leftW, head, em);
    return rooms;
}

}  // namespace kurve::views
