#pragma once

#include <imgui.h>

#include <QFont>
#include <QPoint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

class QImage;
class QPainter;

namespace kurve::views {

class GlTexture;
class TextAtlas;

/// A font of a drawn view, owned by its atlas.
struct TextFace {
    TextAtlas* atlas = nullptr;
    QFont font;                ///< sized in device pixels
    int ascent = 0, line = 0;  ///< device pixels
    std::size_t index = 0;     ///< in the atlas
    [[nodiscard]] ImVec2 size(std::string_view text) const;
};

/// Texts of one drawn view in every script, and its small shapes. Texts are shaped by Qt, with its fallback
/// fonts and in both directions, and rasterised once per face and text (and colour, where the font has its
/// own) into textures; drawing one costs a rectangle. Begins again with empty textures when they have grown
/// beyond a bound. Inside a widget's frame.
class TextAtlas {
public:
    enum Shape : unsigned char { Disc, Diamond };
    /// A text of a figure: the data of a draw list's callback `figureText`.
    struct FigureText {
        const TextFace* face;
        QPointF at;  ///< left end of the base line
        ImU32 colour;
        std::string text;
        void paint(QPainter& painter) const;
    };
    static void figureText(const ImDrawList* list, const ImDrawCmd* command);

    /// Before the font atlas is built: reserves space in its texture, so that texts and shapes drawn in turn
    /// need no change of texture. `line`: height of the largest lines in device pixels.
    TextAtlas(ImFontAtlas& atlas, float line, float ratio);
    ~TextAtlas();
    TextAtlas(const TextAtlas&) = delete;
    TextAtlas& operator=(const TextAtlas&) = delete;
    const TextFace* addFace(QFont font, float pixels);

    /// In a figure texts are recorded for a painter instead of drawn.
    void beginFrame(bool figure);
    [[nodiscard]] float ratio() const { return ratio_; }
    /// Logical pixels.
    [[nodiscard]] float width(const TextFace& face, std::string_view text);
    [[nodiscard]] std::string elided(const TextFace& face, std::string_view text, float width);
    /// `at`: the left top corner; rounded to device pixels.
    void draw(ImDrawList& list, const TextFace& face, ImVec2 at, ImU32 colour, std::string_view text);
    /// `radius`: half the size. Small ones are rasterised in steps of a device pixel and stand on whole ones:
    /// two triangles instead of dozens, which is what software rendering pays for. Others are polygons.
    void draw(ImDrawList& list, Shape shape, ImVec2 centre, float radius, ImU32 colour);

private:
    struct Tile {
        std::size_t page = 0;
        ImVec2 low, high;  ///< logical pixels from the left end of the base line, or a shape's centre
        ImVec2 uvLow, uvHigh;
    };
    struct Text {
        float width = 0;
        float elidedTo = -1;
        std::string elided = {};  ///< for that width
        bool coloured = false;    ///< by the font
        /// By colour; white is tinted while drawing.
        std::map<ImU32, std::vector<Tile>> tiles = {};
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    using Texts = std::unordered_map<std::string, Text, Hash, std::equal_to<>>;

    Text& find(const TextFace& face, std::string_view text);
    const std::vector<Tile>& tiles(const TextFace& face, std::string_view text, Text& entry, ImU32 colour);
    /// `origin`: the point of the picture that is drawn at a given position.
    Tile add(const QImage& picture, QPoint origin);
    void drawTile(ImDrawList& list, const Tile& tile, ImVec2 at, ImU32 colour) const;
    QPoint place(int width, int height);
    [[nodiscard]] ImTextureID texture(std::size_t page) const;

    ImFontAtlas& fonts_;
    float ratio_;
    int side_, rectangle_;
    bool figure_ = false;
    std::deque<TextFace> faces_;
    std::vector<Texts> texts_;                       ///< per face
    std::map<std::pair<Shape, int>, Tile> shapes_;   ///< by their size in device pixels
    std::vector<std::unique_ptr<GlTexture>> pages_;  ///< beyond the first, which is the font atlas
    std::map<int, QPoint> shelves_;                  ///< by height: the next free place
    int used_ = 0;                                   ///< rows of the last page
    std::deque<FigureText> figureTexts_;
};

}  // namespace kurve::views
