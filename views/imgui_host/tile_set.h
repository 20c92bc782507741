#pragma once

#include <imgui.h>

#include <QRect>
#include <QSize>
#include <cstdint>
#include <vector>

namespace kurve::views {

/// Which parts of a picture a frame draws on, in squares of kTile device pixels: only these have to be
/// restored, read back and painted when the next frame comes.
class TileSet {
public:
    static constexpr int kTile = 32;
    explicit TileSet(const QSize& pixels = {});
    [[nodiscard]] const QSize& pixels() const { return pixels_; }
    /// Marks what the triangles of the lists can touch inside their clip rectangles.
    void add(const ImDrawData& data);
    /// The other set is of a picture of the same size.
    TileSet& operator|=(const TileSet& other);
    /// The marked squares as few rectangles that do not overlap, cut off at the picture's edges.
    [[nodiscard]] std::vector<QRect> rectangles() const;

private:
    void add(const ImDrawList& list, const ImDrawData& data);
    void mark(ImVec2 low, ImVec2 high);

    QSize pixels_;
    int columns_ = 0, rows_ = 0;
    std::vector<std::uint8_t> marked_;  ///< [rows, columns]
};

}  // namespace kurve::views
