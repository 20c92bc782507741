#include "views/common/chart/smoothing_control.h"

#include <QComboBox>
#include <QJsonArray>
#include <QSlider>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/saved_choice.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

using SmoothingKind = series::Smoothing::Kind;

namespace {

constexpr ChoiceIds<3> kKindIds{"none", "ema", "median"};

}  // namespace

QString smoothingName(const series::Smoothing& smoothing) {
    if (!smoothing.isOn()) return {};
    if (smoothing.kind == SmoothingKind::Median)
        return SmoothingControl::tr("median of %1 points").arg(smoothing.medianPoints());
    return SmoothingControl::tr("EMA %1").arg(smoothing.strength, 0, 'f', 2);
}

SmoothingControl::SmoothingControl(const QString& owner, int strength, QWidget* parent)
    : QWidget(parent), kind_(new QComboBox), strength_(new QSlider(Qt::Horizontal)) {
    describe(kind_, owner + QStringLiteral(".smoothing_kind"), tr("Smoothing of the curves"),
             tr("Smoothing of the curves; raw points stay visible"));
    kind_->addItem(tr("raw"), static_cast<int>(SmoothingKind::None));
    kind_->addItem(tr("average"), static_cast<int>(SmoothingKind::Ema));
    kind_->addItem(tr("median"), static_cast<int>(SmoothingKind::Median));
    kind_->setItemData(1, tr("Debiased exponential moving average"), Qt::ToolTipRole);
    kind_->setItemData(2, tr("Median of a window of points"), Qt::ToolTipRole);
    kind_->setCurrentIndex(1);
    describe(strength_, owner + QStringLiteral(".smoothing"), tr("Smoothing strength, 0 to 99 percent"));
    strength_->setRange(0, 99);
    strength_->setValue(strength);
    strength_->setFixedWidth(px(72));
    hboxIn(this, {kind_, strength_}, {.margins = 0, .spacing = space::kTight});
    connect(kind_, &QComboBox::currentIndexChanged, this, &SmoothingControl::tell);
    connect(strength_, &QSlider::valueChanged, this, &SmoothingControl::tell);
    tell();
}

series::Smoothing SmoothingControl::smoothing() const {
    return {static_cast<SmoothingKind>(kind_->currentData().toInt()), strength_->value() / 100.0};
}

void SmoothingControl::tell() {
    const series::Smoothing now = smoothing();
    strength_->setEnabled(now.kind != SmoothingKind::None);
    const QString name = smoothingName(now);
    strength_->setToolTip(name.isEmpty() ? tr("Smoothing strength") : name);
    Q_EMIT changed();
}

QJsonValue SmoothingControl::save() const {
    return QJsonArray{savedChoice(kKindIds, kind_->currentIndex()), strength_->value()};
}

void SmoothingControl::restore(const QJsonValue& saved) {
    if (!saved.isArray()) return;
    kind_->setCurrentIndex(choiceOf(kKindIds, saved[0], 1));
    strength_->setValue(saved[1].toInt(strength_->value()));
}

}  // namespace kurve::views
