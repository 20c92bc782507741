#pragma once

#include <QWidget>

#include "views/common/services/machines.h"

class QLabel;
class QPushButton;

namespace kurve::views {

/// What `kurve machines check` told of a machine: version, devices, disk; or the error and its remedy, which
/// can be copied.
class CheckView : public QWidget {
    Q_OBJECT
public:
    explicit CheckView(QWidget* parent = nullptr);
    void show(const Machines::Answer& answer);
    /// The same in a few words, for a list: "kurve 0.9, 2 devices, 410 GB free".
    [[nodiscard]] static QString summary(const Machines::Answer& answer);

Q_SIGNALS:
    void checkRequested();

private:
    QLabel *facts_, *problem_, *remedy_;
    QPushButton *check_, *copy_;
};

}  // namespace kurve::views
