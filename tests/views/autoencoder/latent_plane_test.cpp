#include "views/autoencoder/latent_plane.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/gui_app.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

ReconstructedChunk chunk(std::vector<float> mean, std::vector<float> latent = {}) {
    if (latent.empty()) latent = mean;
    return {{{"a", "a", true, true}}, 0.1, std::move(mean), std::move(latent)};
}

class LatentPlaneTest : public ::testing::Test {
protected:
    LatentPlaneTest() {
        applyTheme(ThemeMode::Light, 1.0);
        plane_.resize(400, 300);
        plane_.show();
    }
    bool fitted() {
        return test::waitFor([&] { return plane_.basis().has_value(); });
    }
    /// Coordinates of chunk `row` in the exported table.
    [[nodiscard]] std::array<double, 2> at(std::size_t row) const {
        const auto cells = plane_.tables()[0].rows[row];
        return {std::get<double>(cells[2]), std::get<double>(cells[3])};
    }
    QApplication& app_ = test::guiApp();
    LatentPlane plane_;
};

TEST_F(LatentPlaneTest, IsThePlaneOfTheLargestVariances) {
    // 9 along the second dimension, 4 along the first, 0 along the third: 90 % and 10 % of the variance.
    plane_.setChunks({chunk({1, 3, 5}), chunk({-1, 3, 5}), chunk({1, -3, 5}), chunk({-1, -3, 5})});
    ASSERT_TRUE(fitted());
    EXPECT_NEAR(plane_.basis()->explained[0], 0.9, 1e-6);
    EXPECT_NEAR(plane_.basis()->explained[1], 0.1, 1e-6);
    EXPECT_NEAR(at(0)[0], 3, 1e-5);
    EXPECT_NEAR(at(0)[1], 1, 1e-5);
}

TEST_F(LatentPlaneTest, AxesStayUntilTheyAreFittedAnew) {
    plane_.setChunks({chunk({1, 0}), chunk({-1, 0})});
    ASSERT_TRUE(fitted());
    plane_.setChunks({chunk({0, 4}), chunk({0, -4}), chunk({1, 0})});
    test::waitFor([] { return false; }, 50);
    EXPECT_NEAR(at(2)[0], 1, 1e-6) << "another text moved the axes";
    EXPECT_NEAR(at(0)[0], 0, 1e-6);
    plane_.refit();
    ASSERT_TRUE(test::waitFor([&] { return std::abs(at(0)[0]) > 3; })) << "the axes of the new text";
}

TEST_F(LatentPlaneTest, OtherWeightsHaveOtherAxes) {
    plane_.setChunks({chunk({1, 0}), chunk({-1, 0})});
    ASSERT_TRUE(fitted());
    plane_.reset();
    EXPECT_FALSE(plane_.basis());
    plane_.setChunks({chunk({0, 4}), chunk({0, -4})});
    ASSERT_TRUE(fitted());
    EXPECT_NEAR(at(0)[0], 4, 1e-6);
}

TEST_F(LatentPlaneTest, NoiseMovesThePointsAndNotTheAxes) {
    plane_.setChunks({chunk({2, 0}), chunk({-2, 0}), chunk({0, 1}), chunk({0, -1})});
    ASSERT_TRUE(fitted());
    plane_.setChunks({chunk({2, 0}, {1.5, 0.25}), chunk({-2, 0})});
    EXPECT_NEAR(at(0)[0], 1.5, 1e-6);
    EXPECT_NEAR(std::abs(at(0)[1]), 0.25, 1e-6);
}

TEST_F(LatentPlaneTest, AClickChoosesAndShiftTheSecond) {
    plane_.setChunks({chunk({1, 0}), chunk({-1, 0})});
    ASSERT_TRUE(fitted());
    ASSERT_TRUE(test::waitFor([&] { return plane_.plot()->xAxis->range().contains(at(1)[0]); }));
    plane_.plot()->replot();
    QSignalSpy chosen(&plane_, &LatentPlane::chunkChosen);
    const QPoint where(static_cast<int>(plane_.plot()->xAxis->coordToPixel(at(1)[0])),
                       static_cast<int>(plane_.plot()->yAxis->coordToPixel(at(1)[1])));
    QTest::mouseClick(plane_.plot(), Qt::LeftButton, Qt::NoModifier, where);
    QTest::mouseClick(plane_.plot(), Qt::LeftButton, Qt::ShiftModifier, where);
    ASSERT_EQ(chosen.size(), 2);
    EXPECT_EQ(chosen[0], (QVariantList{1, false}));
    EXPECT_EQ(chosen[1], (QVariantList{1, true}));
}

}  // namespace
}  // namespace kurve::views
