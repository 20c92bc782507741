#include "views/imgui_host/imgui_fonts.h"

#include <QApplication>
#include <QFontInfo>
#include <QFontMetricsF>
#include <cmath>

namespace kurve::views {
namespace {

constexpr float kText = 0.92F, kLarge = 1.15F, kSmall = 11.5F / 13;  // the last as in smallFont()

}  // namespace

float drawnLine(float pixels) {
    QFont font = QApplication::font();
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixels * kText))));
    return static_cast<float>(std::round(QFontMetricsF(font).height()));
}

ImGuiFonts buildFonts(ImFontAtlas& atlas, float pixels, float ratio) {
    atlas.Clear();
    ImGuiFonts fonts;
    fonts.texts = std::make_unique<TextAtlas>(atlas, pixels * kLarge * ratio, ratio);
    QFont regular = QApplication::font();
    regular.setFamily(QFontInfo(regular).family());  // "Sans Serif" would name no font in a figure
    QFont bold = regular;
    bold.setBold(true);
    fonts.text = fonts.texts->addFace(regular, pixels * kText);
    fonts.small = fonts.texts->addFace(regular, pixels * kSmall);
    fonts.bold = fonts.texts->addFace(bold, pixels * kText);
    fonts.large = fonts.texts->addFace(regular, pixels * kLarge);
    ImFontConfig config;
    config.SizePixels = static_cast<float>(fonts.text->line);
    atlas.AddFontDefault(&config);
    atlas.Build();
    return fonts;
}

}  // namespace kurve::views
