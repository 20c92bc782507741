#pragma once

#include <QTableWidget>

#include "views/frontier/frontier_chart.h"

namespace kurve::views {

/// The gathered dots as a table: settings, both numbers with their intervals, cost, and how far each is from
/// the best of them in quality, with "not distinguishable" where the interval says so.
class DotTable : public QTableWidget {
    Q_OBJECT
public:
    explicit DotTable(QWidget* parent = nullptr);
    void show(const Plane& plane, const std::vector<FrontierChart::Place>& dots, const QString& qualityTitle,
              const QString& diversityTitle);
};

/// The runs' fronts as a table: hypervolume, and how much less varied than the references their best dot is.
class FrontTable : public QTableWidget {
    Q_OBJECT
public:
    explicit FrontTable(QWidget* parent = nullptr);
    void show(const Plane& plane);
};

/// Milliseconds an output.
[[nodiscard]] double outputMilliseconds(const frontier::SweepPoint& point);

}  // namespace kurve::views
