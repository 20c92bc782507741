#include "core/trace/map_marks.h"

#include <fmt/format.h>

#include <map>

namespace kurve::trace {

const std::vector<MarkShape>& markShapes(TokenState state) {
    static const std::map<TokenState, std::vector<MarkShape>> kShapes{
        {TokenState::Given, {{0, {{-0.4, -1}, {0.4, -1}, {0.4, 1}, {-0.4, 1}}}}},
        {TokenState::Masked, {{0, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, false}}},
        {TokenState::New, {{0.9}}},
        {TokenState::Flip, {{0, {{0, -1.15}, {1.15, 0}, {0, 1.15}, {-1.15, 0}}}}},
        {TokenState::Remask, {{0.85, {}, false}, {0, {{-0.7, 0.7}, {-1.5, 1.5}}, false}}}};
    static const std::vector<MarkShape> kNone;
    const auto found = kShapes.find(state);
    return found == kShapes.end() ? kNone : found->second;
}

std::string markPath(TokenState state, double half) {
    std::string path;
    for (const MarkShape& shape : markShapes(state)) {
        if (shape.radius > 0) {
            const double r = shape.radius * half;
            path += fmt::format("m{0:g} 0a{1:g} {1:g} 0 1 0 {2:g} 0a{1:g} {1:g} 0 1 0 {3:g} 0m{1:g} 0", -r, r,
                                2 * r, -2 * r);
            continue;
        }
        double x = 0, y = 0;
        const auto move = [&](char command, double toX, double toY) {
            path += fmt::format("{}{:g} {:g}", command, (toX - x) * half, (toY - y) * half);
            x = toX, y = toY;
        };
        for (std::size_t i = 0; i < shape.points.size(); ++i)
            move(i == 0 ? 'm' : 'l', shape.points[i].first, shape.points[i].second);
        if (shape.points.size() > 2) move('l', shape.points[0].first, shape.points[0].second);
        move('m', 0, 0);
    }
    return path;
}

bool isMarked(const Trace& trace, int step, int position) {
    const TokenState state = trace.stateAt(step, position);
    if (state == TokenState::New && step == 0 && trace.estimatesAll()) return false;
    return !markShapes(state).empty();
}

std::vector<FinishedBlock> finishedBlocks(const Trace& trace, const TokenMarks& marks) {
    std::vector<FinishedBlock> blocks;
    for (int step = 0; step < trace.steps; ++step)
        for (int position = 0; position < trace.positions; ++position) {
            if (!marks.committed(step, position) || (step > 0 && marks.committed(step - 1, position)))
                continue;
            const bool goesOn = !blocks.empty() && blocks.back().step == step &&
                                blocks.back().from + blocks.back().count == position;
            goesOn ? static_cast<void>(++blocks.back().count) : blocks.push_back({step, position, 1});
        }
    return blocks;
}

}  // namespace kurve::trace
