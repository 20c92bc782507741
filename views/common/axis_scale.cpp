#include "views/common/axis_scale.h"

#include "views/common/plot_style.h"
#include "views/common/symlog.h"

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

double AxisScale::toPlace(double value) const {
    return kind_ == Kind::SymLog ? symlog(value, unit_) : value;
}

double AxisScale::toValue(double place) const {
    return kind_ == Kind::SymLog ? symlogInverse(place, unit_) : place;
}

std::vector<double> AxisScale::toPlaces(std::span<const double> values) const {
    std::vector<double> places(values.begin(), values.end());
    if (kind_ == Kind::SymLog)
        for (double& value : places) value = symlog(value, unit_);
    return places;
}

}  // namespace kurve::views
