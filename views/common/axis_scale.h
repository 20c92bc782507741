#pragma once

#include <span>
#include <vector>

class QCPAxis;

namespace kurve::views {

/// How values lie along one axis of a plot: as they are, logarithmic, or symmetric logarithmic (both signs,
/// zero in the middle). A plot is given places, which are the values but on a symmetric logarithmic axis.
class AxisScale {
public:
    enum class Kind : unsigned char { Linear, Log, SymLog };
    explicit AxisScale(QCPAxis* axis) : axis_(axis) {}

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool isLog() const { return kind_ == Kind::Log; }
    /// Sets the axis' scale and ticks; `largest` is the largest magnitude to be shown. What was placed before
    /// must be placed again if either scale is symmetric.
    void set(Kind kind, double largest);
    [[nodiscard]] double toPlace(double value) const;
    [[nodiscard]] double toValue(double place) const;
    [[nodiscard]] std::vector<double> toPlaces(std::span<const double> values) const;

private:
    QCPAxis* axis_;
    Kind kind_ = Kind::Linear;
    double unit_ = 1;
};

}  // namespace kurve::views
