// Texts of drawn views against Qt's own layout and painter.
#include "views/imgui_host/text_atlas.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>
#include <QTemporaryDir>
#include <QTextLayout>
#include <cmath>

#include "tests/support/figure.h"
#include "tests/support/gui_app.h"
#include "tests/support/qt_text.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {
namespace {

using test::qtText;

const ImU32 kInk = IM_COL32(20, 60, 190, 255);

class TextAtlasTest : public testing::Test {
protected:
    TextAtlasTest() {
        applyTheme(ThemeMode::Light, 1.0);
        widget_.resize(320, 90);
    }
    /// The picture of a text at (20, 30).
    QImage drawn(const std::string& text) {
        widget_.setDraw([this, text] {
            face_ = widget_.fonts().large;
            drawText(*ImGui::GetWindowDrawList(), face_, {20, 30}, kInk, text);
        });
        return widget_.renderNow().copy();
    }
    QImage expected(const std::string& text) {
        return qtText(widget_.size(), theme().surface, QString::fromStdString(text), face_->font,
                      {20.0, 30.0 + face_->ascent}, QColor(20, 60, 190));
    }
    QApplication& app_ = test::guiApp();
    ImGuiWidget widget_;
    const TextFace* face_ = nullptr;
};

class ScriptTest : public TextAtlasTest, public testing::WithParamInterface<const char*> {};

TEST_P(ScriptTest, EveryGlyphIsWhereQtPutsIt) {
    const QImage picture = drawn(GetParam());
    ASSERT_EQ(picture.size(), QSize(320, 90)) << widget_.problem().toStdString();
    EXPECT_LE(test::greatestDifference(picture, expected(GetParam())), 2);
    EXPECT_GT(test::greatestDifference(picture, expected("")), 100) << "nothing is drawn";
}

TEST_P(ScriptTest, HasTheWidthOfQtsLayout) {
    drawn(GetParam());
    QTextLayout layout(QString::fromUtf8(GetParam()), face_->font);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setLineWidth(10000);
    layout.endLayout();
    EXPECT_FLOAT_EQ(textSize(face_, GetParam()).x, static_cast<float>(line.naturalTextWidth()));
}

TEST_P(ScriptTest, NoGlyphIsMissing) {
    drawn(GetParam());
    QTextLayout layout(QString::fromUtf8(GetParam()), face_->font);
    layout.beginLayout();
    layout.createLine().setLineWidth(10000);
    layout.endLayout();
    for (const QGlyphRun& run : layout.glyphRuns())
        for (const quint32 glyph : run.glyphIndexes()) {
            ASSERT_NE(glyph, 0U);
            EXPECT_NE(run.rawFont().alphaMapForGlyph(glyph), run.rawFont().alphaMapForGlyph(0));
        }
}

TEST_P(ScriptTest, ElidedTextFitsAndIsABeginning) {
    drawn("");
    const std::string text = std::string(GetParam()) + " " + GetParam();
    for (float width = 14; width < 300; width += 7) {
        const std::string shown = elide(face_, text, width);
        EXPECT_LE(textSize(face_, shown).x, width);
        if (shown == text || (shown.empty() && width < textSize(face_, "…").x)) continue;
        ASSERT_TRUE(shown.ends_with("…")) << shown;
        // Qt leaves the last letter of a cut Arabic word in its joined form, by a zero-width joiner.
        QString beginning = QString::fromStdString(shown).chopped(1);
        if (beginning.endsWith(QChar(0x200D))) beginning.chop(1);
        EXPECT_TRUE(QString::fromStdString(text).startsWith(beginning)) << shown;
    }
    EXPECT_EQ(elide(face_, text, 1000), text);
    EXPECT_EQ(elide(face_, text, -5), "");
}

TEST_P(ScriptTest, IsTextInAFigureAtTheSamePosition) {
    drawn(GetParam());
    const QByteArray svg = test::svgOf(widget_);
    const QString text = QString::fromUtf8(GetParam()).toHtmlEscaped();
    EXPECT_TRUE(QString::fromUtf8(svg).contains(QLatin1Char('>') + text + QStringLiteral("</text>")))
        << svg.toStdString();
    EXPECT_EQ(
        test::count(
            svg, QStringLiteral("<text[^>]* x=\"20\" y=\"%1\"").arg(30 + face_->ascent).toUtf8().constData()),
        1)
        << svg.toStdString();
}

INSTANTIATE_TEST_SUITE_P(Scripts, ScriptTest,
                         testing::Values("office waves", "λόγος ∑", "шум", "中文字符", "ひらがな", "한국어",
                                         "مرحبا بالعالم", "שלום", "हिन्दी क्षत्रिय", "ภาษาไทย", "தமிழ்", "🚀"));

TEST_F(TextAtlasTest, EmojiKeepTheirColoursAndLettersTheirs) {
    const QImage picture = drawn("a🚀");
    EXPECT_LE(test::greatestDifference(picture, expected("a🚀")), 2);
    int red = 0;  // the rocket's tip and fins
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const QColor c = picture.pixelColor(x, y);
            red += c.red() > c.blue() + 60 ? 1 : 0;
        }
    EXPECT_GT(red, 5);
}

TEST_F(TextAtlasTest, EmojiAreInAPdf) {
    const auto pictures = [this](const std::string& text) {
        drawn(text);
        const QTemporaryDir folder;
        const QString name = folder.filePath(QStringLiteral("figure.pdf"));
        EXPECT_TRUE(ViewExport(widget_, QFileInfo(name).suffix(), {}).write(name));
        QFile file(name);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll().count("/Subtype /Image");
    };
    EXPECT_EQ(pictures("letters"), 0);
    EXPECT_GT(pictures("a🚀"), 0);
}

TEST_F(TextAtlasTest, ATextIsTwoTrianglesOfTheSameTextureAsShapes) {
    int indices = 0, commands = 0;
    widget_.setDraw([&] {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        list.AddRectFilled({0, 0}, {9, 9}, kInk);
        const int i = list.IdxBuffer.Size, c = list.CmdBuffer.Size;
        drawText(list, widget_.fonts().text, {20, 20}, kInk, "a whole sentence");
        list.AddRectFilled({0, 0}, {9, 9}, kInk);
        indices = list.IdxBuffer.Size - i;
        commands = list.CmdBuffer.Size - c;
    });
    widget_.renderNow();
    EXPECT_EQ(indices, 6 + 6);
    EXPECT_EQ(commands, 0);
}

TEST_F(TextAtlasTest, MoreTextsThanATextureHolds) {
    int frame = 0;
    widget_.setDraw([&] {
        face_ = widget_.fonts().large;
        ImDrawList& list = *ImGui::GetWindowDrawList();
        for (int i = 0; i < 6000; ++i)
            drawText(list, face_, {5, 5}, IM_COL32(0, 0, 0, 0), "number " + std::to_string(6000 * frame + i));
        drawText(list, face_, {20, 30}, kInk, "last of all");
    });
    for (; frame < 4; ++frame)
        EXPECT_LE(test::greatestDifference(widget_.renderNow(), expected("last of all")), 2) << frame;
}

TEST_F(TextAtlasTest, ATextWiderThanATexture) {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "word" + std::to_string(i) + " ";
    widget_.resize(4000, 90);
    const QImage picture = drawn(text);
    EXPECT_LE(test::greatestDifference(picture, expected(text)), 2);
}

TEST_F(TextAtlasTest, TextOutsideIsNotRasterised) {
    int indices = -1;
    widget_.setDraw([&] {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const int before = list.IdxBuffer.Size;
        drawText(list, widget_.fonts().text, {20, 500}, kInk, "below");
        drawText(list, widget_.fonts().text, {-500, 20}, kInk, "left");
        indices = list.IdxBuffer.Size - before;
    });
    widget_.renderNow();
    EXPECT_EQ(indices, 0);
}

}  // namespace
}  // namespace kurve::views
