// View and selected cell of the large matrix, by mouse and keys.
#include "views/similarity/matrix_view.h"

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

class MatrixViewTest : public ::testing::Test {
protected:
    MatrixViewTest() {
        applyTheme(ThemeMode::Light, 1.0);
        view_.resize(520, 460);
        MatrixView::Content content;
        content.a = {kRows, std::vector<float>(kRows * kRows, 0.5F)};
        view_.show(content);
        view_.QWidget::show();
    }
    void moveTo(QPoint to, Qt::MouseButtons buttons = {}, Qt::KeyboardModifiers keys = {}) {
        QMouseEvent move(QEvent::MouseMove, to, view_.mapToGlobal(to), Qt::NoButton, buttons, keys);
        QApplication::sendEvent(&view_, &move);
    }
    /// The middle of a cell, found by the cell under each pixel of a line.
    QPoint pixelOf(int column, int row) {
        int x[2] = {-1, -1}, y[2] = {-1, -1};
        const auto note = [](int(&range)[2], int at) {
            if (range[0] < 0) range[0] = at;
            range[1] = at;
        };
        QPoint cell;
        const auto watching = QObject::connect(&view_, &MatrixView::cellHovered, [&](int r, int c) {
            cell = {c, r};
        });
        for (int at = 0; at < 450; ++at) {
            moveTo({at, 240});
            if (cell.x() == column) note(x, at);
            moveTo({240, at});
            if (cell.y() == row) note(y, at);
        }
        QObject::disconnect(watching);
        return {(x[0] + x[1]) / 2, (y[0] + y[1]) / 2};
    }
    void drag(QPoint from, QPoint to, Qt::MouseButton button, Qt::KeyboardModifiers keys = {}) {
        QTest::mousePress(&view_, button, keys, from);
        moveTo(to, button, keys);
        QTest::mouseRelease(&view_, button, keys, to);
    }

    static constexpr int kRows = 20;
    QApplication& app_ = test::guiApp();
    MatrixView view_;
};

TEST_F(MatrixViewTest, ADragZoomsToItsSquare) {
    const QPoint from = pixelOf(3, 5), to = pixelOf(9, 8);
    drag(from, to, Qt::LeftButton);
    EXPECT_EQ(view_.window().column, 3);
    EXPECT_EQ(view_.window().row, 5);
    EXPECT_EQ(view_.window().count, 7) << "the longer side: columns 3 to 9";
    EXPECT_EQ(view_.chosen(), QPoint(-1, -1)) << "a drag selects no cell";
    QTest::mouseDClick(&view_, Qt::LeftButton, {}, from);
    EXPECT_EQ(view_.window().count, kRows);
    drag(to, from, Qt::LeftButton);  // from the other corner
    EXPECT_EQ(view_.window().column, 3);
    EXPECT_EQ(view_.window().count, 7);
}

TEST_F(MatrixViewTest, AClickOrAShortDragSelectsACell) {
    QSignalSpy chosen(&view_, &MatrixView::cellChosen);
    const QPoint at = pixelOf(6, 2);
    drag(at, at + QPoint(2, 1), Qt::LeftButton);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(view_.chosen(), QPoint(6, 2));
    EXPECT_EQ(view_.window().count, kRows);
}

TEST_F(MatrixViewTest, TheViewCanBePanned) {
    const QPoint from = pixelOf(10, 10), to = pixelOf(8, 9);
    view_.choose({10, 10});
    view_.zoom(2);
    const auto before = view_.window();
    EXPECT_EQ(before.count, 10);
    EXPECT_NEAR(before.column + before.count * 0.525, 10.5, 1e-9) << "the selected cell does not move";
    for (const auto& [button, keys] : {std::pair(Qt::MiddleButton, Qt::KeyboardModifiers()),
                                       std::pair(Qt::LeftButton, Qt::KeyboardModifiers(Qt::ShiftModifier))}) {
        const auto now = view_.window();
        drag(from, to, button, keys);  // two cells of 20 are one of 10
        EXPECT_NEAR(view_.window().column, now.column + 1, 0.1);
        EXPECT_NEAR(view_.window().row, now.row + 0.5, 0.1);
    }
    drag(from, from + QPoint(4000, 4000), Qt::MiddleButton);
    EXPECT_EQ(view_.window().column, 0) << "not beyond the edge";
}

TEST_F(MatrixViewTest, KeysMoveTheCellAndTheViewWithIt) {
    view_.moveChosen({1, 0});
    EXPECT_EQ(view_.chosen(), QPoint(0, 0)) << "begins in the view";
    view_.moveChosen({1, 0});
    view_.moveChosen({0, 1});
    EXPECT_EQ(view_.chosen(), QPoint(1, 1));
    view_.moveChosen({-5, 0});
    EXPECT_EQ(view_.chosen(), QPoint(0, 1));
    view_.zoom(4);
    EXPECT_EQ(view_.window().count, 5);
    for (int i = 0; i < 12; ++i) view_.moveChosen({1, 0});
    EXPECT_EQ(view_.chosen(), QPoint(12, 1));
    EXPECT_EQ(view_.window().column, 8) << "the cell is the last one in view";
    view_.zoom(100);
    EXPECT_EQ(view_.window().count, 4) << "maximum zoom";
    view_.showAll();
    EXPECT_EQ(view_.window().count, kRows);
}

}  // namespace
}  // namespace kurve::views
