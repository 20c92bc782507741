#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace kurve::views {

/// What a training of so many processes (--nproc) on `device` occupies: on GPUs one each, from the first on.
[[nodiscard]] QStringList occupiedDevices(const QString& device, int processes);

/// An entry of the queue: a training that waits, runs or has ended.
struct QueueItem {
    enum class State : unsigned char { Waiting, Held, Running, Completed, Cancelled, Failed };
    QString id, title;
    QStringList words;  ///< for the engine: "train", file, "--set", "--nproc", …; without the run's id and
                        ///< the project
    QString device;     ///< as --device takes it; empty = the engine's choice
    QString after;      ///< id of the item that must have completed first; empty = none
    QString run;        ///< its run; empty until it has started, unless its name is given
    QString reason;     ///< how it ended
    /// The text of the experiment's file when it was queued, which it trains; empty: the file when it starts.
    QString experiment = {};
    QString machine = {};  ///< of machines.toml, which trains it; empty: this one
    State state = State::Waiting;

    /// What it occupies: devices here (of `automatic` if none is named), or the other machine as a whole.
    [[nodiscard]] QStringList devices(const QString& automatic) const;
    [[nodiscard]] bool hasEnded() const { return state >= State::Completed; }
};

/// "waiting"; from "running" on as of a run.
[[nodiscard]] const char* stateId(QueueItem::State state);

/// A live run that occupies a device, from the queue or started by the user; one that occupies several is
/// there once for each.
struct DeviceOccupant {
    QString run, title, device;
    bool paused = false;
};

/// The state of the queue, saved with the project.
struct QueueState {
    std::vector<QueueItem> items;     ///< first come, first served
    std::map<QString, int> parallel;  ///< how many may run on a device at once; 1 where it is missing
    bool paused = false;              ///< no new runs are started
    QString folder = {};              ///< inode of the project's folder that these entries wait in

    [[nodiscard]] const QueueItem* find(const QString& id) const;
    [[nodiscard]] int parallelOn(const QString& device) const;
    /// Items that may start now, in order: none takes a device for which an earlier one waits. `busy`: live
    /// runs of each device, the queue's own included; `automatic`: the device that the engine chooses by
    /// itself.
    [[nodiscard]] QStringList startable(std::map<QString, int> busy, const QString& automatic) const;
    /// Why an item waits for another ("after tiny, which failed"); empty if it does not.
    [[nodiscard]] QString waitsFor(const QueueItem& item) const;
    /// The paused run that blocks an item; none where no run or only training ones do. `automatic`: as in
    /// startable().
    [[nodiscard]] std::optional<DeviceOccupant> blockingRun(const QueueItem& item,
                                                            const std::vector<DeviceOccupant>& occupants,
                                                            const QString& automatic) const;
    /// Why a waiting item has not started, and what to do where it would wait for ever.
    [[nodiscard]] QString whyWaiting(const QueueItem& item, const std::vector<DeviceOccupant>& occupants,
                                     const QString& automatic) const;

    /// Without --force, which holds for one start only.
    [[nodiscard]] QJsonObject toJson() const;
    /// Skips entries that are damaged or no trainings.
    [[nodiscard]] static QueueState fromJson(const QJsonObject& json);
};

/// A user's edit of the queue.
struct QueueEdit {
    enum class Kind : unsigned char {
        Order,       ///< ids: the new order of all items
        Hold,        ///< ids wait until they are released
        Release,     ///< ids
        Requeue,     ///< ids that have ended wait again, as new runs; one that failed reads the
                     ///< experiment's file when it starts
        Remove,      ///< ids that do not run; what waits for one that did not complete is held
        Device,      ///< ids, text: the device
        After,       ///< ids, text: the item they follow, or empty
        Pause,       ///< number: 1 = start no new runs
        Parallel,    ///< text: a device, number: concurrent runs
        ClearEnded,  ///< remove ended items
    };
    Kind kind = Kind::Order;
    QStringList ids;
    QString text;
    int number = 0;
};
/// Skips what is impossible (removing running items, waiting for oneself).
void apply(const QueueEdit& edit, QueueState& state);

}  // namespace kurve::views
