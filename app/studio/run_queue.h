#pragma once

#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <map>

#include "app/studio/run_control.h"
#include "app/studio/state_file.h"
#include "core/base/result.h"
#include "views/common/engine_info.h"
#include "views/launch/queue_state.h"

namespace kurve::studio {

/// The project's queue: starts trainings when their device has capacity, and records how they end. Saved in
/// queue.json of the project; the studio must be open for the next one to start. Of several studios on one
/// project only the first runs the queue. GUI thread.
class RunQueue : public QObject {
    Q_OBJECT
public:
    RunQueue(const store::Project& project, RunControl& control, views::RunCatalog& catalog,
             const views::EngineInfo& engine, QObject* parent = nullptr);

    [[nodiscard]] const views::QueueState& state() const { return state_; }
    /// Another studio runs this project's queue: nothing can be changed here until it has closed, which is
    /// noticed within seconds; changed() follows.
    [[nodiscard]] bool isElsewhere() const { return elsewhere_; }
    /// Appends; assigns ids.
    void add(std::vector<views::QueueItem> items);
    void edit(const views::QueueEdit& edit);
    /// The live runs that occupy a device, also those that were not started by the queue.
    [[nodiscard]] std::vector<views::DeviceOccupant> occupants() const;
    /// How many would start automatically while this studio is open.
    [[nodiscard]] int waiting() const;
    /// The engine's arguments for `item` as it was queued, also if its experiment's file has changed since.
    /// Errors: those of reading it as it is now; draft.family.
    [[nodiscard]] Result<QStringList> wordsOf(const views::QueueItem& item) const;

public Q_SLOTS:
    /// Records what has ended and starts what may start.
    void advance();

Q_SIGNALS:
    void changed();
    void message(const QString& text);

private:
    void follow(views::QueueItem& item);
    void launch();
    void saveChanges();
    void takeOver();
    [[nodiscard]] std::map<QString, int> busyByDevice() const;

    const std::filesystem::path folder_;  ///< the project's
    RunControl& control_;
    views::RunCatalog& catalog_;
    const views::EngineInfo& engine_;
    views::QueueState state_;
    QLockFile lock_;  ///< before the file: taken before it is read
    StateFile file_;
    bool elsewhere_ = false;
    QTimer retry_;          ///< only while it is elsewhere
    QStringList starting_;  ///< items whose start is being saved before it happens
};

}  // namespace kurve::studio
