#pragma once

#include <QFrame>

#include "views/common/axis_limits.h"

class QLabel;
class QLineEdit;

namespace kurve::views {

/// Two fields over a chart for where an axis begins and ends. Enter takes what is written, Esc leaves all as
/// it was, a click elsewhere takes it if it can be taken. Made for one use: it goes when it is done.
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
    /// Leaves without taking what is written.
    void cancel();

Q_SIGNALS:
    void chosen(const AxisLimits& limits);
    void finished();  ///< also after cancel(), while it still has the focus if it had it

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void fill(const AxisLimits& limits);
    /// False, with the reason in sight, if it cannot be taken.
    bool take();
    void finish();

    Axis axis_;
    QLineEdit *from_, *to_;
    QLabel* problem_;
    bool done_ = false;
};

}  // namespace kurve::views
