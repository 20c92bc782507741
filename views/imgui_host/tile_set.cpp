#include "views/imgui_host/tile_set.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::views {

TileSet::TileSet(const QSize& pixels)
    : pixels_(pixels),
      columns_((pixels.width() + kTile - 1) / kTile),
      rows_((pixels.height() + kTile - 1) / kTile),
      marked_(static_cast<std::size_t>(std::max(columns_, 0)) *
              static_cast<std::size_t>(std::max(rows_, 0))) {}

void TileSet::add(const ImDrawData& data) {
    for (int i = 0; i < data.CmdListsCount; ++i) add(*data.CmdLists[i], data);
}

void TileSet::add(const ImDrawList& list, const ImDrawData& data) {
    const ImVec2 scale = data.FramebufferScale, origin = data.DisplayPos;
    for (const ImDrawCmd& command : list.CmdBuffer) {
        const ImVec4 clip = command.ClipRect;
        for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
            ImVec2 low{clip.z, clip.w}, high{clip.x, clip.y};
            for (unsigned corner = 0; corner < 3; ++corner) {
                const auto index = static_cast<int>(command.IdxOffset + i + corner);
                const auto vertex = static_cast<int>(command.VtxOffset) + list.IdxBuffer[index];
                const ImVec2 p = list.VtxBuffer[vertex].pos;
                low = {std::min(low.x, p.x), std::min(low.y, p.y)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y)};
            }
            low = {std::max(low.x, clip.x), std::max(low.y, clip.y)};
            high = {std::min(high.x, clip.z), std::min(high.y, clip.w)};
            if (low.x > high.x || low.y > high.y) continue;
            mark({(low.x - origin.x) * scale.x, (low.y - origin.y) * scale.y},
                 {(high.x - origin.x) * scale.x, (high.y - origin.y) * scale.y});
        }
    }
}

void TileSet::mark(ImVec2 low, ImVec2 high) {
    const auto tile = [](float coord, int count) {
        return static_cast<int>(std::clamp(std::floor(coord / kTile), 0.0F, static_cast<float>(count - 1)));
    };
    if (marked_.empty()) return;
    // A pixel more on every side: drivers may round to either.
    const int left = tile(low.x - 1, columns_), right = tile(high.x + 1, columns_);
    const int top = tile(low.y - 1, rows_), bottom = tile(high.y + 1, rows_);
    for (int row = top; row <= bottom; ++row) {
        const auto begin = marked_.begin() + static_cast<std::ptrdiff_t>(row) * columns_;
        std::fill(begin + left, begin + right + 1, std::uint8_t{1});
    }
}

TileSet& TileSet::operator|=(const TileSet& other) {
    KURVE_CHECK(other.pixels_ == pixels_, "got tiles of {}x{} pixels, expected {}x{}", other.pixels_.width(),
                other.pixels_.height(), pixels_.width(), pixels_.height());
    std::transform(marked_.begin(), marked_.end(), other.marked_.begin(), marked_.begin(),
                   [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a | b); });
    return *this;
}

std::vector<QRect> TileSet::rectangles() const {
    std::vector<QRect> done, open;  // open: ends in the row before, in tiles
    for (int row = 0; row < rows_; ++row) {
        const auto begin = marked_.begin() + static_cast<std::ptrdiff_t>(row) * columns_,
                   end = begin + columns_;
        std::vector<QRect> here;
        for (auto from = std::find(begin, end, 1); from != end;) {
            const auto to = std::find(from, end, 0);
            const QRect run(static_cast<int>(from - begin), row, static_cast<int>(to - from), 1);
            const auto above = std::find_if(open.begin(), open.end(), [&](const QRect& r) {
                return r.left() == run.left() && r.right() == run.right();
            });
            here.push_back(above == open.end() ? run : above->united(run));
            if (above != open.end()) open.erase(above);
            from = std::find(to, end, 1);
        }
        done.insert(done.end(), open.begin(), open.end());
        open = std::move(here);
    }
    done.insert(done.end(), open.begin(), open.end());
    const QRect all(QPoint(0, 0), pixels_);
    for (QRect& r : done) r = QRect(r.topLeft() * kTile, r.size() * kTile).intersected(all);
    return done;
}

}  // namespace kurve::views
