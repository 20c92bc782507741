#include "views/common/chart/axis_scale.h"

#include "views/common/chart/plot_style.h"
#include "views/common/chart/symlog.h"

namespace kurve::views {

void AxisScale::set(Kind kind, double largest) {
    setAxisLog(axis_, kind == Kind::Log);
    if (kind == Kind::SymLog) {
        unit_ = symlogUnit(largest);
        axis_->setTicker(QSharedPointer<SymlogTicker>::create(unit_));
    } else if (kind_ == Kind::SymLog && kind == Kind::Linear) {
        setLinearTicks(axis_);
    }
    kind_ = kind;
}

double AxisScale::toCoord(double value) const {
    return kind_ == Kind::SymLog ? symlog(value, unit_) : value;
}

double AxisScale::toValue(double coord) const {
    return kind_ == Kind::SymLog ? symlogInverse(coord, unit_) : coord;
}

std::vector<double> AxisScale::toCoords(std::span<const double> values) const {
    std::vector<double> coords(values.begin(), values.end());
    if (kind_ == Kind::SymLog)
        for (double& value : coords) value = symlog(value, unit_);
    return coords;
}

}  // namespace kurve::views
