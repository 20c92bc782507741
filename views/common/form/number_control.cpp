#include "views/common/form/number_control.h"

#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kTicks = 1000;

double fractionOf(const NumberControl::Range& range, double value) {
    const double low = range.low, high = range.sliderHigh;
    value = std::clamp(value, low, high);
    switch (range.scale) {
        case NumberControl::Scale::Linear:
            return (value - low) / (high - low);
        case NumberControl::Scale::Logarithmic:
            return std::log(value / low) / std::log(high / low);
        case NumberControl::Scale::FineNearZero:
            return std::cbrt((value - low) / (high - low));
    }
    return 0;
}

double valueOf(const NumberControl::Range& range, double fraction) {
    const double low = range.low, high = range.sliderHigh;
    switch (range.scale) {
        case NumberControl::Scale::Linear:
            return low + fraction * (high - low);
        case NumberControl::Scale::Logarithmic:
            return low * std::pow(high / low, fraction);
        case NumberControl::Scale::FineNearZero:
            return low + std::pow(fraction, 3) * (high - low);
    }
    return low;
}

/// Two significant digits are as fine as a slider should be.
double rounded(const NumberControl::Range& range, double value) {
    if (range.scale == NumberControl::Scale::Linear) return std::round(value / range.step) * range.step;
    if (value == 0) return 0;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 1);
    return std::round(value / unit) * unit;
}

}  // namespace

QString NumberBox::textFromValue(double value) const {
    return QString::number(value, 'g', 6);
}

NumberControl::NumberControl(const QString& id, const QString& name, const Range& range, QWidget* parent)
    : QWidget(parent), range_(range), slider_(new QSlider(Qt::Horizontal)), box_(new NumberBox) {
    if (range_.sliderHigh <= 0) range_.sliderHigh = range_.high;
    describe(slider_, id + QStringLiteral(".slider"), name);
    slider_->setRange(0, kTicks);
    slider_->setMinimumWidth(px(60));
    describe(box_, id, name);
    box_->setLocale(QLocale::c());
    box_->setDecimals(range.decimals);
    box_->setRange(range.low, range.high);
    box_->setSingleStep(range.step);
    box_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box_->setKeyboardTracking(false);
    box_->setAlignment(Qt::AlignRight);
    box_->setFixedWidth(px(70));
    setFocusProxy(box_);
    hboxIn(this, {{slider_, 1}, box_}, {.margins = 0, .spacing = space::kSmall});
    connect(slider_, &QSlider::valueChanged, this, &NumberControl::fromSlider);
    connect(box_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        toSlider(value);
        Q_EMIT valueChanged(value);
    });
    toSlider(box_->value());
}

double NumberControl::value() const {
    return box_->value();
}

void NumberControl::setValue(double value) {
    box_->setValue(value);
    toSlider(box_->value());
}

void NumberControl::fromSlider(int position) {
    const QSignalBlocker quiet(slider_);  // the box's rounding must not pull the handle from under the mouse
    const double value = rounded(range_, valueOf(range_, static_cast<double>(position) / kTicks));
    box_->setValue(value);
    slider_->setValue(position);
}

void NumberControl::toSlider(double value) {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(static_cast<int>(std::lround(fractionOf(range_, value) * kTicks)));
}

}  // namespace kurve::views
