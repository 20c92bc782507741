// Drawing and export of the timeline.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

#include "tests/support/figure.h"
#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_declarations.h"
#include "views/timeline/timeline_panel.h"
#include "views/timeline/trace_export.h"

namespace kurve::views {
namespace {

class TimelinePictureTest : public ::testing::Test, protected test::ShownPanel<TimelinePanel> {
protected:
    TimelinePictureTest() : ShownPanel(1000, 620) {}
    void load(const test::SyntheticTrace& spec = {}) {
        selection_.setTrace(std::make_shared<trace::Trace>(test::syntheticTrace(spec)));
    }
};

TEST_F(TimelinePictureTest, FiguresOfOneTraceAndOfTwoHoldNoPicture) {
    load();
    for (const bool both : {false, true}) {
        if (both) {
            press("compare");
            load({.steps = 12});
        }
        const QByteArray figure = test::svgOf(*panel_->canvas());

        EXPECT_EQ(test::count(figure, "<image"), 0);
        EXPECT_GE(test::count(figure, ">light</text>"), 1);
        EXPECT_GT(test::count(figure, "<path"), 10) << "the cells, by colour";
    }
}

TEST_F(TimelinePictureTest, CandidatesDoNotTouchWhereTheViewIsLow) {
    trace::Trace trace = test::syntheticTrace({.steps = 6});
    std::fill(trace.topProbability.begin(), trace.topProbability.end(), 0.1F);
    selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
    for (int height = 620; height > 150; height -= 30) {
        panel_->resize(1100, height);
        panel_->canvas()->renderNow();
        const QString figure = QString::fromUtf8(test::svgOf(*panel_->canvas()));
        std::vector<QPointF> numbers;
        auto each = QRegularExpression(R"re(x="([0-9.]+)"\s+y="([0-9.]+)"[^>]*>\s*[01]\.[0-9]{3}</text>)re")
                        .globalMatch(figure);
        while (each.hasNext()) {
            const auto number = each.next();
            numbers.emplace_back(number.captured(1).toDouble(), number.captured(2).toDouble());
        }
        ASSERT_GE(numbers.size(), 2U) << height;
        for (const QPointF& a : numbers)
            for (const QPointF& b : numbers)
                if (std::abs(a.x() - b.x()) < 20 && a.y() < b.y()) EXPECT_GE(b.y() - a.y(), 9) << height;
    }
}

TEST_F(TimelinePictureTest, TheLegendNamesTheGlyphsOfTheMap) {
    trace::Trace trace = test::syntheticTrace({.words = 14, .steps = 10});
    std::fill(trace.state.begin(), trace.state.end(), static_cast<std::uint8_t>(trace::TokenState::Remask));
    trace.state[0] = static_cast<std::uint8_t>(trace::TokenState::Given);
    trace.state[1] = static_cast<std::uint8_t>(trace::TokenState::New);
    trace.blocks["will_mask"] = {{10, trace.positions}, std::vector<float>(10 * trace.positions, 1.0F), true};
    test::declareMasks(trace);
    selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
    const auto says = [&](int width, const char* text) {
        panel_->resize(width, 620);
        panel_->canvas()->renderNow();
        return test::count(test::svgOf(*panel_->canvas()), text) > 0;
    };
    EXPECT_TRUE(says(1300, " positions × "));
    for (const int width : {1300, 900, 700}) {
        for (const char* sign : {">remasked</text>", "next</text>", ">new</text>", ">given</text>"})
            EXPECT_TRUE(says(width, sign)) << width << sign;
        EXPECT_FALSE(says(width, ">…</text>")) << width;
    }
    EXPECT_TRUE(says(420, ">remasked</text>")) << "the most important entry goes last";
    EXPECT_TRUE(says(420, ">…</text>"));
}

TEST_F(TimelinePictureTest, TheScrollBarIsNotPartOfAFigure) {
    load({.words = 60, .steps = 4});
    panel_->resize(600, 420);
    panel_->canvas()->renderNow();
    const QString line =
        QStringLiteral("fill=\"%1\"").arg(theme().border.name());  // nothing else is filled so
    EXPECT_EQ(test::count(test::svgOf(*panel_->canvas()), line.toUtf8().constData()), 0);
}

TEST_F(TimelinePictureTest, TracesOfDifferentLengthsAreDrawnAtEverySizeAndStep) {
    load({.words = 30, .steps = 3});
    press("pin");
    load({.words = 5, .steps = 12});
    for (const QSize size : {QSize(1400, 700), QSize(400, 900), QSize(300, 120), QSize(1000, 300)}) {
        panel_->resize(size);
        for (int step = 0; step < 12; ++step) {
            playhead_.setDenoiseStep(step);
            selection_.setPosition(step % 5);
            EXPECT_EQ(panel_->canvas()->renderNow().size(), panel_->canvas()->size());
        }
    }
}

TEST_F(TimelinePictureTest, RowsAreLegibleForLongTraces) {
    constexpr int kWords = 64, kLeastRow = 14;
    QScrollArea page;
    page.setWidgetResizable(true);
    page.setWidget(panel_.get());
    page.resize(1000, 480);
    page.show();
    const auto height = [&] {
        QApplication::processEvents();
        panel_->canvas()->renderNow();
        return panel_->canvas()->height();
    };
    load({.words = kWords, .steps = 20, .seed = 11});
    EXPECT_GE(height(), kWords * kLeastRow);
    press("pin");
    load({.words = kWords, .steps = 20, .seed = 12});
    EXPECT_GE(height(), 2 * kWords * kLeastRow + 200) << "both maps, the strip and two lines of each text";
    EXPECT_GT(page.verticalScrollBar()->maximum(), 0) << "the page scrolls";
    const QByteArray figure = test::svgOf(*panel_->canvas());
    EXPECT_GE(test::count(figure, ">B</text>"), 2);
    press("compare");
    EXPECT_TRUE(test::waitFor([&] { return height() < 2 * kWords * kLeastRow; }))
        << "one trace needs less, not " << height();
    page.takeWidget();
}

TEST_F(TimelinePictureTest, AForcedTokenIsNotShortened) {
    trace::Trace trace = test::syntheticTrace({.steps = 30});
    trace.meta["branch_history"] = R"([{"kind": "force", "step": 12, "position": 2, "token": "Nevertheless"},
                                       {"kind": "pin", "step": 29, "position": 3, "token": "Notwithstanding"}])";
    selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
    panel_->resize(700, 620);  // cells of a letter or two
    panel_->canvas()->renderNow();
    const QByteArray figure = test::svgOf(*panel_->canvas());
    for (const char* word : {">Nevertheless</text>", ">Notwithstanding</text>"})
        EXPECT_EQ(test::count(figure, word), 1) << word;
}

TEST_F(TimelinePictureTest, ACellHasALegibleTokenOrNone) {
    // Changes between two long tokens: the cells fit the glyph and a letter.
    trace::Trace t;
    t.steps = 12;
    t.positions = 1;
    for (int step = 0; step < t.steps; ++step) {
        t.tokens.push_back(1 + static_cast<std::uint32_t>(step % 2));
        t.state.push_back(static_cast<std::uint8_t>(trace::TokenState::Flip));
    }
    t.confidence = t.entropy = t.margin = std::vector<float>(12, 0.5F);
    t.topIds.assign(12 * 8, 1);
    t.topProbability.assign(12 * 8, 0.1F);
    t.tokenTexts = {{1, "Nevertheless"}, {2, "Notwithstanding"}};
    test::declareMasks(t);
    selection_.setTrace(std::make_shared<trace::Trace>(t));
    for (int width = 1300; width > 400; width -= 45) {
        panel_->resize(width, 480);
        panel_->canvas()->renderNow();
        const QByteArray figure = test::svgOf(*panel_->canvas());
        EXPECT_EQ(test::count(figure, ">N…</text>"), 0) << width;
        EXPECT_EQ(test::count(figure, ">No…</text>"), 0) << width;
    }
}

TEST_F(TimelinePictureTest, EveryStateOfAMaskedModelHasItsOwnShape) {
    // One position, one step, one confidence: what differs in the picture is the shape alone.
    std::vector<QImage> seen;
    for (int state = 0; state <= 6; ++state) {
        trace::Trace t;
        t.steps = 2;
        t.positions = 1;
        t.tokens = {1, 1};
        t.state = {3, static_cast<std::uint8_t>(state)};
        t.confidence = t.entropy = t.margin = {0.5F, 0.5F};
        t.topIds.assign(16, 1);
        t.topProbability.assign(16, 0.1F);
        t.tokenTexts = {{1, "x"}};
        test::declareMasks(t);
        selection_.setTrace(std::make_shared<trace::Trace>(t));
        playhead_.setDenoiseStep(0);
        // The map alone: the legend, the text and the statistics lie outside.
        seen.push_back(panel_->canvas()->renderNow().copy(100, 30, 400, 60));
        for (int other = 0; other < state; ++other)
            EXPECT_NE(seen[static_cast<std::size_t>(other)], seen.back()) << other << " and " << state;
    }
}

TEST_F(TimelinePictureTest, TheMarkOfARemaskedTokenIsBesideIt) {
    trace::Trace t;
    t.steps = 2;
    t.positions = 1;
    t.tokens = {1, 1};
    t.state = {2, 5};  // new, and masked by the next step
    t.confidence = t.entropy = t.margin = {0.5F, 0.5F};
    t.topIds.assign(16, 1);
    t.topProbability.assign(16, 0.1F);
    t.tokenTexts = {{1, "beginning"}};
    test::declareMasks(t);
    selection_.setTrace(std::make_shared<trace::Trace>(t));
    const QString figure = QString::fromUtf8(test::svgOf(*panel_->canvas()));
    std::vector<QPointF> points, words;  // their left ends
    auto each =
        QRegularExpression(R"re(points="([0-9.]+),([0-9.]+) ([0-9.]+),[0-9.]+ ")re").globalMatch(figure);
    while (each.hasNext()) {
        const auto line = each.next();
        const double from = line.captured(1).toDouble();
        if (line.captured(3).toDouble() - from == 1.5) points.emplace_back(from, line.captured(2).toDouble());
    }
    each = QRegularExpression(R"re(x="([0-9.]+)"\s+y="([0-9.]+)"[^>]*>\s*beginning</text>)re")
               .globalMatch(figure);
    while (each.hasNext()) {
        const auto word = each.next();
        words.emplace_back(word.captured(1).toDouble(), word.captured(2).toDouble());
    }
    ASSERT_GE(points.size(), 16U) << "four a side";
    ASSERT_FALSE(words.empty());
    // Those in the line of the word; the legend has some as well.
    const auto pointsFrom = [&](const QPointF& word, double left, double right) {
        return std::count_if(points.begin(), points.end(), [&](const QPointF& point) {
            const double x = point.x() - word.x();
            return std::abs(point.y() - word.y()) < 16 && x >= left && x < right;
        });
    };
    EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](const QPointF& word) {
        return pointsFrom(word, -30, 0) >= 16 && pointsFrom(word, 0, 50) == 0;
    }));
}

TEST_F(TimelinePictureTest, GridAndLoopAreDrawn) {
    load();
    playhead_.setDenoiseStep(8);
    const QImage flow = panel_->canvas()->renderNow().copy();
    press("grid");
    EXPECT_NE(panel_->canvas()->renderNow().copy(), flow);
    press("grid");
    EXPECT_EQ(panel_->canvas()->renderNow().copy(), flow);
    press("loop_from");
    EXPECT_NE(panel_->canvas()->renderNow().copy(), flow);
}

TEST_F(TimelinePictureTest, ExportsAllFormats) {
    load({.steps = 4});
    auto* exporter = panel_->findChild<TraceExport*>("timeline.export");
    ASSERT_NE(exporter, nullptr);
    const testing::TemporaryFolder folder;
    const auto path = [&](const char* name) {
        return QString::fromStdString((folder.path() / name).string());
    };
    QString message;
    QObject::connect(exporter, &TraceExport::statusMessage, [&](const QString& text) { message = text; });
    const auto size = [&](const char* kind, const char* name) {
        message.clear();
        exporter->write(QLatin1String(kind), path(name));
        EXPECT_TRUE(test::waitFor([&] { return !message.isEmpty(); }));
        EXPECT_TRUE(message.startsWith("Written")) << message.toStdString();
        return QFileInfo(path(name)).size();
    };
    playhead_.setDenoiseStep(2);
    EXPECT_GT(size("svg", "a.svg"), 1000);
    EXPECT_GT(size("html", "a.html"), 1000);
    EXPECT_GT(size("csv", "a.csv"), 1000);
    EXPECT_GT(size("apng", "a.png"), 1000);
    EXPECT_EQ(QImage(path("a.png")).size(), panel_->canvas()->size());
    size("pngs", "n.png");
    EXPECT_TRUE(QFileInfo::exists(path("n-004.png")));
    EXPECT_FALSE(QFileInfo::exists(path("n-005.png")));
    EXPECT_EQ(playhead_.denoiseStep(), 2) << "the playhead did not move";
    exporter->write(QStringLiteral("pngs"), path("n.png"));
    EXPECT_FALSE(exporter->drawing());
    EXPECT_TRUE(message.contains("n-001.png exists")) << message.toStdString();
}

TEST_F(TimelinePictureTest, HasNoCopyKeysOfItsOwn) {
    // The window's copy commands must reach the panel.
    for (const QAction* action : panel_->actions())
        for (const QKeySequence& key : action->shortcuts())
            for (const QKeySequence& copy : {QKeySequence(QKeySequence::Copy), QKeySequence("Ctrl+Shift+C")})
                EXPECT_NE(key, copy) << action->objectName().toStdString();
}

TEST_F(TimelinePictureTest, PicturesAreDrawnOnePerTurnAndCanBeCancelled) {
    load({.steps = 12});
    playhead_.setDenoiseStep(3);
    auto* exporter = panel_->findChild<TraceExport*>("timeline.export");
    auto* cancel = panel_->findChild<QToolButton*>("timeline.export_cancel");
    EXPECT_TRUE(cancel->isHidden());
    const testing::TemporaryFolder folder;
    const auto file = QString::fromStdString((folder.path() / "n.png").string());
    QString message;
    QObject::connect(exporter, &TraceExport::statusMessage, [&](const QString& text) { message = text; });
    exporter->write(QStringLiteral("pngs"), file);
    EXPECT_TRUE(exporter->drawing()) << "the window stays responsive";
    EXPECT_FALSE(cancel->isHidden());
    EXPECT_TRUE(cancel->text().contains("1 of 12")) << cancel->text().toStdString();
    QApplication::processEvents();
    EXPECT_EQ(playhead_.denoiseStep(), 3) << "the other views do not move";
    cancel->click();
    EXPECT_FALSE(exporter->drawing());
    EXPECT_TRUE(message.startsWith("Export cancelled")) << message.toStdString();
    EXPECT_FALSE(QFileInfo::exists(QString::fromStdString((folder.path() / "n-001.png").string())));
    exporter->write(QStringLiteral("pngs"), file);
    load({.steps = 3});  // another trace cancels the export
    EXPECT_FALSE(exporter->drawing());
}

TEST_F(TimelinePictureTest, DrawsMarksOfTheTrace) {
    // The marks change map, text and legend.
    const auto picture = [&](bool marked) {
        trace::Trace trace = test::syntheticTrace({.steps = 6});
        test::declareMasks(trace);
        const std::vector<float> all(static_cast<std::size_t>(trace.steps * trace.positions), 1.0F);
        if (marked)
            for (const char* block : {"will_mask", "committed"})
                trace.blocks[block] = {{trace.steps, trace.positions}, all, true};
        selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
        return panel_->canvas()->renderNow().copy();
    };
    const QImage plain = picture(false), marked = picture(true);
    ASSERT_EQ(plain.size(), marked.size());
    const auto differing = [&](int from, int to) {
        int count = 0;
        for (int y = from; y < to; ++y)
            for (int x = 0; x < plain.width(); ++x) count += plain.pixel(x, y) != marked.pixel(x, y) ? 1 : 0;
        return count;
    };
    EXPECT_GT(differing(0, 30), 20) << "legend";
    EXPECT_GT(differing(30, plain.height() / 2), 100) << "map";
    EXPECT_GT(differing(plain.height() / 2, plain.height()), 100) << "text";
}

}  // namespace
}  // namespace kurve::views
