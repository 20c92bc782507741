#pragma once

#include <QWidget>
#include <vector>

class QCPBars;
class QCPItemStraightLine;
class QCustomPlot;

namespace kurve::views {

/// Histogram of sentence lengths in words (or tokens), source next to target.
class LengthChart : public QWidget {
    Q_OBJECT
public:
    explicit LengthChart(QWidget* parent = nullptr);
    void setLengths(const std::vector<int>& source, const std::vector<int>& target);
    /// Unit of the lengths, and the longest side in training (a dashed line; 0 for none).
    void setUnit(const QString& unit, int longest);

private:
    void restyle();
    QCustomPlot* plot_;
    QCPBars *source_, *target_;
    QCPItemStraightLine* limit_;
};

/// Bars of a histogram of lengths: `width` words a bar (1 up to 60 different lengths), counts from 0 upwards.
struct LengthHistogram {
    int width = 1;
    std::vector<double> counts;
};
[[nodiscard]] LengthHistogram lengthHistogram(const std::vector<int>& lengths, int longest);

}  // namespace kurve::views
