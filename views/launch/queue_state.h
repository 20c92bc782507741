#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

namespace kurve::views {

/// A training that waits for its turn, has it, or had it.
struct QueueItem {
    enum class State : unsigned char { Waiting, Held, Running, Completed, Cancelled, Failed };
    QString id, title;
    QStringList words;  ///< for the engine: "train", file, "--set", …; without the run's id and the project
    QString device;     ///< as --device takes it; empty = the engine's choice
    QString after;      ///< id of the item that must have completed first; empty = none
    QString run;        ///< the run that it became or goes on with; empty until it has its turn
    QString reason;     ///< how it ended
    /// What the experiment's file said when it was queued, which is what it trains; empty: what it says then.
    QString experiment = {};
    State state = State::Waiting;

    [[nodiscard]] bool hasEnded() const { return state >= State::Completed; }
};

/// A live run that has a place on a device, the queue's own or started by hand.
struct PlaceHolder {
    QString run, title, device;
    bool paused = false;
};

/// Everything a queue is; a value that is kept with the project.
struct QueueState {
    std::vector<QueueItem> items;     ///< first come, first served
    std::map<QString, int> parallel;  ///< how many may run on a device at once; 1 where it is missing
    bool paused = false;              ///< nothing new is started; what runs goes on

    [[nodiscard]] const QueueItem* find(const QString& id) const;
    [[nodiscard]] int parallelOn(const QString& device) const;
    /// Items that may start now, in order. `busy`: live runs of each device, the queue's own included;
    /// `usual`: the device that the engine chooses by itself.
    [[nodiscard]] QStringList startable(std::map<QString, int> busy, const QString& usual) const;
    /// Why a waiting item waits for another ("after tiny, which failed"); empty if it does not.
    [[nodiscard]] QString waitsFor(const QueueItem& item) const;
    /// The paused run behind which an item waits for a place; none where nothing or only what trains is in
    /// its way. `usual`: as in startable().
    [[nodiscard]] std::optional<PlaceHolder> pausedBefore(const QueueItem& item,
                                                          const std::vector<PlaceHolder>& holders,
                                                          const QString& usual) const;
    /// Why a waiting item has not begun, and the way out where it would wait for ever.
    [[nodiscard]] QString whyWaiting(const QueueItem& item, const std::vector<PlaceHolder>& holders,
                                     const QString& usual) const;

    /// Without --force: a start that was refused for want of memory is insisted on once, not for ever.
    [[nodiscard]] QJsonObject toJson() const;
    /// Entries that are damaged, or no trainings, are left out.
    [[nodiscard]] static QueueState fromJson(const QJsonObject& json);
};

/// A wish of the person at the queue.
struct QueueEdit {
    enum class Kind : unsigned char {
        Order,     ///< ids: the new order of all items
        Hold,      ///< ids wait until they are released
        Release,   ///< ids
        Again,     ///< ids that have ended wait for another turn, as new runs; one that failed takes the
                   ///< experiment's file as it is then
        Remove,    ///< ids that do not run
        Device,    ///< ids, text: the device
        After,     ///< ids, text: the item they follow, or empty
        Pause,     ///< number: 1 = start nothing new
        Parallel,  ///< text: a device, number: how many at once
        Tidy,      ///< what has ended goes
    };
    Kind kind = Kind::Order;
    QStringList ids;
    QString text;
    int number = 0;
};
/// What cannot be done (to remove what runs, to wait for oneself) is left out.
void apply(const QueueEdit& edit, QueueState& state);

}  // namespace kurve::views
