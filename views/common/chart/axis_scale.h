#pragma once

#include <span>
#include <vector>

class QCPAxis;

namespace kurve::views {

/// The scale of one axis of a plot: linear, logarithmic, or symmetric logarithmic (both signs, zero in the
/// middle). The coordinates of the plot are the values, except on a symmetric logarithmic axis.
class AxisScale {
public:
    enum class Kind : unsigned char { Linear, Log, SymLog };
    explicit AxisScale(QCPAxis* axis) : axis_(axis) {}

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool isLog() const { return kind_ == Kind::Log; }
    [[nodiscard]] bool showsValues() const { return kind_ != Kind::SymLog; }  ///< toCoord() changes nothing
    /// Sets the axis' scale and ticks; `largest` is the largest magnitude to be shown. Coordinates must be
    /// recomputed if either scale is symmetric.
    void set(Kind kind, double largest);
    [[nodiscard]] double toCoord(double value) const;
    [[nodiscard]] double toValue(double coord) const;
    [[nodiscard]] std::vector<double> toCoords(std::span<const double> values) const;

private:
    QCPAxis* axis_;
    Kind kind_ = Kind::Linear;
    double unit_ = 1;
};

}  // namespace kurve::views
