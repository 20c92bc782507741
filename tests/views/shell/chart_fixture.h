#pragma once

#include <gtest/gtest.h>

#include <QImage>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/gui_app.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

struct Data {
    std::vector<double> x, y;
};
inline Data wave(int n) {
    Data d;
    for (int i = 0; i < n; ++i) {
        d.x.push_back(i);
        d.y.push_back(1 + 0.1 * std::sin(i * 0.01));
    }
    return d;
}

class ChartTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        chart_ = std::make_unique<LineChart>("chart", "Loss");
        chart_->resize(600, 300);
        chart_->show();
        spec_.style = {QColor(0, 0, 255), Qt::SolidLine, 0};
        spec_.label = "train";
    }
    /// Rows of the plot (from the top) that hold a blueish pixel.
    std::pair<int, int> inkRows() {
        chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
        const QImage image = chart_->plot()->toPixmap().toImage();
        int top = -1, bottom = -1;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor c = image.pixelColor(x, y);
                if (c.blue() > 200 && c.red() < 80 && c.green() < 80) {
                    if (top < 0) top = y;
                    bottom = y;
                }
            }
        return {top, bottom};
    }
    /// From the topmost to the lowest inked row of each pixel column, relative to the plot; first > last: no
    /// ink.
    std::vector<std::pair<int, int>> inkColumns() {
        chart_->plot()->replot(QCustomPlot::rpImmediateRefresh);
        const QImage image = chart_->plot()->toPixmap().toImage();
        std::vector<std::pair<int, int>> columns;
        for (int x = 0; x < image.width(); ++x) {
            columns.emplace_back(image.height(), -1);
            for (int y = 0; y < image.height(); ++y) {
                const QColor c = image.pixelColor(x, y);
                if (c.blue() < c.red() + 100) continue;
                columns.back().first = std::min(columns.back().first, y);
                columns.back().second = y;
            }
        }
        return columns;
    }
    std::unique_ptr<LineChart> chart_;
    CurveSpec spec_;
};

}  // namespace kurve::views
