#pragma once

#include <memory>

#include "core/series/pyramid.h"
#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// A curve of any length drawn exactly: the minimum and maximum of every pixel column, from a pyramid, joined
/// with its neighbours; single points where there are fewer points than pixels. Non-finite points are marked
/// with a small cross at the last finite value; on a log axis values <= 0 get a tick in the bottom gutter,
/// keys <= 0 one in the left. Costs O(pixels), not O(points).
class SeriesPlottable : public QCPAbstractPlottable {
    Q_OBJECT
public:
    SeriesPlottable(QCPAxis* keyAxis, QCPAxis* valueAxis);
    void setPyramid(std::shared_ptr<const series::Pyramid> pyramid) { pyramid_ = std::move(pyramid); }
    [[nodiscard]] const series::Pyramid* pyramid() const { return pyramid_.get(); }
    /// Draws a marker at each point while they lie further apart than this many pixels (0 = never).
    void setMarker(const QCPScatterStyle& marker, double minimumGap);

    double selectTest(const QPointF& pos, bool onlySelectable, QVariant* details = nullptr) const override;
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain = QCP::sdBoth) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain = QCP::sdBoth,
                           const QCPRange& keyRange = QCPRange()) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    void drawKeyGutter(QCPPainter* painter) const;
    void drawPoints(QCPPainter* painter, std::size_t begin, std::size_t end) const;
    void drawColumns(QCPPainter* painter) const;
    void stroke(QCPPainter* painter, const QVector<QPointF>& line) const;
    void drawBad(QCPPainter* painter, const QVector<QPointF>& positions) const;
    [[nodiscard]] bool logValues() const;
    [[nodiscard]] double gutter() const;

    std::shared_ptr<const series::Pyramid> pyramid_;
    QCPScatterStyle marker_;
    double minimumGap_ = 0;
};

}  // namespace kurve::views
