// What the style sheet draws, by its pixels.
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QCompleter>
#include <QDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTabBar>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <cstdlib>

#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

class StyleAtScale : public testing::TestWithParam<double> {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, GetParam());
    }
    void TearDown() override { applyTheme(ThemeMode::Light, 1.0); }
};

TEST_P(StyleAtScale, AHandleIsRound) {
    QSlider slider(Qt::Horizontal);
    slider.setRange(0, 2);
    slider.resize(px(200), px(24));
    slider.setValue(0);  // at the left end: nothing of the coloured part of the groove is seen
    const QImage picture = slider.grab().toImage();
    QRect handle;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            if (picture.pixelColor(x, y) == theme().accent) handle |= QRect(x, y, 1, 1);
    ASSERT_GE(handle.width(), px(10));
    EXPECT_LE(std::abs(handle.width() - handle.height()), 1);
    for (const QPoint corner :
         {handle.topLeft(), handle.topRight(), handle.bottomLeft(), handle.bottomRight()})
        EXPECT_NE(picture.pixelColor(corner), theme().accent);
}

TEST_P(StyleAtScale, TabsWithoutRoomCanBeScrolledByAnArrow) {
    QTabBar tabs;
    for (const char* name : {"Settings", "Checkpoints", "Scores", "Queue"}) tabs.addTab(QLatin1String(name));
    tabs.resize(px(150), tabs.sizeHint().height());
    tabs.show();
    int arrows = 0;
    for (const auto* button : tabs.findChildren<QToolButton*>()) {
        if (!button->isVisible() || !button->isEnabled()) continue;
        const QImage all = tabs.grab().toImage();
        const QImage picture = all.copy(button->geometry());
        int drawn = 0;
        for (int y = 2; y < picture.height() - 2; ++y)
            for (int x = 2; x < picture.width() - 2; ++x)
                drawn += std::abs(picture.pixelColor(x, y).lightness() - theme().surface.lightness()) > 60;
        EXPECT_GT(drawn, px(4)) << button->objectName().toStdString();
        ++arrows;
    }
    EXPECT_EQ(arrows, 1) << "to the right";
}

TEST_P(StyleAtScale, ATitleOfAColumnWithoutRoomEndsInAnEllipsis) {
    QTableWidget table(1, 1);
    table.resize(px(200), px(100));
    table.setColumnWidth(0, px(80));
    table.show();
    const auto pictureOf = [&](const QString& title) {
        table.setHorizontalHeaderLabels({title});
        return table.horizontalHeader()->grab().toImage();
    };
    const QString title = QStringLiteral("Gradient norm of everything");
    const QImage cut = pictureOf(title);
    int same = 0;
    for (qsizetype letters = 3; letters < title.size(); ++letters) {
        const QString shortened = title.left(letters) + QChar(0x2026);
        if (QFontMetrics(smallFont()).horizontalAdvance(shortened) > px(80) - 2 * px(6)) break;
        same += pictureOf(shortened) == cut;
    }
    EXPECT_EQ(same, 1);
}

TEST(StudioStyle, AButtonIsClickedAlsoWhileProposalsAreOpen) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QDialog dialog;
    auto* name = new QLineEdit;
    name->setCompleter(new QCompleter({"figure.svg"}, name));
    auto *save = new QPushButton("Save"), *refused = new QPushButton("Not now");
    refused->setEnabled(false);
    auto* layout = new QVBoxLayout(&dialog);
    for (QWidget* part :
         {static_cast<QWidget*>(save), static_cast<QWidget*>(refused), static_cast<QWidget*>(name)})
        layout->addWidget(part);
    dialog.resize(300, 400);
    dialog.show();
    int saved = 0;
    QObject::connect(save, &QPushButton::clicked, [&] { ++saved; });
    QObject::connect(refused, &QPushButton::clicked, [&] { ++saved; });
    QTest::keyClicks(name, "fig");
    QWidget* list = name->completer()->popup();
    const auto clickAt = [&](const QWidget& widget, const QPoint& position) {
        ASSERT_TRUE(list->isVisible());
        QTest::mousePress(list, Qt::LeftButton, {}, list->mapFromGlobal(widget.mapToGlobal(position)));
        EXPECT_FALSE(list->isVisible());
        QCoreApplication::processEvents();
    };
    clickAt(*save, save->rect().center());
    EXPECT_EQ(saved, 1);
    QTest::keyClicks(name, "u");
    clickAt(*refused, refused->rect().center());
    QTest::keyClicks(name, "r");
    clickAt(dialog, {1, 1});
    EXPECT_EQ(saved, 1);
}

INSTANTIATE_TEST_SUITE_P(Scales, StyleAtScale, testing::Values(1.0, 1.1, 1.25, 1.35, 1.5, 1.75, 2.0, 3.0));

}  // namespace
}  // namespace kurve::views
