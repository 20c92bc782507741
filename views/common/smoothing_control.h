#pragma once

#include <QJsonValue>
#include <QString>
#include <QWidget>

#include "core/series/smoothing.h"

class QComboBox;
class QSlider;

namespace kurve::views {

/// As a chart names it: "EMA 0.94", "median of 17 points"; empty if it is off.
[[nodiscard]] QString smoothingName(const series::Smoothing& smoothing);

/// How curves are smoothed: not at all, by a debiased moving average or by a windowed median, and how
/// strongly.
class SmoothingControl : public QWidget {
    Q_OBJECT
public:
    /// `owner`: the first part of the object names; `strength`: 0 … 99.
    SmoothingControl(const QString& owner, int strength, QWidget* parent = nullptr);
    [[nodiscard]] series::Smoothing smoothing() const;
    [[nodiscard]] QJsonValue save() const;
    void restore(const QJsonValue& saved);  ///< also the number of an earlier version; emits if it differs

Q_SIGNALS:
    void changed();

private:
    void tell();

    QComboBox* kind_;
    QSlider* strength_;
};

}  // namespace kurve::views
