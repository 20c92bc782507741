// Control points moved by the pointer and by keys.
#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/views/curve/curve_panel_fixture.h"

namespace kurve::views {
namespace {

TEST_F(CurvePanelTest, DraggingAControlPointPreviewsTokensAndEscapeRestoresIt) {
    load(test::syntheticTrace({.steps = 8}));
    playhead_.setDenoiseStep(1);  // a noisy step
    const QImage before = picture();
    QPoint hit;
    for (int control = 0; control < panel_->view().model()->controlPoints() && hit.isNull(); ++control) {
        const ImVec2 at = panel_->view().pixelOf(control);
        QTest::mouseMove(panel_->canvas(), {static_cast<int>(at.x), static_cast<int>(at.y)});
        picture();
        if (panel_->view().pointed().control >= 0) hit = {static_cast<int>(at.x), static_cast<int>(at.y)};
    }
    ASSERT_FALSE(hit.isNull());
    QTest::mousePress(panel_->canvas(), Qt::LeftButton, {}, hit);
    picture();
    for (const int distance : {20, 60, 240}) {
        QTest::mouseMove(panel_->canvas(), hit + QPoint(distance, distance));
        picture();
    }
    ASSERT_NE(panel_->view().edit(), nullptr);
    EXPECT_TRUE(panel_->view().edit()->moved());
    EXPECT_TRUE(test::waitFor([&] { return !selection_.preview().tokens.isEmpty(); }));
    EXPECT_EQ(selection_.preview().step, 1);
    QTest::mouseRelease(panel_->canvas(), Qt::LeftButton, {}, hit + QPoint(240, 240));
    picture();
    EXPECT_EQ(services_.prompts.branchStep, 1);
    const QJsonArray requested =
        QJsonDocument::fromJson(services_.prompts.branches.value(0).toUtf8()).array();
    ASSERT_EQ(requested.size(), 1);
    const QJsonObject edit = requested[0].toObject();
    EXPECT_EQ(edit["kind"].toString(), "latent");
    const int control = panel_->view().edit()->controls().front();
    EXPECT_EQ(edit["point"].toInt(), control);
    const std::vector<float> point = panel_->view().edit()->point(control);
    ASSERT_EQ(edit["values"].toArray().size(), static_cast<qsizetype>(point.size()));
    EXPECT_NEAR(edit["values"].toArray()[3].toDouble(), point[3], 1e-5);
    press("restore");
    EXPECT_EQ(panel_->view().edit(), nullptr);
    EXPECT_TRUE(selection_.preview().tokens.isEmpty());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(panel_->canvas(), &leave);
    picture();
    EXPECT_EQ(picture(), before);
}

TEST_F(CurvePanelTest, ATokenIsDraggedByItsControlPointOfLargestWeight) {
    load(test::syntheticTrace({.steps = 8}));
    playhead_.setDenoiseStep(1);
    picture();
    const inspect::CurveModel& model = *panel_->view().model();
    int word = -1;
    QPoint hit;
    for (int control = 0; control < model.controlPoints() && word < 0; ++control) {
        const ImVec2 at = panel_->view().pixelOf(control);  // tokens are near their control points
        hit = {static_cast<int>(at.x), static_cast<int>(at.y)};
        QTest::mouseMove(panel_->canvas(), hit);
        picture();
        word = panel_->view().pointed().word;
    }
    ASSERT_GE(word, 0);
    QTest::mousePress(panel_->canvas(), Qt::LeftButton, {}, hit);
    picture();
    for (const int distance : {20, 60}) {
        QTest::mouseMove(panel_->canvas(), hit + QPoint(distance, distance));
        picture();
    }
    ASSERT_NE(panel_->view().edit(), nullptr);
    ASSERT_EQ(panel_->view().edit()->controls().size(), 1U);
    const int dragged = panel_->view().edit()->controls().front();
    for (int j = 0; j < model.controlPoints(); ++j) EXPECT_GE(model.psi(word, dragged), model.psi(word, j));
    QTest::mouseRelease(panel_->canvas(), Qt::LeftButton, {}, hit + QPoint(60, 60));
    picture();
}

TEST_F(CurvePanelTest, ControlPointsSelectedWithCtrlAreDraggedTogether) {
    load(test::syntheticTrace({.steps = 8}));
    playhead_.setDenoiseStep(1);
    picture();
    const auto pixelOf = [&](int control) {
        const ImVec2 at = panel_->view().pixelOf(control);
        return QPoint(static_cast<int>(at.x), static_cast<int>(at.y));
    };
    std::vector<QPoint> hits;
    for (int control = 0; control < panel_->view().model()->controlPoints() && hits.size() < 2; ++control) {
        QTest::mouseMove(panel_->canvas(), pixelOf(control));
        picture();
        if (panel_->view().pointed().control == control) hits.push_back(pixelOf(control));
    }
    ASSERT_EQ(hits.size(), 2U);
    for (const QPoint& hit : hits) {
        QTest::mouseMove(panel_->canvas(), hit);
        picture();
        QTest::mouseClick(panel_->canvas(), Qt::LeftButton, Qt::ControlModifier, hit);
        picture();
        picture();
    }
    ASSERT_EQ(panel_->view().chosen().size(), 2U);
    QTest::mouseMove(panel_->canvas(), hits[1]);
    QTest::mousePress(panel_->canvas(), Qt::LeftButton, {}, hits[1]);
    picture();
    for (const int distance : {20, 60}) {
        QTest::mouseMove(panel_->canvas(), hits[1] + QPoint(distance, distance));
        picture();
    }
    QTest::mouseRelease(panel_->canvas(), Qt::LeftButton, {}, hits[1] + QPoint(60, 60));
    picture();
    EXPECT_EQ(QJsonDocument::fromJson(services_.prompts.branches.value(0).toUtf8()).array().size(), 2);
    EXPECT_EQ(panel_->view().edit()->controls(), panel_->view().chosen());
}

TEST_F(CurvePanelTest, ControlPointsAreSelectedAndMovedByKeys) {
    load(test::syntheticTrace({.steps = 5}));
    picture();
    press("nudge_right");
    EXPECT_EQ(panel_->view().edit(), nullptr) << "nothing is selected";
    press("control_next");
    press("control_next");
    EXPECT_EQ(panel_->view().chosen(), std::vector<int>{1});
    press("control_previous");
    press("control_previous");
    EXPECT_EQ(panel_->view().chosen(), std::vector<int>{45}) << "cyclic";
    const ImVec2 before = panel_->view().pixelOf(45);
    const QStringList& branches = services_.prompts.branches;
    press("branch");
    EXPECT_TRUE(branches.isEmpty()) << "nothing was moved";
    for (const char* key : {"nudge_right", "nudge_right", "nudge_up"}) press(key);
    picture();
    const ImVec2 after = panel_->view().pixelOf(45);
    EXPECT_NEAR(after.x - before.x, 8, 0.1);
    EXPECT_NEAR(after.y - before.y, -4, 0.1);
    press("branch");
    ASSERT_EQ(branches.size(), 1);
    EXPECT_TRUE(branches[0].contains("\"point\":45")) << branches[0].toStdString();
    press("restore");
    EXPECT_EQ(panel_->view().edit(), nullptr);
}

}  // namespace
}  // namespace kurve::views
