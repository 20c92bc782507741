#pragma once

#include "views/common/qcustomplot.h"

namespace kurve::views {

/// Of the axis in pixels. A plot chooses its ticks before it lays itself out: where the axis rectangle is the
/// plot's own, this goes by the plot's size and not by the old rectangle.
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
    [[nodiscard]] double roomOf(double tick);  ///< of its label along the axis, pixels

    const QCPAxis& axis_;
};

}  // namespace kurve::views
