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

/// The project's queue: starts trainings when a place on their device is free, and follows how they end. Kept
/// in queue.json of the project, so that it outlives the studio; the studio must be open for the next one to
/// start. Of several studios on one project only the first runs the queue. GUI thread.
class RunQueue : public QObject {
    Q_OBJECT
public:
    RunQueue(const store::Project& project, RunControl& control, views::RunCatalog& catalog,
             const views::EngineInfo& engine, QObject* parent = nullptr);

    [[nodiscard]] const views::QueueState& state() const { return state_; }
    /// Another studio runs this project's queue: nothing can be changed here until that one has closed, which
    /// is noticed within seconds; changed() says so.
    [[nodiscard]] bool isElsewhere() const { return elsewhere_; }
    /// Appends; ids are given here.
    void add(std::vector<views::QueueItem> items);
    void edit(const views::QueueEdit& edit);
    /// The live runs that have a place on a device. Those that were started by hand have one as well: two
    /// trainings on one device slow each other down.
    [[nodiscard]] std::vector<views::PlaceHolder> holders() const;
    /// How many would start by themselves as long as this studio is open.
    [[nodiscard]] int waiting() const;
    /// The engine's words for `item` as it was queued, whatever became of its experiment's file since.
    /// Errors: those of reading it as it is now; draft.family.
    [[nodiscard]] Result<QStringList> wordsOf(const views::QueueItem& item) const;

public Q_SLOTS:
    /// Looks what has ended and starts what may start.
    void advance();

Q_SIGNALS:
    void changed();
    void message(const QString& text);

private:
    void follow(views::QueueItem& item);
    void launch();
    void changedByMe();
    void takeOver();
    [[nodiscard]] std::map<QString, int> busyPlaces() const;

    const std::filesystem::path folder_;  ///< the project's
    RunControl& control_;
    views::RunCatalog& catalog_;
    const views::EngineInfo& engine_;
    views::QueueState state_;
    QLockFile lock_;  ///< before the file: whoever takes the queue over reads what was written last
    StateFile file_;
    bool elsewhere_ = false;
    QTimer retry_;          ///< only while it is elsewhere
    QStringList starting_;  ///< items whose start is being written down before it happens
};

}  // namespace kurve::studio
