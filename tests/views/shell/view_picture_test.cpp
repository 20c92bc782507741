// Figures: scrolled-out parts are not drawn, also in formats without clipping.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QSvgRenderer>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/figure.h"
#include "tests/support/gui_app.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/plot_card.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {
namespace {

/// Paints far beyond itself, with a clip of its own, as plots and styles do.
class Spill : public QWidget {
protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setClipRect(QRect(-500, -500, 2000, 2000));
        painter.fillRect(rect(), Qt::red);
    }
};

QImage svgOf(QWidget& view) {
    const QTemporaryDir folder;
    const QString file = folder.filePath("view.svg");
    EXPECT_TRUE(ViewExport(view, QFileInfo(file).suffix(), {}).write(file));
    QSvgRenderer svg(file);
    QImage image(view.size(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    svg.render(&painter);
    return image;
}

int reds(const QImage& image, const QRect& position) {
    int count = 0;
    for (int y = position.top(); y <= position.bottom(); ++y)
        for (int x = position.left(); x <= position.right(); ++x) {
            const QColor color = image.pixelColor(x, y);
            count += color.red() > 200 && color.green() < 80 && color.blue() < 80;
        }
    return count;
}

TEST(ViewPicture, APageIsWhiteAlsoUnderTheCaption) {
    test::guiApp();
    applyTheme(ThemeMode::Dark, 1.0);
    QWidget view;
    view.resize(300, 100);
    const QTemporaryDir folder;
    const QString file = folder.filePath("view.png");
    ASSERT_TRUE(ViewExport(view, QFileInfo(file).suffix(), "runs a, b").write(file));
    const QImage image(file);
    EXPECT_EQ(image.pixelColor(image.width() - 2, image.height() - 2), QColor(Qt::white));
    EXPECT_EQ(image.pixelColor(2, 2), QColor(Qt::white));
    applyTheme(ThemeMode::Light, 1.0);
}

/// A coarse image of strong colours, as a matrix is.
class Cells : public QWidget {
protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QImage cells(16, 16, QImage::Format_RGB32);
        for (int y = 0; y < 16; ++y)
            for (int x = 0; x < 16; ++x) cells.setPixelColor(x, y, (x + y) % 2 == 0 ? Qt::red : Qt::blue);
        QPainter(this).drawImage(rect(), cells);
    }
};

TEST(ViewPicture, TheCellsOfAPageHaveTheirOwnColours) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(160, 160);
    Cells cells;
    cells.setParent(&view);
    cells.resize(160, 160);
    const QTemporaryDir folder;
    const QString name = folder.filePath("view.pdf");
    ASSERT_TRUE(ViewExport(view, QFileInfo(name).suffix(), {}).write(name));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray page = file.readAll();
    EXPECT_TRUE(page.contains("/Image"));
    EXPECT_FALSE(page.contains("/DCTDecode")) << "JPEG shares a colour among neighbours";
}

TEST(ViewPicture, WhatIsScrolledAwayIsNotInTheFigure) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(300, 200);
    QScrollArea area(&view);
    area.setGeometry(0, 0, 100, 100);
    auto* content = new Spill;
    content->setFixedSize(250, 180);
    area.setWidget(content);
    view.show();
    QTest::qWait(20);
    const QImage image = svgOf(view);
    EXPECT_GT(reds(image, {5, 5, 70, 70}), 4000) << "the visible part is drawn";
    EXPECT_EQ(reds(image, {102, 0, 198, 200}), 0) << "right of the area";
    EXPECT_EQ(reds(image, {0, 102, 300, 98}), 0) << "below it";
}

TEST(ViewPicture, ColumnsThatDoNotFitStayInTheirTable) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(400, 160);
    QTableWidget table(3, 4, &view);
    table.setGeometry(0, 0, 200, 160);
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
            table.setItem(row, column, new QTableWidgetItem(QStringLiteral("some text")));
    table.setHorizontalHeaderLabels({"one", "two", "three", "a title that is far too long for it"});
    view.show();
    QTest::qWait(20);
    const QImage image = svgOf(view);
    const QColor paper = image.pixelColor(395, 155);
    int inside = 0, outside = 0;
    for (int y = 0; y < 160; ++y)
        for (int x = 0; x < 400; ++x)
            if (image.pixelColor(x, y) != paper) ++(x < 203 ? inside : outside);
    EXPECT_GT(inside, 500);
    EXPECT_EQ(outside, 0) << "nothing of header or cells right of the table";
}

TEST(ViewPicture, ACurveThatIsZoomedIntoStaysInItsAxesInSvgToo) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(400, 300);
    QCustomPlot plot(&view);
    plot.setGeometry(100, 50, 200, 200);
    plot.addGraph();
    plot.graph()->setPen(QPen(Qt::red, 3));
    plot.graph()->setBrush(Qt::red);
    plot.graph()->setData({-10, 0.5, 10}, {-10, 2, -10});
    plot.xAxis->setRange(0, 1);
    plot.yAxis->setRange(0, 1);
    view.show();
    plot.replot();
    const QRect axes = plot.axisRect()->rect().translated(plot.pos());
    const QImage image = svgOf(view);
    EXPECT_GT(reds(image, axes), axes.width() * axes.height() / 2) << "the visible part is drawn";
    EXPECT_EQ(reds(image, image.rect()), reds(image, axes.adjusted(-2, -2, 2, 2)));
    EXPECT_EQ(test::count(test::svgOf(view), "<image"), 0) << "still drawn as lines";
    EXPECT_GT(test::count(test::svgOf(view), "<text"), 8) << "the labels of the axes";
}

TEST(ViewPicture, ToolsAreLeftOutAndTheStripTheyStoodInIsCutOff) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(300, 200);
    Spill bar, content, foot;
    int top = 0;
    for (const auto& [part, height] : {std::pair<QWidget*, int>{&bar, 40}, {&content, 120}, {&foot, 40}}) {
        part->setParent(&view);
        part->setGeometry(0, top, 300, height);
        top += height;
    }
    view.show();
    QTest::qWait(20);
    EXPECT_EQ(reds(viewImage(view, {}), {0, 0, 600, 400}), 600 * 400);
    leaveOutOfFigures(bar);
    leaveOutOfFigures(foot);
    const QImage image = viewImage(view, {});
    EXPECT_NEAR(image.height() / image.devicePixelRatio(), 120 + 8, 1);
    EXPECT_EQ(reds(image, image.rect()), 600 * 240);
    const QImage captioned = viewImage(view, "what is seen");
    EXPECT_EQ(captioned.pixelColor(599, captioned.height() - 1), QColor(Qt::white)) << "the caption's paper";
    EXPECT_EQ(reds(captioned, captioned.rect()), 600 * 240);
    bar.setParent(nullptr);
    content.setParent(nullptr);
    foot.setParent(nullptr);
}

TEST(ViewPicture, AStripOfToolsBetweenTwoPartsIsClosed) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(300, 260);
    Spill above, bar, beside, below;
    above.setGeometry(0, 0, 300, 100);
    bar.setGeometry(0, 100, 300, 60);
    beside.setGeometry(0, 160, 100, 100);
    below.setGeometry(100, 160, 200, 100);
    for (QWidget* part : {&above, &bar, &beside, &below}) part->setParent(&view);
    view.show();
    QTest::qWait(20);
    leaveOutOfFigures(bar);
    leaveOutOfFigures(beside);
    const QImage image = viewImage(view, {});
    const int row = 2 * (100 + px(8) + 5);
    EXPECT_EQ(reds(image, image.rect()), 4 * (300 * 100 + 200 * 100));
    EXPECT_EQ(image.pixelColor(595, row), QColor(Qt::red));
    EXPECT_NE(image.pixelColor(5, row), QColor(Qt::red)) << "not beside a part";
    EXPECT_NEAR(image.height() / 2, 200 + px(8), 1);
    for (QWidget* part : {&above, &bar, &beside, &below}) part->setParent(nullptr);
}

TEST(ViewPicture, OfAChoiceBoxItHasWhatIsChosen) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(300, 60);
    QComboBox box(&view);
    box.addItem("Words against the reference");
    box.setGeometry(10, 10, 260, 30);
    view.show();
    QTest::qWait(20);
    const QByteArray svg = test::svgOf(view);
    EXPECT_TRUE(svg.contains("Words against the reference"));
    box.showPopup();  // its list is a window of its own
    box.hidePopup();
    QLabel tool(&view);
    leaveOutOfFigures(tool);
    QLabel beside("beside", &view);
    beside.setGeometry(272, 20, 28, 20);
    for (QLabel* label : {&tool, &beside}) label->show();
    EXPECT_NEAR(viewImage(view, {}).height() / 2, 30 + 8, 1) << "it takes space";
    const QImage image = svgOf(view);
    for (int x = 11; x < 268; ++x) ASSERT_EQ(image.pixelColor(x, 10), QColor(Qt::white)) << "no frame";
}

TEST(ViewPicture, TheLineOfThePointerIsNotInTheFigure) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    LineChart chart("chart", "title");
    chart.resize(400, 260);
    const std::vector<double> x{0, 1, 2}, y{1, 2, 1};
    chart.setCurve("a", {}, x, y);
    chart.show();
    QTest::qWait(20);
    const QByteArray before = test::svgOf(chart);
    QTest::mouseMove(chart.plot(), chart.plot()->axisRect()->rect().center());
    QTest::qWait(20);
    EXPECT_EQ(test::svgOf(chart), before);
}

TEST(ViewPicture, AColumnOfControlsIsCutOffAndTheCaptionFitsWhatIsLeft) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget view;
    view.resize(400, 200);
    Spill content;
    content.setParent(&view);
    content.setGeometry(0, 0, 280, 200);
    QScrollArea* column = controlColumn(new QWidget, 120);
    column->setParent(&view);
    column->setGeometry(280, 0, 120, 200);
    view.show();
    QTest::qWait(20);
    const QImage image = viewImage(view, "a caption of so many words that one line of it is not enough here");
    EXPECT_NEAR(image.width() / image.devicePixelRatio(), 284, 1);
    EXPECT_EQ(reds(image, {0, 0, 560, 400}), 560 * 400);
    EXPECT_GT(image.height() / image.devicePixelRatio(), 200 + 2 * QFontMetrics(smallFont()).height());
    content.setParent(nullptr);
}

TEST(ViewPicture, ALabelOnACardDoesNotBringThePagesColour) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget card;
    card.setAutoFillBackground(true);
    QPalette white = card.palette();
    white.setColor(QPalette::Window, Qt::white);
    card.setPalette(white);
    card.resize(200, 60);
    QLabel label(&card);
    label.setGeometry(20, 10, 100, 30);
    label.setPalette(theme().dark ? QPalette(Qt::black) : QPalette(Qt::lightGray));
    card.show();
    QTest::qWait(20);
    EXPECT_EQ(svgOf(card).pixelColor(60, 25), QColor(Qt::white));
}

TEST(ViewPicture, AFigureOfADarkWindowIsThatOfALightOneAndLeavesTheWindowAlone) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QWidget window;
    auto* view = new QWidget(&window);
    auto* label = new QLabel("text", view);
    auto* table = new QTableWidget(2, 2, view);
    table->setHorizontalHeaderLabels({"one", "two"});
    auto* card = new PlotCard("card", "title", view);
    auto* chart = new LineChart("chart", "title", view);
    const auto draw = [card] {
        card->setLayers({{ChartLayer::Form::Line, "line", {0, 1}, {0, 1}, QPen(theme().accent, 3)}});
    };
    draw();
    QObject::connect(card, &PlotCard::restyled, card, draw);
    const std::vector<double> x{0, 1, 2}, y{1, 2, 1};
    chart->setCurve("a", {}, x, y);
    const QList<QWidget*> parts{label, table, card, chart};
    for (int i = 0; i < 4; ++i) parts[i]->setGeometry(0, 120 * i, 300, 120);
    QWidget beside(&window);
    int restyled = 0;
    onThemeChange(&beside, [&restyled] { ++restyled; });
    window.resize(300, 500);
    view->resize(300, 480);
    window.show();
    QTest::qWait(20);
    const QImage light = viewImage(*view, {});
    applyTheme(ThemeMode::Dark, 1.0);
    QTest::qWait(20);
    const QImage dark = view->grab().toImage();
    const QString sheet = qApp->styleSheet();
    restyled = 0;
    EXPECT_EQ(viewImage(*view, {}), light);
    EXPECT_EQ(restyled, 0) << "of another part of the window";
    EXPECT_EQ(qApp->styleSheet(), sheet);
    EXPECT_TRUE(theme().dark);
    EXPECT_EQ(view->grab().toImage(), dark) << "as before";
    applyTheme(ThemeMode::Light, 1.0);
}

TEST(ViewPicture, AnUnknownFormatIsAnError) {
    test::guiApp();
    QWidget view;
    view.resize(20, 20);
    const auto bytes = ViewExport(view, "bmp", {}).bytes();
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, "export.format");
    EXPECT_TRUE(ViewExport(view, "csv", {}).isEmpty());
    EXPECT_FALSE(ViewExport(view, "PNG", {}).isEmpty());
}

}  // namespace
}  // namespace kurve::views
