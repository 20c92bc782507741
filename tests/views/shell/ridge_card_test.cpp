// The histograms of gradients, weights and activations as ridges.
#include "views/monitor/ridge_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFontMetricsF>

#include "tests/support/gui_app.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

std::shared_ptr<RunData> ridges(const char* layer, int count) {
    auto data = std::make_shared<RunData>();
    store::HistogramRow row;
    row.json = R"({"edges": [0, 1, 2], "values": [0.5, 0.5]})";
    for (int i = 0; i < count; ++i) {
        row.step = 100 * (i + 1);
        data->histograms[layer].push_back(row);
    }
    return data;
}

// The whole grid was as wide as its name: every chart's newest values lay out of sight at a larger size.
TEST(RidgeCardTest, ALayersLongNameDoesNotWidenTheCard) {
    test::guiApp();
    RidgeCard card;
    card.setRun(ridges("gradients/decoder.layers.1.cross_attention.output", 1));
    ASSERT_TRUE(card.hasData());
    EXPECT_LE(card.minimumSizeHint().width(), px(300));
}

TEST(RidgeCardTest, RowsAreSpreadAndKeepTheEnds) {
    EXPECT_THAT(RidgeCard::chosenRows(0, 4), ElementsAre());
    EXPECT_THAT(RidgeCard::chosenRows(3, 4), ElementsAre(0, 1, 2));
    EXPECT_THAT(RidgeCard::chosenRows(10, 4), ElementsAre(0, 3, 6, 9));
    EXPECT_THAT(RidgeCard::chosenRows(5, 1), ElementsAre(4));
}

/// The names in a card of `count` ridges, the newest first; none may touch.
QVector<QString> namesAt(int height, int count) {
    RidgeCard card;
    card.setRun(ridges("weights/encoder", count));
    card.resize(px(400), height);
    card.show();
    QCPAxis* axis = card.plot()->yAxis;
    card.plot()->replot();
    const QVector<double> ticks = axis->tickVector();
    for (qsizetype i = 1; i < ticks.size(); ++i)
        EXPECT_GE(std::abs(axis->coordToPixel(ticks[i]) - axis->coordToPixel(ticks[i - 1])),
                  QFontMetricsF(axis->tickLabelFont()).height() - 1)
            << count << " ridges";
    return axis->tickVectorLabels();
}

TEST(RidgeCardTest, NamesTheStepsOfItsRidgesAsFarAsThereIsRoom) {
    test::guiApp();
    EXPECT_THAT(namesAt(px(400), 9), ElementsAre(countText(900), countText(500), countText(100)));
    EXPECT_THAT(namesAt(px(400), 3), ElementsAre(countText(300), countText(200), countText(100)));
    constexpr int kLeast = 1;  // the card takes what it needs
    EXPECT_THAT(namesAt(kLeast, 3), ElementsAre(countText(300), countText(100))) << "the ends go before";
    for (int count = 1; count < 9; ++count)
        EXPECT_EQ(namesAt(kLeast, count).front(), countText(100 * count)) << "the newest is always named";
}

}  // namespace
}  // namespace kurve::views
