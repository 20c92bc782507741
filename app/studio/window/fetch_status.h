#pragma once

#include <QToolButton>

#include "app/studio/services/machine_service.h"

namespace kurve::studio {

/// In the status bar: the progress of fetching checkpoints; a click cancels it. Hidden otherwise.
class FetchStatus : public QToolButton {
    Q_OBJECT
public:
    explicit FetchStatus(MachineService& service);

private:
    void show(const QString& status);
};

}  // namespace kurve::studio
