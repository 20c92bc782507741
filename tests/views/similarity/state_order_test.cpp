// A similarity matrix in groups by the states of its positions.
#include "core/inspect/state_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QStandardItemModel>

#include "tests/support/gui_app.h"
#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/trace_declarations.h"
#include "views/similarity/matrix_picture.h"
#include "views/similarity/similarity_panel.h"

namespace kurve::views {
namespace {

using S = trace::TokenState;
using ::testing::ElementsAre;
using Group = inspect::StateOrder::Group;

/// Six positions and two steps, with states of two numbers a position.
std::shared_ptr<trace::Trace> traceOf(const std::vector<S>& first, bool masks = true) {
    auto made = std::make_shared<trace::Trace>(test::syntheticTrace({6, 2}));
    for (std::size_t i = 0; i < 12; ++i)
        made->state[i] = static_cast<std::uint8_t>(i < first.size() ? first[i] : S::Kept);
    if (masks) test::declareMasks(*made);
    made->blocks["hidden/1"] = {
        {2, 6, 2}, {1, 0, 1, .1F, 0, 1, .1F, 1, 1, 1, 1, .9F, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}};
    return made;
}

MatrixRequest requestOf(std::shared_ptr<const trace::Trace> trace) {
    MatrixRequest request;
    auto source = std::make_shared<const inspect::StateSource>(std::move(trace), "run");
    int layer = 0;
    while (source->layers()[static_cast<std::size_t>(layer)].block != "hidden/1") ++layer;
    request.a = {std::move(source), layer, 0};
    request.order = RowOrder::State;
    return request;
}

TEST(StateOrder, GroupsFromFinishedToMasked) {
    const auto trace = traceOf({S::Masked, S::Kept, S::Given, S::Masked, S::New, S::Kept});
    const inspect::StateOrder order = inspect::stateOrder(*trace, 0, {0, 1, 2, 3, 4, 5});
    EXPECT_THAT(order.positions, ElementsAre(2, 1, 5, 4, 0, 3));
    EXPECT_THAT(order.groups,
                ElementsAre(Group{"given", 1}, Group{"kept", 2}, Group{"new", 1}, Group{"masked", 2}));
    EXPECT_EQ(inspect::groupsText(order.groups), "1 given, 2 kept, 1 new, 2 masked");
}

TEST(StateOrder, MarksOfTheTraceMakeGroups) {
    auto trace = traceOf({S::Kept, S::Kept, S::Kept, S::Flip, S::Flip, S::Remask});
    trace->blocks["committed"] = {{2, 6}, {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    trace->blocks["will_mask"] = {{2, 6}, {0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}};
    const inspect::StateOrder order = inspect::stateOrder(*trace, 0, {0, 1, 2, 3, 4, 5});
    EXPECT_THAT(order.positions, ElementsAre(1, 0, 4, 2, 3, 5));
    EXPECT_EQ(inspect::groupsText(order.groups), "1 finished, 1 kept, 1 changed, 2 masked next, 1 remasked");
}

TEST(StateOrder, WithoutMasksThereAreKeptAndChanged) {
    const auto trace = traceOf({S::New, S::New, S::Flip, S::Kept, S::Kept, S::Pad}, false);
    const inspect::StateOrder order = inspect::stateOrder(*trace, 0, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(inspect::groupsText(order.groups), "2 kept, 1 changed, 2 first estimate, 1 padding");
}

TEST(StateOrder, MatrixNamesAndTableAreGrouped) {
    test::guiApp();
    MatrixRequest request = requestOf(traceOf({S::Masked, S::Kept, S::Given, S::Masked, S::New, S::Kept}));
    MatrixRequest plain = request;
    plain.order = RowOrder::Sentence;
    const auto sentence = matrixPictureOf(plain).content;
    const MatrixPicture picture = matrixPictureOf(request);
    const auto& content = picture.content;
    EXPECT_THAT(content.order, ElementsAre(2, 1, 5, 4, 0, 3));
    EXPECT_EQ(content.a.at(0, 1), sentence.a.at(2, 1));
    EXPECT_EQ(content.labels[5], sentence.labels[3]);
    EXPECT_TRUE(picture.title.contains("by state: 1 given, 2 kept, 1 new, 2 masked"))
        << picture.title.toStdString();
    MatrixView view;
    view.show(content);
    EXPECT_EQ(view.groupOf(0), "given");
    EXPECT_EQ(view.groupOf(2), "kept");
    EXPECT_EQ(view.groupOf(5), "masked");
    const ViewTable table = view.tables().front();
    EXPECT_TRUE(table.title.contains("by state")) << table.title.toStdString();
    EXPECT_EQ(table.columns.back(), "column_state");
    EXPECT_EQ(std::get<QString>(table.rows[1].back()), "kept");
    view.show(sentence);
    EXPECT_FALSE(view.tables().front().columns.contains("row_state"));
}

TEST(StateOrder, MasksAreGreyInTheirGroupOrExcluded) {
    MatrixRequest request = requestOf(traceOf({S::Masked, S::Kept, S::Given, S::Masked, S::Flip, S::Kept}));
    request.masked = inspect::MaskedPositions::Grey;
    auto content = matrixPictureOf(request).content;
    EXPECT_THAT(content.order, ElementsAre(2, 1, 5, 4, 0, 3));
    EXPECT_TRUE(std::isnan(content.a.at(4, 5)));
    EXPECT_FALSE(std::isnan(content.a.at(0, 3)));
    request.masked = inspect::MaskedPositions::Excluded;
    content = matrixPictureOf(request).content;
    EXPECT_THAT(content.order, ElementsAre(2, 1, 5, 4));
    EXPECT_EQ(content.groups.back(), (Group{"changed", 1}));
}

TEST(StateOrder, ControlPointsHaveNoStates) {
    auto trace = traceOf({S::Masked, S::Kept, S::Given, S::Masked, S::Flip, S::Kept});
    trace->blocks["hidden/1"] = {{2, 3, 2}, {1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1}};
    const MatrixRequest request = requestOf(trace);
    EXPECT_FALSE(hasTokenStates(request.a, request.kind));
    const auto picture = matrixPictureOf(request);
    EXPECT_THAT(picture.content.order, ElementsAre(0, 1, 2));
    EXPECT_FALSE(picture.title.contains("by state"));
}

class StateOrderPanelTest : public ::testing::Test, protected test::ShownPanel<SimilarityPanel> {
protected:
    StateOrderPanelTest() : ShownPanel(1000, 700) {}
    void press(int key) {
        for (const auto& entry : commands_.entries())
            if (entry.action->shortcut() == QKeySequence(key)) return entry.action->trigger();
    }
    void show(std::shared_ptr<trace::Trace> trace) {
        playhead_.setDenoiseSteps(2);
        playhead_.setDenoiseStep(0);
        selection_.setTrace(std::move(trace));
        EXPECT_TRUE(
            test::waitFor([&] { return !panel_->overview().thumbnails.empty() && !panel_->working(); }));
    }
};

TEST_F(StateOrderPanelTest, TheKeyCyclesThroughAvailableOrders) {
    auto* order = panel_->findChild<QComboBox*>("similarity.order");
    show(traceOf({S::Masked, S::Kept, S::Given, S::Masked, S::New, S::Kept}));
    panel_->setLayer(panel_->findChild<QComboBox*>("similarity.layer")->findText("layer 1"));
    press(Qt::Key_O);
    press(Qt::Key_O);
    EXPECT_EQ(order->currentText(), "By state");
    ASSERT_TRUE(test::waitFor([&] { return panel_->matrix()->content().groups.size() == 4; }));
    EXPECT_EQ(panel_->saveState().value("similarity.order").toString(), "state");
    press(Qt::Key_O);
    EXPECT_EQ(order->currentIndex(), 0);
    auto points = traceOf({});
    points->blocks = {{"hidden/1", {{2, 3, 2}, {1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1}}}};
    show(points);
    const auto* item = qobject_cast<QStandardItemModel*>(order->model())->item(2);
    EXPECT_FALSE(item->isEnabled());
    EXPECT_TRUE(item->toolTip().contains("no state")) << item->toolTip().toStdString();
    press(Qt::Key_O);
    press(Qt::Key_O);
    EXPECT_EQ(order->currentIndex(), 0) << "unavailable orders are skipped";
}

}  // namespace
}  // namespace kurve::views
