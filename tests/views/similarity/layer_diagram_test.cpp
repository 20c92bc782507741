// What each layer read, as drawn and as chosen from it.
#include "views/similarity/layer_diagram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QTest>

#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::views {
namespace {

/// DiffuSIA of one source layer and two of the text, with attention of both sides.
std::shared_ptr<trace::Trace> traceOfTurns() {
    auto made =
        std::make_shared<trace::Trace>(test::syntheticTrace({.words = 4, .steps = 2, .curve = false}));
    made->blocks["layer_reads"] = {{3, 4}, {0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1}};
    for (const char* block : {"cross_attention/0", "cross_attention/1"})
        made->blocks[block] = {{2, 1, 4, 3}, std::vector<float>(24, 1.0F / 3)};
    made->blocks["condition_cross_attention/0"] = {{2, 1, 3, 4}, std::vector<float>(24, 0.25F)};
    return made;
}

class LayerDiagramTest : public ::testing::Test, protected test::ShownPanel<SimilarityPanel> {
protected:
    LayerDiagramTest() : ShownPanel(1000, 700) {
        selection_.setTrace(traceOfTurns());
        statistic_->setCurrentText("Order of the layers");
        QApplication::processEvents();
    }
    [[nodiscard]] QString shownLayer() const {
        return panel_->findChild<QComboBox*>("similarity.layer")->currentText();
    }
    QComboBox* statistic_ = panel_->findChild<QComboBox*>("similarity.summary");
    LayerDiagram* diagram_ = panel_->findChild<LayerDiagram*>();
};

TEST_F(LayerDiagramTest, TellsInWordsWhatALayerReads) {
    ASSERT_EQ(diagram_->reads().size(), 3U);
    EXPECT_EQ(diagram_->reads()[0].inWords(),
              "source layer 0 reads the source before its layers and the text before its layers");
    EXPECT_EQ(diagram_->reads()[1].inWords(),
              "text layer 0 reads the text before its layers and the source after 1 layer");
    EXPECT_EQ(diagram_->reads()[2].inWords(),
              "text layer 1 reads the text after 1 layer and the source after 1 layer");
    EXPECT_EQ((LayerRead{false, 2, 2, -1}).inWords(), "source layer 2 reads the source after 2 layers");
    EXPECT_EQ(diagram_->tables().front().rows.size(), 3U);
}

TEST_F(LayerDiagramTest, BoxesStandInTheOrderOfExecution) {
    ASSERT_TRUE(diagram_->isVisibleTo(panel_.get()));
    for (int read = 0; read < 3; ++read) {
        EXPECT_GT(diagram_->box(read).top(), diagram_->box(read - 1).bottom());
        EXPECT_TRUE(QRectF(diagram_->rect()).contains(diagram_->box(read)));
    }
    EXPECT_LT(diagram_->box(0).right(), diagram_->box(1).left()) << "the source is on the left";
    EXPECT_EQ(diagram_->box(1).left(), diagram_->box(2).left());
}

TEST_F(LayerDiagramTest, AnArrowComesFromTheStateThatIsRead) {
    diagram_->select(2);  // reads source layer 0's output
    const QImage picture = diagram_->grab().toImage();
    const auto accentBetween = [&](int from, int to) {
        const QPointF start(diagram_->box(from).right(), diagram_->box(from).center().y()),
            end(diagram_->box(to).left(), diagram_->box(to).center().y());
        const QPoint middle = ((start + end) / 2).toPoint();
        for (int dy = -1; dy <= 1; ++dy)
            if (picture.pixelColor(middle + QPoint(0, dy)) == theme().accent) return true;
        return false;
    };
    EXPECT_TRUE(accentBetween(0, 2));
    EXPECT_FALSE(accentBetween(-1, 2));
}

TEST_F(LayerDiagramTest, AClickOrAKeyShowsTheMatrixOfALayer) {
    QTest::mouseClick(diagram_, Qt::LeftButton, {}, diagram_->box(0).center().toPoint());
    EXPECT_EQ(shownLayer(), "source reads text 0");
    QTest::keyClick(diagram_, Qt::Key_Down);
    EXPECT_EQ(diagram_->accessibleDescription(), diagram_->reads()[1].inWords());
    EXPECT_EQ(shownLayer(), "source reads text 0") << "not before Enter";
    QTest::keyClick(diagram_, Qt::Key_Down);
    QTest::keyClick(diagram_, Qt::Key_Return);
    EXPECT_EQ(shownLayer(), "text reads source 1");
}

TEST_F(LayerDiagramTest, IsOfTracesThatTellIt) {
    auto without = traceOfTurns();
    without->blocks.erase("layer_reads");
    selection_.setTrace(without);
    EXPECT_EQ(statistic_->findText("Order of the layers"), -1);
    EXPECT_EQ(statistic_->currentText(), "Mean similarity");
    EXPECT_FALSE(diagram_->isVisibleTo(panel_.get()));
    selection_.setTrace(traceOfTurns());
    EXPECT_GT(statistic_->findText("Order of the layers"), 0);
}

}  // namespace
}  // namespace kurve::views
