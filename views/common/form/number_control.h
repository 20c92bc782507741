#pragma once

#include <QDoubleSpinBox>
#include <QWidget>

class QSlider;

namespace kurve::views {

/// A spin box that shows a number as briefly as it can.
class NumberBox : public QDoubleSpinBox {
    Q_OBJECT
public:
    using QDoubleSpinBox::QDoubleSpinBox;
    QString textFromValue(double value) const override;
};

/// A slider and a spin box for one number. The slider is for exploring, the box for exact values.
class NumberControl : public QWidget {
    Q_OBJECT
public:
    enum class Scale : unsigned char {
        Linear,
        Logarithmic,   ///< needs a positive minimum
        FineNearZero,  ///< cubic from the minimum
    };
    struct Range {
        double low = 0, high = 1;
        double step = 0.01;  ///< of the arrow keys; 1 with decimals 0 for whole numbers
        int decimals = 2;
        Scale scale = Scale::Linear;
        double sliderHigh = 0;  ///< where the slider ends; 0 = high. The box goes on.
    };
    NumberControl(const QString& id, const QString& name, const Range& range, QWidget* parent = nullptr);
    [[nodiscard]] double value() const;
    [[nodiscard]] QDoubleSpinBox* box() const { return box_; }
    void setValue(double value);  ///< emits valueChanged if it differs

Q_SIGNALS:
    void valueChanged(double value);

private:
    void fromSlider(int position);
    void toSlider(double value);

    Range range_;
    QSlider* slider_;
    NumberBox* box_;
};

}  // namespace kurve::views
