#pragma once

#include <QFile>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <map>

#include "app/studio/session/run_control.h"
#include "app/studio/session/state_file.h"
#include "core/base/result.h"
#include "views/common/data/engine_info.h"
#include "views/launch/queue.h"

namespace kurve::studio {

/// The runs that settings of trainings in the queue name, with the titles of these trainings, which need them
/// until they have started.
[[nodiscard]] std::map<QString, QStringList> neededRuns(const views::QueueState& queue,
                                                        const views::EngineInfo& engine,
                                                        const std::filesystem::path& project);

/// The project's queue: starts trainings when their device has capacity, and records how they end. Saved in
/// queue.json of the project; the studio must be open for the next one to start. Of several studios on one
/// project only the first runs the queue. GUI thread.
class RunQueue : public views::Queue {
    Q_OBJECT
public:
    RunQueue(const store::Project& project, RunControl& control, views::RunCatalog& catalog,
             const views::EngineInfo& engine, QObject* parent = nullptr);

    [[nodiscard]] bool isElsewhere() const override { return elsewhere_; }
    void add(std::vector<views::QueueItem> items) override;
    void edit(const views::QueueEdit& edit) override;
    [[nodiscard]] std::vector<views::DeviceOccupant> occupants() const override;
    /// How many would start automatically while this studio is open.
    [[nodiscard]] int waiting() const;
    /// The engine's arguments for `item` as it was queued, also if its experiment's file has changed since.
    /// Errors: those of reading it as it is now; draft.family.
    [[nodiscard]] Result<QStringList> wordsOf(const views::QueueItem& item) const;

public Q_SLOTS:
    /// Records what has ended and starts what may start.
    void advance();

Q_SIGNALS:
    void message(const QString& text);

private:
    [[nodiscard]] bool exists(const QString& run) const;
    void follow(views::QueueItem& item);
    void askMachine(const views::QueueItem& item);
    void launch();
    void saveChanges();
    [[nodiscard]] views::QueueState ownState(const QJsonObject& saved) const;
    bool takeLock();
    void takeOver();
    [[nodiscard]] std::map<QString, int> busyByDevice() const;

    const std::filesystem::path folder_;  ///< the project's
    RunControl& control_;
    views::RunCatalog& catalog_;
    const views::EngineInfo& engine_;
    QFile lock_;  ///< before the file: taken before it is read
    StateFile file_;
    bool elsewhere_ = false;
    QTimer retry_;          ///< only while it is elsewhere
    QStringList starting_;  ///< items whose start is being saved before it happens
    QStringList asked_;     ///< runs of which it was not known whether they began on their machine
};

}  // namespace kurve::studio
