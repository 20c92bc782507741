#pragma once

#include <QJsonValue>
#include <QString>
#include <QWidget>

#include "core/series/smoothing.h"

class QComboBox;
class QSlider;

namespace kurve::views {

/// Name of the smoothing: "EMA 0.94", "median of 17 points"; empty if it is off.
[[nodiscard]] QString smoothingName(const series::Smoothing& smoothing);

/// Smoothing of curves: none, debiased moving average or windowed median, and its strength.
class SmoothingControl : public QWidget {
    Q_OBJECT
public:
    /// `owner`: the first part of the object names; `strength`: 0 … 99.
    SmoothingControl(const QString& owner, int strength, QWidget* parent = nullptr);
    [[nodiscard]] series::Smoothing smoothing() const;
    [[nodiscard]] QJsonValue save() const;
    void restore(const QJsonValue& saved);  ///< emits if it differs

Q_SIGNALS:
    void changed();

private:
    void tell();

    QComboBox* kind_;
    QSlider* strength_;
};

}  // namespace kurve::views
