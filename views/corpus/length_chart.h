#pragma once

#include <QWidget>
#include <vector>

class QCPBars;
class QCustomPlot;

namespace kurve::views {

/// How many sentences have how many words: source upwards, target beside it.
class LengthChart : public QWidget {
    Q_OBJECT
public:
    explicit LengthChart(QWidget* parent = nullptr);
    void setLengths(const std::vector<int>& source, const std::vector<int>& target);

private:
    void restyle();
    QCustomPlot* plot_;
    QCPBars *source_, *target_;
};

/// Bars of a histogram of lengths: `width` words a bar (1 up to 60 different lengths), counts from 0 upwards.
struct LengthHistogram {
    int width = 1;
    std::vector<double> counts;
};
[[nodiscard]] LengthHistogram lengthHistogram(const std::vector<int>& lengths, int longest);

}  // namespace kurve::views
