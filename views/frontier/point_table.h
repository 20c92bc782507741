#pragma once

#include <QTableWidget>

#include "views/frontier/frontier_chart.h"

namespace kurve::views {

/// The selected points as a table: settings, both numbers with their intervals, cost, and how far each is
/// from the best of them in quality, with "not distinguishable" where the interval says so.
class PointTable : public QTableWidget {
    Q_OBJECT
public:
    explicit PointTable(QWidget* parent = nullptr);
    void show(const Plane& plane, const std::vector<FrontierChart::PointIndex>& indices,
              const QString& qualityTitle, const QString& diversityTitle);
};

/// The runs' fronts as a table: hypervolume, and the diversity of their best point minus that of the
/// references.
class FrontTable : public QTableWidget {
    Q_OBJECT
public:
    explicit FrontTable(QWidget* parent = nullptr);
    void show(const Plane& plane);
};

/// " [low, high]"; empty: it has no interval.
[[nodiscard]] QString intervalText(const frontier::Estimate& e);
/// Milliseconds per output.
[[nodiscard]] double outputMilliseconds(const frontier::SweepPoint& point);

}  // namespace kurve::views
