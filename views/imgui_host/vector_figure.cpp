#include "views/imgui_host/vector_figure.h"

#include <QImage>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "views/common/chart/clipped_device.h"
#include "views/imgui_host/gl_texture.h"
#include "views/imgui_host/ink.h"

namespace kurve::views {
namespace {

constexpr double kSame = 0.02;            // pixels: two ends are one position
constexpr double kWidestLine = 6;         // a longer and wider rectangle is an area
constexpr double kOverlap = 0.25;         // of texels, or viewers show hairlines between them
constexpr qsizetype kFewestOfCircle = 9;  // corners; fewer are meant as corners
constexpr double kLongestStep = 1.5;      // from corner to corner of a circle, against an even one

QPointF at(const ImDrawVert& corner) {
    return {corner.pos.x, corner.pos.y};
}

double distance(QPointF a, QPointF b) {
    return std::hypot(a.x() - b.x(), a.y() - b.y());
}

bool isRectangle(const QPolygonF& p) {
    const QPointF along = p[1] - p[0], across = p[3] - p[0], rest = p[2] - p[1] - across;
    const double angle = QPointF::dotProduct(along, across);
    return std::hypot(rest.x(), rest.y()) < kSame &&
           std::abs(angle) < kSame * (distance(p[0], p[1]) + distance(p[0], p[3]));
}

/// Centre and radius, if all corners lie on a circle as evenly as ImGui divides one. (Those of a rectangle
/// with round corners lie on a circle as well, but its sides are longer than the steps around them.)
std::optional<std::pair<QPointF, double>> circleOf(const QPolygonF& corners) {
    if (corners.size() < kFewestOfCircle) return std::nullopt;
    const auto count = static_cast<double>(corners.size());
    QPointF centre;
    for (const QPointF& p : corners) centre += p / count;
    const double radius = distance(centre, corners.front()), step = 2 * M_PI * radius / count;
    for (qsizetype i = 0; i < corners.size(); ++i)
        if (std::abs(distance(centre, corners[i]) - radius) > kSame * radius ||
            distance(corners[i], corners[(i + 1) % corners.size()]) > kLongestStep * step)
            return std::nullopt;
    return std::pair(centre, radius);
}

}  // namespace

void VectorFigure::draw(const ImDrawList& list) {
    const auto atlas = ImGui::GetIO().Fonts->TexID;
    Corners corners;
    for (const ImDrawCmd& command : list.CmdBuffer) {
        const ImVec4& clip = command.ClipRect;
        clip_ = QRectF(QPointF(clip.x, clip.y), QPointF(clip.z, clip.w));
        if (command.UserCallback == TextAtlas::figureText)
            text(*static_cast<const TextAtlas::FigureText*>(command.UserCallbackData));
        if (command.UserCallback != nullptr) continue;
        const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
        const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
        // All that ImGui fills is a fan of triangles around its first corner.
        for (unsigned i = 0; i + 2 < command.ElemCount;) {
            const ImDrawIdx first = indices[i];
            corners = {vertices[first], vertices[indices[i + 1]], vertices[indices[i + 2]]};
            for (i += 3; i + 2 < command.ElemCount && indices[i] == first && indices[i + 1] == indices[i - 1];
                 i += 3)
                corners.push_back(vertices[indices[i + 2]]);
            command.GetTexID() == atlas ? solid(corners) : texels(corners, command.GetTexID());
        }
    }
    finishLine();
}

void VectorFigure::solid(const Corners& corners) {
    const QColor colour = toQt(corners.front().col);
    QPolygonF outline;
    for (const ImDrawVert& corner : corners) outline << at(corner);
    if (outline.size() != 4 || !isRectangle(outline)) return fill(outline, colour);
    const double width = std::round(100 * distance(outline[0], outline[3])) / 100;
    const bool upright = outline[0].y() == outline[1].y();
    // A rectangle that is filled and a line that is drawn are the same four corners: thin ones are lines.
    if (width > (upright ? kWidestLine / 2 : kWidestLine) || !clip_.contains(outline.boundingRect()))
        return fill(outline, colour);
    segment((outline[0] + outline[3]) / 2, (outline[1] + outline[2]) / 2, width, colour);
}

void VectorFigure::segment(QPointF from, QPointF to, double width, const QColor& colour) {
    const bool goesOn = !line_.points.isEmpty() && distance(line_.points.back(), from) < kSame &&
                        std::abs(line_.width - width) < kSame;
    if (goesOn && line_.colour == colour) {
        line_.points << to;
        return;
    }
    // Where a line changes its colour round ends fill the corner; translucent ones would be doubled there.
    const bool joins = goesOn && colour.alpha() == 255;
    line_.joined |= joins;
    finishLine();
    line_ = {QPolygonF({from, to}), colour, width, joins};
}

void VectorFigure::finishLine() {
    if (line_.points.isEmpty()) return;
    painter_.setPen(QPen(line_.colour, line_.width, Qt::SolidLine, line_.joined ? Qt::RoundCap : Qt::FlatCap,
                         Qt::MiterJoin));
    painter_.setBrush(Qt::NoBrush);
    QPolygonF points = std::exchange(line_.points, {});
    if (points.size() < 4 || distance(points.front(), points.back()) >= kSame) {
        painter_.drawPolyline(points);
        return;
    }
    points.pop_back();
    if (const auto circle = circleOf(points))
        painter_.drawEllipse(circle->first, circle->second, circle->second);
    else
        painter_.drawPolygon(points);
}

void VectorFigure::fill(const QPolygonF& outline, const QColor& colour) {
    finishLine();
    QPolygonF visible = clippedOutline(outline, clip_);
    if (visible.size() < 3) return;
    // A row of bars without gaps (a colour scale): each begins a little below the one before.
    const bool after = visible.size() == 4 && lastFill_.size() == 4 && visible[0] == lastFill_[1] &&
                       visible[3] == lastFill_[2] && colour.alpha() == 255;
    lastFill_ = visible;
    if (after) {
        visible[0].rx() -= kOverlap;
        visible[3].rx() -= kOverlap;
    }
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(colour);
    if (const auto circle = visible.size() == outline.size() ? circleOf(visible) : std::nullopt)
        painter_.drawEllipse(circle->first, circle->second, circle->second);
    else
        painter_.drawPolygon(visible);
}

void VectorFigure::text(const TextAtlas::FigureText& text) {
    finishLine();
    const ImVec2 size = text.face->size(text.text);
    if (clip_.contains(text.at + QPointF(size.x / 2, -size.y / 4))) text.paint(painter_);
}

void VectorFigure::texels(const Corners& corners, ImTextureID texture) {
    finishLine();
    const QImage image = textureImage(texture);
    const QRectF target = QRectF(at(corners[0]), at(corners[2]));
    if (image.isNull()) return;
    const double w = target.width() / image.width(), h = target.height() / image.height();
    // One path a colour: a heat map has thousands of cells and few colours.
    std::map<QRgb, QPainterPath> areas;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0, end = 0; x < image.width(); x = end) {
            const QRgb colour = image.pixel(x, y);
            for (end = x + 1; end < image.width() && image.pixel(end, y) == colour;) ++end;
            const QRectF cell(target.x() + x * w, target.y() + y * h, (end - x) * w + kOverlap, h + kOverlap);
            const QRectF visible = cell & target & clip_;
            if (!visible.isEmpty()) areas[colour].addRect(visible);
        }
    painter_.setPen(Qt::NoPen);
    for (auto& [colour, area] : areas) {
        area.setFillRule(Qt::WindingFill);
        painter_.setBrush(QColor::fromRgba(colour));
        painter_.drawPath(area);
    }
}

}  // namespace kurve::views
