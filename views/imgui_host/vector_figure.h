#pragma once

#include <imgui.h>

#include <QColor>
#include <QPainter>
#include <QPolygonF>
#include <QRectF>
#include <span>
#include <vector>

#include "views/imgui_host/text_atlas.h"

namespace kurve::views {

/// ImGui draw lists drawn by QPainter: lines with their widths, outlines, circles and texts instead of
/// triangles, so that svg and pdf hold vectors and texts. The drawing code of a view is thus written once.
/// The lists must have been recorded without anti-aliasing (its fringes are triangles of their own), with
/// texts and shapes as such. Textures become one rectangle per texel. One colour per shape.
/// Inside a widget's frame.
class VectorFigure {
public:
    explicit VectorFigure(QPainter& painter) : painter_(painter) {}
    void draw(const ImDrawList& list);

private:
    using Corners = std::vector<ImDrawVert>;
    /// Segments of one colour and width that go on from each other.
    struct Line {
        QPolygonF points;
        QColor colour;
        double width = 0;
        bool joined = false;  ///< goes on in another colour before or after
    };
    void solid(const Corners& corners);
    void text(const TextAtlas::FigureText& text);
    void texels(const Corners& corners, ImTextureID texture);
    void segment(QPointF from, QPointF to, double width, const QColor& colour);
    /// A filled outline, cut off at the clip rectangle.
    void fill(const QPolygonF& outline, const QColor& colour);
    void finishLine();

    QPainter& painter_;
    QRectF clip_;
    QPolygonF lastFill_;
    Line line_;
};

}  // namespace kurve::views
