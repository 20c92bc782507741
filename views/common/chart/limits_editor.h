#pragma once

#include <QFrame>

#include "views/common/chart/axis_limits.h"

class QLabel;
class QLineEdit;

namespace kurve::views {

/// Two fields over a chart for the limits of an axis. Enter accepts, Esc cancels, a click elsewhere accepts
/// valid values. For one use: it deletes itself.
class LimitsEditor : public QFrame {
    Q_OBJECT
public:
    struct Axis {
        QString name;              ///< "y", or what runs along x
        AxisLimits limits, shown;  ///< those set, and what the axis shows now
        LimitForm form = LimitForm::Number;
        LimitValues values = LimitValues::All;
    };
    LimitsEditor(const QString& id, Axis axis, QWidget* chart);
    /// Closes as it is.
    void finish();

Q_SIGNALS:
    void chosen(const AxisLimits& limits);
    void finished();  ///< while it still has the focus if it had it

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void fill(const AxisLimits& limits);
    /// False, with the error shown, if the values are invalid.
    bool accept();

    Axis axis_;
    QLineEdit *from_, *to_;
    QLabel* problem_;
    bool done_ = false;
};

}  // namespace kurve::views
