#pragma once

#include <QObject>

#include "views/launch/queue_state.h"

namespace kurve::views {

/// The project's queue of trainings.
class Queue : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const QueueState& state() const { return state_; }
    /// Another studio runs this project's queue: nothing can be changed here until it has closed, which is
    /// noticed within seconds; changed() follows.
    [[nodiscard]] virtual bool isElsewhere() const { return false; }
    /// The live runs that occupy a device, also those that were not started by the queue.
    [[nodiscard]] virtual std::vector<DeviceOccupant> occupants() const { return {}; }
    /// Appends; assigns ids.
    virtual void add(std::vector<QueueItem> /*items*/) {}
    virtual void edit(const QueueEdit& /*edit*/) {}

Q_SIGNALS:
    void changed();

protected:
    QueueState state_;
};

}  // namespace kurve::views
