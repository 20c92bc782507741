#include "views/imgui_host/text_atlas.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <QPolygonF>
#include <QTextLayout>
#include <algorithm>
#include <cmath>

#include "views/imgui_host/draw.h"
#include "views/imgui_host/gl_texture.h"
#include "views/imgui_host/ink.h"

namespace kurve::views {
namespace {

constexpr std::size_t kMostPages = 4, kMostTexts = 20000;
constexpr double kWidest = 1e6;
constexpr int kShelfStep = 4;  // heights of shelves, in pixels
constexpr int kLargestShape = 32;
constexpr int kFine = 4;  // emoji in pdf, against the screen

/// One line from x = 0 to the right, whatever the direction of the text.
QTextLine shape(QTextLayout& layout) {
    QTextOption option(Qt::AlignLeft | Qt::AlignAbsolute);
    option.setWrapMode(QTextOption::NoWrap);
    option.setFlags(QTextOption::IncludeTrailingSpaces);
    layout.setTextOption(option);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid()) line.setLineWidth(kWidest);
    layout.endLayout();
    return line;
}

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

double widthOf(const QFont& font, const QString& text) {
    QTextLayout layout(text, font);
    const QTextLine line = shape(layout);
    return line.isValid() ? line.naturalTextWidth() : 0;
}

void paintText(QPainter& painter, const TextFace& face, QPointF baseline, std::string_view text) {
    QTextLayout layout(textOf(text), face.font);
    const QTextLine line = shape(layout);
    if (line.isValid()) layout.draw(&painter, baseline - QPointF(0, line.ascent()));
}

/// With a margin of a line's height on every side: marks above and below the line, slanted ends.
QImage rasterised(const TextFace& face, std::string_view text, const QColor& pen) {
    QImage picture(static_cast<int>(std::ceil(widthOf(face.font, textOf(text)))) + 2 * face.line,
                   3 * face.line, QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setPen(pen);
    paintText(painter, face, QPoint(face.line, face.line + face.ascent), text);
    return picture;
}

QImage shapePicture(TextAtlas::Shape shape, double radius) {
    const int middle = static_cast<int>(std::ceil(radius)) + 1;
    QImage picture(2 * middle, 2 * middle, QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Qt::white);
    painter.translate(middle, middle);
    if (shape == TextAtlas::Disc)
        painter.drawEllipse(QPointF(), radius, radius);
    else
        painter.drawPolygon(QPolygonF({{0, -radius}, {radius, 0}, {0, radius}, {-radius, 0}}));
    return picture;
}

/// The part of a picture that is not transparent.
struct InkArea {
    QRect box;
    bool coloured = false;  ///< not white alone
};
InkArea inkOf(const QImage& picture) {
    InkArea ink;
    for (int y = 0; y < picture.height(); ++y) {
        const auto* row = reinterpret_cast<const QRgb*>(picture.constScanLine(y));
        const auto isInk = [](QRgb pixel) { return pixel != 0; };
        const QRgb* from = std::find_if(row, row + picture.width(), isInk);
        if (from == row + picture.width()) continue;
        const QRgb* to = row + picture.width();
        while (!isInk(to[-1])) --to;
        ink.box |= QRect(static_cast<int>(from - row), y, static_cast<int>(to - from), 1);
        ink.coloured = ink.coloured || std::any_of(from, to, [](QRgb pixel) {
                           return qRed(pixel) != qAlpha(pixel) || qBlue(pixel) != qAlpha(pixel);
                       });
    }
    return ink;
}

}  // namespace

ImVec2 TextFace::size(std::string_view text) const {
    return {atlas->width(*this, text), static_cast<float>(line) / atlas->ratio()};
}

TextAtlas::TextAtlas(ImFontAtlas& atlas, float line, float ratio)
    : fonts_(atlas), ratio_(ratio), side_(line > 26 ? 2048 : 1024) {
    atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
    atlas.TexDesiredWidth = side_;
    side_ -= 4;  // what the packing keeps free
    rectangle_ = atlas.AddCustomRectRegular(side_, side_);
}

TextAtlas::~TextAtlas() = default;

const TextFace* TextAtlas::addFace(QFont font, float pixels) {
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixels * ratio_))));
    const QFontMetricsF metrics(font);
    faces_.push_back({this, font, static_cast<int>(std::lround(metrics.ascent())),
                      static_cast<int>(std::lround(metrics.height())), faces_.size()});
    texts_.emplace_back();
    return &faces_.back();
}

void TextAtlas::beginFrame(bool figure) {
    figure_ = figure;
    figureTexts_.clear();
    std::size_t texts = 0;
    for (const Texts& face : texts_) texts += face.size();
    if (pages_.size() < kMostPages && texts < kMostTexts) return;
    for (Texts& face : texts_) face.clear();
    shapes_.clear();
    pages_.clear();
    shelves_.clear();
    used_ = 0;
}

TextAtlas::Text& TextAtlas::find(const TextFace& face, std::string_view text) {
    Texts& texts = texts_[face.index];
    if (const auto found = texts.find(text); found != texts.end()) return found->second;
    const double width = widthOf(face.font, textOf(text));
    return texts.emplace(std::string(text), Text{static_cast<float>(width) / ratio_}).first->second;
}

float TextAtlas::width(const TextFace& face, std::string_view text) {
    return find(face, text).width;
}

std::string TextAtlas::elided(const TextFace& face, std::string_view text, float width) {
    Text& entry = find(face, text);
    if (entry.width <= width) return std::string(text);
    if (entry.elidedTo != width) {
        entry.elidedTo = width;
        const double most = std::max(0.0, static_cast<double>(width * ratio_));
        QString shown;
        // Letters that join change their shape before the ellipsis, which Qt does not count.
        for (double room = most, excess = 1; excess > 0; room -= std::max(excess, 1.0)) {
            shown = QFontMetricsF(face.font).elidedText(textOf(text), Qt::ElideRight, room);
            excess = widthOf(face.font, shown) - most;
        }
        entry.elided = shown.toStdString();
    }
    return entry.elided;
}

void TextAtlas::draw(ImDrawList& list, const TextFace& face, ImVec2 at, ImU32 colour, std::string_view text) {
    if (text.empty()) return;
    const ImVec2 pen{std::round(at.x * ratio_) / ratio_,
                     (std::round(at.y * ratio_) + static_cast<float>(face.ascent)) / ratio_};
    if (figure_) {
        figureTexts_.push_back({&face, QPointF(pen.x, pen.y), colour, std::string(text)});
        return list.AddCallback(figureText, &figureTexts_.back());
    }
    Text& entry = find(face, text);
    const float line = static_cast<float>(face.line) / ratio_;
    const ImVec4& clip = list._CmdHeader.ClipRect;
    if (pen.x - line > clip.z || pen.x + entry.width + line < clip.x || pen.y - 2 * line > clip.w ||
        pen.y + line < clip.y)
        return;
    const std::vector<Tile>& tiles = this->tiles(face, text, entry, colour);
    const ImU32 tint = entry.coloured ? colour | ~IM_COL32_A_MASK : colour;
    for (const Tile& tile : tiles) drawTile(list, tile, pen, tint);
}

void TextAtlas::draw(ImDrawList& list, Shape shape, ImVec2 centre, float radius, ImU32 colour) {
    const int size = std::max(2, static_cast<int>(std::lround(2 * radius * ratio_)));
    if (figure_ || size > kLargestShape)
        return shape == Disc ? list.AddCircleFilled(centre, radius, colour)
                             : drawDiamond(list, centre, radius, colour);
    const auto [at, fresh] = shapes_.try_emplace({shape, size});
    if (fresh) {
        const QImage picture = shapePicture(shape, size / 2.0);
        at->second = add(picture, picture.rect().center() + QPoint(1, 1));
    }
    drawTile(list, at->second,
             {std::round(centre.x * ratio_) / ratio_, std::round(centre.y * ratio_) / ratio_}, colour);
}

void TextAtlas::drawTile(ImDrawList& list, const Tile& tile, ImVec2 at, ImU32 colour) const {
    if (tile.page > 0) list.PushTextureID(texture(tile.page));
    list.PrimReserve(6, 4);
    list.PrimRectUV({at.x + tile.low.x, at.y + tile.low.y}, {at.x + tile.high.x, at.y + tile.high.y},
                    tile.uvLow, tile.uvHigh, colour);
    if (tile.page > 0) list.PopTextureID();
}

const std::vector<TextAtlas::Tile>& TextAtlas::tiles(const TextFace& face, std::string_view text, Text& entry,
                                                     ImU32 colour) {
    const ImU32 pen = entry.coloured ? colour | IM_COL32_A_MASK : IM_COL32_WHITE;
    const auto [at, fresh] = entry.tiles.try_emplace(pen);
    if (!fresh) return at->second;
    const QImage picture = rasterised(face, text, toQt(pen));
    const QPoint baseline(face.line, face.line + face.ascent);
    const InkArea ink = inkOf(picture);
    if (ink.coloured && !entry.coloured) {
        entry.coloured = true;
        entry.tiles.clear();
        return tiles(face, text, entry, colour);
    }
    // With a transparent pixel on every side; in pieces where it is wider than a page.
    const QRect box = ink.box.isEmpty() ? QRect() : ink.box.adjusted(-1, -1, 1, 1);
    for (int x = 0; x < box.width(); x += side_) {
        const QRect part(box.x() + x, box.y(), std::min(box.width() - x, side_), box.height());
        at->second.push_back(add(picture.copy(part), baseline - part.topLeft()));
    }
    return at->second;
}

TextAtlas::Tile TextAtlas::add(const QImage& picture, QPoint origin) {
    const QPoint free = place(picture.width(), picture.height()), extent(picture.width(), picture.height());
    const std::size_t page = pages_.size();
    const ImFontAtlasCustomRect& first = *fonts_.GetCustomRectByIndex(rectangle_);
    const QPoint corner = page == 0 ? free + QPoint(first.X, first.Y) : free;
    const ImVec2 size = page == 0 ? ImVec2(1 / fonts_.TexUvScale.x, 1 / fonts_.TexUvScale.y)
                                  : ImVec2(static_cast<float>(side_), static_cast<float>(side_));
    updateTexture(texture(page), corner, picture.convertToFormat(QImage::Format_RGBA8888));
    const auto over = [](QPoint p, float w, float h) {
        return ImVec2(static_cast<float>(p.x()) / w, static_cast<float>(p.y()) / h);
    };
    return {page, over(-origin, ratio_, ratio_), over(extent - origin, ratio_, ratio_),
            over(corner, size.x, size.y), over(corner + extent, size.x, size.y)};
}

/// A free place of the last page; begins another page if there is none.
QPoint TextAtlas::place(int width, int height) {
    const int tall = (height + kShelfStep - 1) / kShelfStep * kShelfStep;
    const auto shelf = shelves_.try_emplace(tall, side_, 0).first;
    if (shelf->second.x() + width > side_) {
        if (used_ + tall > side_) {
            pages_.push_back(std::make_unique<GlTexture>());
            pages_.back()->set(side_, side_, std::vector<ImU32>(static_cast<std::size_t>(side_ * side_)));
            shelves_.clear();
            used_ = 0;
            return place(width, height);
        }
        shelf->second = {0, used_};
        used_ += tall;
    }
    const QPoint at = shelf->second;
    shelf->second.rx() += width;
    return at;
}

ImTextureID TextAtlas::texture(std::size_t page) const {
    return page == 0 ? fonts_.TexID : pages_[page - 1]->id();
}

void TextAtlas::figureText(const ImDrawList*, const ImDrawCmd*) {}

void TextAtlas::FigureText::paint(QPainter& painter) const {
    // Qt's pdf writer leaves out glyphs that are pictures: emoji.
    if (painter.paintEngine()->type() == QPaintEngine::Pdf &&
        inkOf(rasterised(*face, text, Qt::white)).coloured) {
        TextFace fine = *face;
        fine.font.setPixelSize(kFine * fine.font.pixelSize());
        fine.ascent *= kFine;
        fine.line *= kFine;
        const QImage picture = rasterised(fine, text, toQt(colour));
        const QPointF corner = at - QPointF(face->line, face->line + face->ascent);
        return painter.drawImage(QRectF(corner, QSizeF(picture.size()) / kFine), picture);
    }
    painter.setPen(toQt(colour));
    paintText(painter, *face, at, text);
}

}  // namespace kurve::views
