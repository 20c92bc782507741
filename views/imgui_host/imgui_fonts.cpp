#include "views/imgui_host/imgui_fonts.h"

#include <imgui_freetype.h>

#include <QFile>
#include <QStandardPaths>
#include <QStringList>
#include <cmath>

namespace kurve::views {
namespace {

// U+2423 stands for a token that is a space alone. U+FFFD is what ImGui shows for every letter that is not
// here: without it a question mark, which is a token as well.
const ImWchar kFull[] = {0x0020, 0x007E, 0x00A0, 0x024F, 0x0370, 0x03FF, 0x0400, 0x045F, 0x1E00, 0x1EFF,
                         0x2010, 0x205E, 0x2070, 0x209C, 0x20AC, 0x20AC, 0x2190, 0x21FF, 0x2200, 0x22FF,
                         0x2423, 0x2423, 0x2580, 0x25FF, 0x2713, 0x2717, 0xFFFD, 0xFFFD, 0};
const ImWchar kLetters[] = {0x0020, 0x007E, 0x00A0, 0x024F, 0x0370, 0x03FF, 0x0400,
                            0x045F, 0x1E00, 0x1EFF, 0x2010, 0x2027, 0x2190, 0x2193,
                            0x2212, 0x2212, 0x2423, 0x2423, 0xFFFD, 0xFFFD, 0};

QByteArray fontPath(const QString& file) {
    const QStringList folders = QStandardPaths::standardLocations(QStandardPaths::FontsLocation);
    for (const QString& base : folders)
        for (const char* folder : {"/truetype/dejavu/", "/dejavu/", "/TTF/", "/dejavu-sans-fonts/", "/"})
            if (const QString path = base + QLatin1String(folder) + file; QFile::exists(path))
                return path.toUtf8();
    return {};
}

constexpr float kLineOfEm = 1.164F;                                  // of DejaVu: ascent and descent
constexpr float kText = 0.92F, kLarge = 1.15F, kSmall = 11.5F / 13;  // the last as in smallFont()

ImFont* addFace(ImFontAtlas& atlas, const QByteArray& file, float size, const ImWchar* ranges) {
    ImFontConfig config;
    config.OversampleH = 1;  // FreeType hints to the pixel grid; oversampling would blur that
    config.PixelSnapH = true;
    config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    return atlas.AddFontFromFileTTF(file.constData(), size, &config, ranges);
}

// ImGui sizes a face by its line, Qt by its em.
float lineOf(float pixels, float scale) {
    return std::round(pixels * scale * kLineOfEm);
}

}  // namespace

float drawnLine(float pixels) {
    return lineOf(pixels, kText);
}

ImGuiFonts buildFonts(ImFontAtlas& atlas, float pixels, float ratio) {
    atlas.Clear();
    atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    const QByteArray regular = fontPath(QStringLiteral("DejaVuSans.ttf"));
    QByteArray bold = fontPath(QStringLiteral("DejaVuSans-Bold.ttf"));
    ImGuiFonts fonts;
    fonts.shapes.reserve(atlas);
    if (regular.isEmpty()) {
        ImFontConfig config;
        config.SizePixels = std::round(pixels * ratio);
        fonts.text = fonts.small = fonts.bold = fonts.large = atlas.AddFontDefault(&config);
    } else {
        if (bold.isEmpty()) bold = regular;
        const float size = pixels * ratio;
        fonts.text = addFace(atlas, regular, lineOf(size, kText), kFull);
        fonts.small = addFace(atlas, regular, size * kSmall * kLineOfEm, kFull);
        fonts.bold = addFace(atlas, bold, lineOf(size, kText), kLetters);
        fonts.large = addFace(atlas, regular, lineOf(size, kLarge), kLetters);
    }
    atlas.Build();
    fonts.shapes.bake(atlas, ratio);
    return fonts;
}

}  // namespace kurve::views
