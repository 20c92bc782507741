// Attention from one side to the other: matrices with other columns than rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/drawn_curves.h"
#include "tests/support/gui_app.h"
#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/trace_declarations.h"
#include "views/common/chart/line_chart.h"
#include "views/similarity/similarity_panel.h"
#include "views/states/heat_strip.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

constexpr int kWords = 4, kSource = 6, kSteps = 2;

/// Of 4 words and 6 source tokens: head h of step s has 100 s + 10 row + column + h at each cell.
trace::Block weightsOf(int rows, int columns) {
    trace::Block block{{kSteps, 2, rows, columns}, {}};
    for (int step = 0; step < kSteps; ++step)
        for (int head = 0; head < 2; ++head)
            for (int row = 0; row < rows; ++row)
                for (int column = 0; column < columns; ++column)
                    block.data.push_back(static_cast<float>(100 * step + 10 * row + column + head));
    return block;
}

std::shared_ptr<trace::Trace> traceOfBothSides() {
    auto made = std::make_shared<trace::Trace>(
        test::syntheticTrace({.words = kWords, .steps = kSteps, .curve = false}));
    for (int position = 0; position < kWords; ++position) {
        const auto id = static_cast<std::uint32_t>(900 + position);
        for (int step = 0; step < kSteps; ++step) made->tokens[made->cell(step, position)] = id;
        made->tokenTexts[id] = std::string(1, static_cast<char>('a' + position));
    }
    made->state.assign(made->tokens.size(), static_cast<std::uint8_t>(trace::TokenState::Masked));
    test::declareMasks(*made);
    made->blocks["cross_attention/0"] = weightsOf(kWords, kSource);
    made->blocks["cross_attention/1"] = weightsOf(kWords, kSource);
    made->blocks["condition_cross_attention/0"] = weightsOf(kSource, kWords);
    made->blocks["condition/0"] = {{kSteps, kSource, 1}, std::vector<float>(kSteps * kSource, 1)};
    made->blocks["condition_distance"] = {{kSteps, kSource}, {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6}};
    made->blocks["condition_similarity"] = {{kSteps, kSource},
                                            {1, 1, 1, 1, 1, 1, .9F, .8F, .7F, .6F, .5F, .4F}};
    made->meta["source_tokens"] = R"(["<s>","▁u","v","w","▁","</s>"])";
    return made;
}

const QStringList kWordsShown{"a", "b", "c", "d"}, kSourceShown{"<s>", "u", "v", "w", "␣", "</s>"};

QStringList texts(const std::vector<std::string>& all) {
    QStringList list;
    for (const std::string& one : all) list << QString::fromStdString(one);
    return list;
}

int layerNamed(const inspect::StateSource& source, const std::string& title) {
    for (std::size_t layer = 0; layer < source.layers().size(); ++layer)
        if (source.layers()[layer].title == title) return static_cast<int>(layer);
    ADD_FAILURE() << title;
    return 0;
}

TEST(CrossAttention, HasTheTokensOfBothSidesOnItsAxes) {
    const auto source = std::make_shared<const inspect::StateSource>(traceOfBothSides(), "run");
    const int toSource = layerNamed(*source, "text reads source 0"),
              toText = layerNamed(*source, "source reads text 0"),
              states = layerNamed(*source, "source input");
    EXPECT_EQ(texts(source->labels(toSource, 0)), kWordsShown);
    EXPECT_EQ(texts(source->columnLabels(toSource, 0)), kSourceShown);
    EXPECT_EQ(texts(source->labels(toText, 0)), kSourceShown);
    EXPECT_EQ(texts(source->columnLabels(toText, 0)), kWordsShown);
    EXPECT_EQ(texts(source->labels(states, 0)), kSourceShown);
    EXPECT_THAT(source->alignable(toSource),
                ElementsAre(toSource, layerNamed(*source, "text reads source 1")));
    EXPECT_EQ(source->attentionName(toText), "Cross-attention, mean of the heads");
}

TEST(CrossAttention, IsShownAsRecorded) {
    const auto trace = traceOfBothSides();
    const auto mean = std::make_shared<const inspect::StateSource>(trace, "run"),
               second = std::make_shared<const inspect::StateSource>(trace, "run", 1);
    const int layer = layerNamed(*mean, "source reads text 0");
    // Orders and masks are of one side's rows among each other.
    for (const RowOrder order : {RowOrder::Sentence, RowOrder::Similarity, RowOrder::State}) {
        MatrixRequest request;
        request.a = {mean, layer, 1};
        request.order = order;
        request.masked = inspect::MaskedPositions::Excluded;
        const MatrixView::Content content = matrixPictureOf(request).content;
        ASSERT_EQ(content.a.n, kSource);
        ASSERT_EQ(content.a.columns(), kWords);
        EXPECT_FLOAT_EQ(content.a.at(5, 3), 153.5F);
        EXPECT_FLOAT_EQ(content.a.at(2, 2), 122.5F);
        EXPECT_EQ(content.labels, kSourceShown);
        EXPECT_EQ(content.columnLabels, kWordsShown);
        EXPECT_FALSE(content.muteDiagonal);
        request.a.layer = layerNamed(*mean, "text reads source 0");
        EXPECT_EQ(matrixPictureOf(request).content.labels, kWordsShown);
    }
    EXPECT_FLOAT_EQ(second->pair(layer, 1, inspect::MatrixKind::Cosine, 5, 3), 154);
    const auto lines =
        pairLinesOf({mean, layerNamed(*mean, "text reads source 1"), inspect::MatrixKind::Cosine, 3, 5});
    EXPECT_EQ(lines.layers, (QStringList{"text reads source 0", "text reads source 1"}));
    EXPECT_THAT(lines.values[1], ElementsAre(35.5, 135.5));
    const Overview overview = overviewOf(*mean, {}, CancelToken());
    EXPECT_EQ(overview.thumbnails[static_cast<std::size_t>(layer)][0].size(), QSize(kWords, kSource));
}

TEST(CrossAttention, ScalesToItsDiagonalToo) {
    (void)test::guiApp();
    auto trace = traceOfBothSides();
    for (float& weight : trace->blocks["cross_attention/0"].data) weight = 0;
    for (std::size_t i = 0; i < kWords; ++i)
        for (std::size_t head = 0; head < 2; ++head)
            trace->blocks["cross_attention/0"].data[head * kWords * kSource + i * kSource + i] = 0.75F;
    const auto source = std::make_shared<const inspect::StateSource>(trace, "run");
    MatrixRequest request;
    request.a = {source, layerNamed(*source, "text reads source 0"), 0};
    const MatrixPicture alone = matrixPictureOf(request);
    EXPECT_FLOAT_EQ(static_cast<float>(alone.content.scale), 0.75F);
    EXPECT_TRUE(alone.title.contains(", scale 0 to 0.75")) << "no weight is negative";
    MatrixView view;
    view.show(alone.content);
    EXPECT_EQ(view.shownLowest(), 0);
    request.b = request.a;
    request.mode = MatrixMode::Difference;
    const MatrixPicture difference = matrixPictureOf(request);
    EXPECT_TRUE(difference.title.contains(", scale ±"));
    view.show(difference.content);
    EXPECT_EQ(view.shownLowest(), -view.shownScale());
}

TEST(CrossAttention, DifferencesNeedEqualAxes) {
    const auto source = std::make_shared<const inspect::StateSource>(traceOfBothSides(), "run");
    MatrixRequest request;
    request.a = {source, layerNamed(*source, "text reads source 0"), 1};
    request.b = inspect::MatrixCell{source, layerNamed(*source, "text reads source 1"), 0};
    request.mode = MatrixMode::Difference;
    const MatrixPicture equal = matrixPictureOf(request);
    ASSERT_TRUE(equal.content.hasB());
    EXPECT_FLOAT_EQ(equal.content.b.at(3, 5), 35.5F);
    request.mode = MatrixMode::SplitTriangle;
    EXPECT_EQ(matrixPictureOf(request).content.mode, MatrixMode::A);
    EXPECT_TRUE(matrixPictureOf(request).title.contains("A is shown"));
    request.mode = MatrixMode::Difference;
    request.b->layer = layerNamed(*source, "source reads text 0");
    const MatrixPicture other = matrixPictureOf(request);
    EXPECT_FALSE(other.content.hasB());
    EXPECT_TRUE(other.title.contains("different sizes: 4 × 6 and 6 × 4")) << other.title.toStdString();
}

TEST(CrossAttention, WithoutTheSourcesTokensItsRowsAreNumbered) {
    const auto trace = traceOfBothSides();
    trace->meta["source_tokens"] = R"(["one","of another length"])";
    const inspect::StateSource source(trace, "run");
    EXPECT_EQ(texts(source.columnLabels(layerNamed(source, "text reads source 0"), 0)),
              (QStringList{"s1", "s2", "s3", "s4", "s5", "s6"}));
}

class CrossAttentionPanelTest : public ::testing::Test, protected test::ShownPanel<SimilarityPanel> {
protected:
    CrossAttentionPanelTest() : ShownPanel(1000, 700) {
        playhead_.setDenoiseSteps(kSteps);
        selection_.setTrace(traceOfBothSides());
        EXPECT_TRUE(test::waitFor([&] { return !panel_->overview().thumbnails.empty(); }));
    }
    void chooseLayer(const QString& title) {
        auto* layers = panel_->findChild<QComboBox*>("similarity.layer");
        panel_->setLayer(layers->findText(title));
        EXPECT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    }
};

TEST_F(CrossAttentionPanelTest, FollowsAWordAndWhatItReads) {
    chooseLayer("text reads source 0");
    MatrixView& matrix = *panel_->matrix();
    ASSERT_EQ(matrix.content().a.columns(), kSource);
    auto* order = panel_->findChild<QComboBox*>("similarity.order");
    EXPECT_FALSE(order->isEnabled());
    auto* measure = panel_->findChild<QComboBox*>("similarity.measure");
    EXPECT_FALSE(measure->isEnabled()) << "attention is shown as recorded";
    for (int i = 0; i < 20; ++i) matrix.moveChosen({1, 1});
    EXPECT_EQ(matrix.chosen(), QPoint(kSource - 1, kWords - 1)) << "the last of each side";
    auto* chart = panel_->findChild<LineChart*>("similarity.cellChart");
    EXPECT_EQ(chart->title(), "d reads </s>");
    const auto line = [&] {
        return test::curveIds(*chart).contains("text reads source 0")
                   ? test::pointsOf(*chart, "text reads source 0").y
                   : decltype(test::pointsOf(*chart, "").y)();
    };
    EXPECT_TRUE(test::waitFor([&] { return std::ranges::equal(line(), std::vector{35.5, 135.5}); }));
    chooseLayer("source input");
    EXPECT_TRUE(order->isEnabled());
    EXPECT_TRUE(measure->isEnabled());
}

TEST_F(CrossAttentionPanelTest, FollowsAWordAlsoWhileTheMeasureComparesLayers) {
    panel_->findChild<QComboBox*>("similarity.measure")
        ->setCurrentIndex(static_cast<int>(inspect::MatrixKind::LayerAlignment));
    chooseLayer("text reads source 0");
    panel_->matrix()->choose({kSource - 1, kWords - 1});
    const auto* chart = panel_->findChild<LineChart*>("similarity.cellChart");
    EXPECT_EQ(chart->title(), "d reads </s>");
    EXPECT_TRUE(test::waitFor([&] { return test::curveIds(*chart).contains("text reads source 0"); }));
    playhead_.setDenoiseStep(1);
    ASSERT_TRUE(panel_->working());
    panel_->matrix()->choose({0, 0});
    EXPECT_EQ(chart->title(), "d reads </s>") << "until the picture of that step is there";
    ASSERT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    EXPECT_EQ(chart->title(), "a reads <s>");
}

TEST_F(CrossAttentionPanelTest, EveryCellIsUnderThePointer) {
    chooseLayer("source reads text 0");
    MatrixView& matrix = *panel_->matrix();
    std::set<std::pair<int, int>> seen;
    QObject::connect(&matrix, &MatrixView::cellHovered, &matrix, [&](int row, int column) {
        if (row >= 0) seen.emplace(row, column);
    });
    for (int y = 0; y < matrix.height(); y += 4)
        for (int x = 0; x < matrix.width(); x += 4) QTest::mouseMove(&matrix, {x, y});
    EXPECT_EQ(seen.size(), kSource * kWords);
    const ViewTable table = matrix.tables().front();
    ASSERT_EQ(table.rows.size(), kSource * kWords);
    EXPECT_EQ(table.rows.back()[3], ViewTable::Cell("d"));
    matrix.zoom(100);
    EXPECT_EQ(matrix.window().count, 4);
    matrix.showAll();
    EXPECT_EQ(matrix.window().count, kSource) << "of the longer side";
}

TEST_F(CrossAttentionPanelTest, ShowsHowFarEachSourceTokenMoves) {
    auto* statistic = panel_->findChild<QComboBox*>("similarity.summary");
    auto* strip = panel_->findChild<HeatStrip*>("similarity.strip");
    auto* chart = panel_->findChild<LineChart*>("similarity.summaryChart");
    ASSERT_EQ(statistic->count(), 7);
    statistic->setCurrentText("Source: distance to the step before");
    ASSERT_EQ(strip->rows().size(), kSource);
    EXPECT_TRUE(strip->isVisibleTo(panel_.get()));
    EXPECT_EQ(strip->rows()[1].title, "2 u");
    EXPECT_TRUE(std::isnan(strip->rows()[1].values[0])) << "no step is before the first";
    EXPECT_EQ(strip->rows()[1].values[1], 2);
    EXPECT_EQ(chart->title(), "Source: distance to the step before");
    statistic->setCurrentText("Source: similarity to the step before");
    EXPECT_FLOAT_EQ(static_cast<float>(strip->rows()[5].values[1]), 0.4F);

    const QJsonObject saved = panel_->saveState()["summary"].toObject();
    EXPECT_FALSE(saved["colours"].toBool()) << "the user's choice is that of the other statistics";
    auto without = traceOfBothSides();
    without->blocks.erase("condition_distance");
    selection_.setTrace(without);
    EXPECT_EQ(statistic->count(), 5);
    EXPECT_EQ(statistic->currentText(), "Mean similarity");
    EXPECT_FALSE(strip->isVisibleTo(panel_.get()));
    EXPECT_EQ(chart->title(), "Mean similarity (Cosine)");
}

}  // namespace
}  // namespace kurve::views
