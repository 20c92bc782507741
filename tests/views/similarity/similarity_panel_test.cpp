#include "views/similarity/similarity_panel.h"
#include "tests/support/drawn_curves.h"
#include "tests/support/fake_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>

#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/chart/chart_legend.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/view_picture.h"
#include "views/common/shell/empty_state.h"
#include "views/common/theme/theme.h"
#include "views/similarity/similarity_curves.h"

namespace kurve::views {
namespace {

class SimilarityPanelTest : public ::testing::Test, protected test::ShownPanel<SimilarityPanel> {
protected:
    SimilarityPanelTest() : ShownPanel(1000, 700) {}
    void choose(std::uint64_t seed) {
        show(std::make_shared<trace::Trace>(test::syntheticTrace({6, 4, 60, 8, true, seed})));
    }
    void show(const std::shared_ptr<const trace::Trace>& trace) {
        playhead_.setDenoiseSteps(4);
        selection_.setTrace(trace);
        EXPECT_TRUE(test::waitFor([&] { return !panel_->overview().thumbnails.empty(); }));
        settle();
    }
    void settle() {
        EXPECT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    }
    void press(int key) {
        for (const auto& entry : commands_.entries())
            if (entry.action->shortcut() == QKeySequence(key)) return entry.action->trigger();
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QApplication::sendEvent(panel_.get(), &event);
    }
};

TEST_F(SimilarityPanelTest, WaitsForATrace) {
    EXPECT_FALSE(panel_->hasData());
    choose(1);
    EXPECT_TRUE(panel_->hasData());
    EXPECT_GT(panel_->matrix()->content().a.n, 0);
}

TEST_F(SimilarityPanelTest, ATokenInAngleBracketsIsNotMarkup) {
    auto trace = test::syntheticTrace({.words = 6, .steps = 4, .curve = false});
    for (auto& [id, text] : trace.tokenTexts) text = "<s>";
    show(std::make_shared<trace::Trace>(std::move(trace)));
    Q_EMIT panel_->matrix()->cellHovered(1, 0);
    const auto* value = panel_->findChild<QLabel*>("similarity.value");
    EXPECT_TRUE(value->text().startsWith("<s> · <s>: ")) << value->text().toStdString();
    EXPECT_EQ(value->textFormat(), Qt::PlainText) << "not markup";
}

TEST_F(SimilarityPanelTest, FollowsThePlayhead) {
    choose(1);
    const auto before = panel_->matrix()->content().a.values;
    playhead_.setDenoiseStep(3);
    settle();
    EXPECT_NE(panel_->matrix()->content().a.values, before);
    press(Qt::Key_Left);
    EXPECT_EQ(playhead_.denoiseStep(), 2);
}

TEST_F(SimilarityPanelTest, TheSummaryTitleHasStatisticAndMeasure) {
    choose(1);
    auto* measure = panel_->findChild<QComboBox*>("similarity.measure");
    const auto choose = [&](inspect::MatrixKind kind) {
        measure->setCurrentIndex(static_cast<int>(kind));
        settle();
        return panel_->overview().layers.front();
    };
    const auto title = [&](StateStatistic number) {
        panel_->findChild<QComboBox*>("similarity.summary")->setCurrentIndex(static_cast<int>(number));
        return panel_->findChild<SummaryChart*>()->findChild<LineChart*>()->title().toStdString();
    };
    const LayerSummary cosine = choose(inspect::MatrixKind::Cosine);
    EXPECT_EQ(title(StateStatistic::EffectiveRank), "Effective rank");
    const LayerSummary centred = choose(inspect::MatrixKind::CentredCosine);
    EXPECT_NE(centred.effectiveRank, cosine.effectiveRank);
    EXPECT_EQ(title(StateStatistic::EffectiveRank), "Effective rank (Centred cosine)");
    EXPECT_EQ(title(StateStatistic::Neighbours), "Neighbours' similarity (Centred cosine)");
    const LayerSummary layers = choose(inspect::MatrixKind::LayerAlignment);
    EXPECT_EQ(layers.meanOffDiagonal, cosine.meanOffDiagonal) << "of tokens, not of layers";
    EXPECT_EQ(title(StateStatistic::Mean), "Mean similarity (Cosine)");
    EXPECT_EQ(title(StateStatistic::Repeated), "Repeated tokens");
    EXPECT_TRUE(panel_->statement().contains("mean cosine 0.")) << panel_->statement().toStdString();
}

TEST_F(SimilarityPanelTest, ComparesWithThePinnedMatrix) {
    choose(1);
    press(Qt::Key_P);
    settle();
    EXPECT_EQ(panel_->matrix()->content().mode, MatrixMode::Difference);
    EXPECT_EQ(panel_->matrix()->shownValue(0, 1), 0);  // A is B
    choose(2);
    const auto& content = panel_->matrix()->content();
    ASSERT_EQ(content.b.n, content.a.n);
    EXPECT_FLOAT_EQ(panel_->matrix()->shownValue(0, 1), content.a.at(0, 1) - content.b.at(0, 1));
    panel_->setMode(static_cast<int>(MatrixMode::SplitTriangle));
    settle();
    EXPECT_EQ(panel_->matrix()->shownValue(0, 1), content.a.at(0, 1));
    EXPECT_EQ(panel_->matrix()->shownValue(1, 0), content.b.at(1, 0));
    for (const MatrixMode mode : {MatrixMode::A, MatrixMode::Difference}) {
        panel_->setMode(static_cast<int>(mode));
        settle();
        press(Qt::Key_Space);
        EXPECT_EQ(panel_->matrix()->shownValue(0, 1), content.b.at(0, 1)) << "while Space is held";
        QKeyEvent up(QEvent::KeyRelease, Qt::Key_Space, Qt::NoModifier);
        QApplication::sendEvent(panel_.get(), &up);
        EXPECT_NE(panel_->matrix()->shownValue(0, 1), content.b.at(0, 1));
    }
}

TEST_F(SimilarityPanelTest, TheWindowsReferenceIsB) {
    auto* follows = panel_->findChild<QCheckBox*>("similarity.following");
    choose(1);
    EXPECT_TRUE(follows->isHidden());
    const auto other = std::make_shared<trace::Trace>(test::syntheticTrace({6, 8, 60, 8, true, 5}));
    selection_.setReference(other);  // pinned in another view
    settle();
    const auto shown = [&] { return panel_->matrix()->content().b.values; };
    const auto matrixAt = [&](int step) {
        return inspect::StateSource(other, "").matrix(0, step, inspect::MatrixKind::Cosine).values;
    };
    playhead_.setDenoiseStep(1);
    settle();
    EXPECT_EQ(panel_->matrix()->content().mode, MatrixMode::Difference);
    EXPECT_EQ(shown(), matrixAt(1));
    selection_.setLinkBy(inspect::LinkBy::Fraction);
    settle();
    EXPECT_EQ(shown(), matrixAt(2)) << "a third of eight steps";
    EXPECT_TRUE(follows->isChecked());
    follows->click();  // holds B
    playhead_.setDenoiseStep(3);
    settle();
    EXPECT_EQ(shown(), matrixAt(2));
    press(Qt::Key_P);  // pins for all views
    EXPECT_EQ(selection_.reference(), selection_.trace());
    EXPECT_FALSE(follows->isChecked());
    settle();
    selection_.setReference(nullptr);
    settle();
    EXPECT_EQ(panel_->matrix()->content().b.n, 0);
    EXPECT_EQ(panel_->matrix()->content().mode, MatrixMode::A);
    EXPECT_TRUE(follows->isHidden());
}

TEST_F(SimilarityPanelTest, ChoicesAreRestored) {
    choose(1);
    panel_->findChild<QComboBox*>("similarity.measure")->setCurrentIndex(1);
    panel_->setLayer(1);
    press(Qt::Key_O);
    press(Qt::Key_C);
    press(Qt::Key_R);
    panel_->findChild<QComboBox*>("similarity.summary")->setCurrentIndex(2);
    panel_->setMode(static_cast<int>(MatrixMode::SplitTriangle));
    const QJsonObject saved = panel_->saveState();
    EXPECT_EQ(saved["pair_mode"], "split") << "no index: that is another mode once one is added";
    EXPECT_EQ(saved["similarity.layer"],
              QString::fromStdString(inspect::StateSource(selection_.trace(), "").layers()[1].block));
    panel_ = nullptr;
    CommandRegistry commands;
    context_.commands = &commands;
    selection_.setTrace(nullptr);
    panel_ = std::make_unique<SimilarityPanel>(context_);
    panel_->restoreState(saved);  // before there is a trace
    EXPECT_EQ(panel_->saveState(), saved);
    choose(1);
    EXPECT_EQ(panel_->saveState(), saved);
    EXPECT_TRUE(panel_->statement().startsWith("Centred cosine")) << panel_->statement().toStdString();
    auto* curves = panel_->findChild<SimilarityCurves*>();
    EXPECT_TRUE(curves->colours());
    EXPECT_TRUE(curves->byRun());
    EXPECT_EQ(panel_->findChild<QComboBox*>("similarity.summary")->currentIndex(), 2);
    EXPECT_EQ(panel_->matrix()->content().mode, MatrixMode::A) << "there is no B yet";
    selection_.setReference(std::make_shared<trace::Trace>(test::syntheticTrace({6, 8, 60, 8, true, 5})));
    settle();
    EXPECT_EQ(panel_->matrix()->content().mode, MatrixMode::SplitTriangle);
    EXPECT_EQ(panel_->saveState(), saved);
}

TEST_F(SimilarityPanelTest, ALayerHasOneColourAndBIsDashed) {
    choose(1);
    auto bare = test::syntheticTrace({6, 4, 60, 8, false, 2});  // its first layer is the second of A
    selection_.setReference(std::make_shared<trace::Trace>(std::move(bare)));
    auto* legend = panel_->findChild<LineChart*>("similarity.summaryChart")->findChild<ChartLegend*>();
    const auto entry = [legend](const char* name) {
        for (const auto& one : legend->entries())
            if (one.name == QLatin1String(name)) return one;
        return ChartLegend::Entry();
    };
    ASSERT_TRUE(test::waitFor([&] { return entry("estimate (B)").color.isValid(); }));
    EXPECT_EQ(entry("estimate (B)").color, entry("estimate").color);
    EXPECT_NE(entry("estimate (B)").glyph, entry("estimate").glyph);
    EXPECT_NE(entry("estimate").color, entry("control points").color);
}

TEST_F(SimilarityPanelTest, ATraceWithFewerLayersMayFollow) {
    choose(1);
    auto* chart = panel_->findChild<LineChart*>("similarity.summaryChart");
    ASSERT_TRUE(test::curveIds(*chart).contains("control points"));
    selection_.setTrace(std::make_shared<trace::Trace>(test::syntheticTrace({6, 4, 60, 8, false, 2})));
    ASSERT_TRUE(test::waitFor([&] { return panel_->overview().thumbnails.size() == 1; }));
    EXPECT_EQ(test::curveIds(*chart), QStringList{"estimate"});
}

TEST_F(SimilarityPanelTest, ATraceWithoutStatesClearsThePreviousOne) {
    choose(1);
    auto* title = panel_->findChild<QLabel*>("similarity.title");
    auto* chart = panel_->findChild<LineChart*>("similarity.summaryChart");
    ASSERT_FALSE(title->text().isEmpty());
    selection_.setReference(selection_.trace());  // pinned as B
    settle();
    auto bare = test::syntheticTrace({6, 4, 60, 8, false, 2});
    bare.blocks.clear();
    selection_.setTrace(std::make_shared<trace::Trace>(bare));
    settle();
    EXPECT_FALSE(panel_->hasData());
    EXPECT_EQ(title->text(), "");
    EXPECT_TRUE(test::waitFor([&] { return test::curveIds(*chart).isEmpty(); }))
        << test::curveIds(*chart).join(", ").toStdString();
}

TEST_F(SimilarityPanelTest, AFigureFromADarkWindowHasLightThumbnails) {
    choose(1);
    auto* small = panel_->findChild<QWidget*>("similarity.thumbnails");
    const QImage light = viewImage(*small, {});
    applyTheme(ThemeMode::Dark, 1.0);
    settle();
    EXPECT_NE(small->grab().toImage().pixelColor(120, 40), light.pixelColor(240, 80));
    EXPECT_EQ(viewImage(*small, {}), light);
    applyTheme(ThemeMode::Light, 1.0);
}

TEST_F(SimilarityPanelTest, ThumbnailsOfAllLayersAreInView) {
    choose(1);
    const auto* grid = panel_->findChild<QWidget*>("similarity.thumbnails");
    ASSERT_EQ(panel_->overview().thumbnails.size(), 2U);
    EXPECT_TRUE(test::waitFor([&] { return grid->parentWidget()->height() >= grid->height(); }))
        << grid->parentWidget()->height() << " of " << grid->height();
}

TEST_F(SimilarityPanelTest, FollowsThePairInAnyOrder) {
    choose(1);
    auto* chart = panel_->findChild<LineChart*>("similarity.cellChart");
    const auto line = [&] { return test::pointsOf(*chart, test::curveIds(*chart).value(0)).y; };
    MatrixView& matrix = *panel_->matrix();
    const auto choosePair = [&](int row, int column) {
        const auto& order = matrix.content().order;
        const auto at = [&](int which) {
            return static_cast<int>(std::find(order.begin(), order.end(), which) - order.begin());
        };
        matrix.choose({at(column), at(row)});
    };
    choosePair(1, 4);
    ASSERT_TRUE(test::waitFor([&] { return !test::curveIds(*chart).isEmpty(); }));
    const auto sentence = line();
    ASSERT_EQ(sentence.size(), 4U);
    EXPECT_FLOAT_EQ(
        static_cast<float>(sentence[0]),
        inspect::StateSource(selection_.trace(), "").matrix(0, 0, inspect::MatrixKind::Cosine).at(1, 4));
    press(Qt::Key_O);
    settle();
    ASSERT_NE(matrix.content().order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    ASSERT_TRUE(test::waitFor([&] { return line() != sentence; })) << "another pair is there now";
    choosePair(1, 4);
    EXPECT_TRUE(test::waitFor([&] { return line() == sentence; }));
}

TEST_F(SimilarityPanelTest, RequestsMissingLayers) {
    choose(1);
    test::FakeServices services;
    services.offerTo(context_);
    auto* capture = panel_->findChild<QPushButton*>("similarity.capture");
    ASSERT_TRUE(capture->isVisibleTo(panel_.get()));
    capture->click();
    EXPECT_EQ(services.prompts.of, selection_.trace().get());
    ASSERT_EQ(services.prompts.requests.size(), 1U);
    EXPECT_TRUE(services.prompts.requests[0].what.contains("hidden"));
}

TEST_F(SimilarityPanelTest, WithoutStatesItOffersToRecordThem) {
    EXPECT_EQ(panel_->statement(), "No trace is open.");
    auto bare = test::syntheticTrace({6, 4, 60, 8, false, 2});
    bare.blocks.clear();
    selection_.setTrace(std::make_shared<trace::Trace>(bare));
    EXPECT_EQ(panel_->statement(), "Hidden states not recorded.");
    EXPECT_FALSE(panel_->matrix()->isVisibleTo(panel_.get())) << "an empty page";
    test::FakeServices services;
    services.offerTo(context_);
    QPushButton* offer = panel_->findChild<EmptyState*>()->button();
    ASSERT_TRUE(offer->isVisibleTo(panel_.get()));
    EXPECT_TRUE(offer->text().startsWith("Capture layers")) << offer->text().toStdString();
    offer->click();
    ASSERT_EQ(services.prompts.requests.size(), 1U);
    EXPECT_TRUE(services.prompts.requests[0].what.contains("hidden"));
    choose(1);
    EXPECT_TRUE(panel_->matrix()->isVisibleTo(panel_.get()));
}

}  // namespace
}  // namespace kurve::views
