#pragma once

#include <vector>

#include "views/common/chart/plot_card.h"

namespace kurve::views {

/// Bars of a histogram of lengths: `width` words a bar (1 up to 60 different lengths), counts from 0 upwards.
struct LengthHistogram {
    int width = 1;
    std::vector<double> counts;
};
[[nodiscard]] LengthHistogram lengthHistogram(const std::vector<int>& lengths, int longest);

/// Histogram of lengths in words (or tokens), source next to target; of texts without a source theirs alone.
class LengthChart : public PlotCard {
    Q_OBJECT
public:
    explicit LengthChart(QWidget* parent = nullptr);
    void setLengths(const std::vector<int>& source, const std::vector<int>& target);
    /// Unit of the lengths, the longest side in training (a dashed line; 0 for none), and what has the
    /// lengths.
    void setUnit(const QString& unit, int longest, const QString& of);

private:
    void draw();

    LengthHistogram source_, target_;
    int limit_ = 0;
};

}  // namespace kurve::views
