#pragma once

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// The length of the axis in pixels after the next layout: a plot chooses its ticks before. For the plot's
/// own axis rectangle it is computed from the plot's size.
[[nodiscard]] double lengthToCome(const QCPAxis& axis);

/// Round ticks of a linear axis, as many as wanted and never so many that their labels touch.
class LinearTicker : public QCPAxisTicker {
public:
    /// `axis` is the one it is set to.
    explicit LinearTicker(const QCPAxis& axis) : axis_(axis) {}

protected:
    double getTickStep(const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

private:
    [[nodiscard]] double labelLength(double tick);  ///< along the axis, pixels

    const QCPAxis& axis_;
};

}  // namespace kurve::views
