#pragma once

#include "views/common/chart/axis_limits.h"
#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// Glyphs on the axes of a plot, in figures as well: a padlock at every user-set limit, and at the edges the
/// number of points outside.
class AxisGlyphs : public QCPAbstractItem {
    Q_OBJECT
public:
    /// The ends of the axes that have a limit.
    struct Locks {
        bool left = false, right = false, bottom = false, top = false;
        bool operator==(const Locks&) const = default;
    };
    explicit AxisGlyphs(QCustomPlot* plot);
    void set(const Locks& locks, const Outside& outside);
    [[nodiscard]] const Locks& locks() const { return locks_; }
    [[nodiscard]] const Outside& outside() const { return outside_; }
    double selectTest(const QPointF& pos, bool onlySelectable, QVariant* details = nullptr) const override;

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawLock(QCPPainter* painter, const QPointF& centre) const;
    void drawCounts(QCPPainter* painter, const QRectF& area) const;

    Locks locks_;
    Outside outside_;
};

}  // namespace kurve::views
