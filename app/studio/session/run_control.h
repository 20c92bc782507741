#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <memory>
#include <vector>

#include "app/studio/engine/run_supervisor.h"
#include "views/common/data/run_catalog.h"
#include "views/common/services/trainings.h"

namespace kurve::studio {

/// The live runs of one project: starts engines, attaches to those that another studio left running, and says
/// which one F6, F7 and Shift+F5 act on (the selected run if it is live, else the one started last).
class RunControl : public views::Trainings {
    Q_OBJECT
public:
    RunControl(const store::Project& project, views::RunCatalog& catalog, QObject* parent = nullptr);

    QString startTraining(const QString& experiment, const QStringList& sets,
                          const views::TrainingPlace& place = {}, bool force = false) override;
    /// Starts the engine with these words ("train" FILE …, "resume" RUN …) on a device ("" = its choice);
    /// returns the run's id: a new one for "train" and "reproduce", unless `newRun` names it.
    QString start(const QStringList& words, const QString& device = {}, const QString& newRun = {});
    void setPreferred(const QString& runId);

    [[nodiscard]] Current shown() const override;
    [[nodiscard]] bool isLive(const QString& run) const override;
    [[nodiscard]] double lostSince(const QString& run) const override;
    [[nodiscard]] Preparation preparation(const QString& run) const override;
    [[nodiscard]] std::vector<views::LiveModel> models() const override;
    void resume(const QString& run) override;
    void stop(const QString& run) override;
    bool set(const QString& key, const QString& value) override;
    [[nodiscard]] RunSupervisor* current() const;
    [[nodiscard]] RunSupervisor* supervisor(const QString& runId) const;
    [[nodiscard]] std::vector<const RunSupervisor*> live() const;
    [[nodiscard]] int liveCount() const { return static_cast<int>(live().size()); }

Q_SIGNALS:
    void progressed();                  ///< of the current run
    void message(const QString& text);  ///< for the status bar
    void alarmed(const QString& runId, const QString& text);
    /// A start failed or was stopped before anything was written: there will be no such run.
    void neverBegan(const QString& runId, const QString& why);
    /// A run on another machine that has not ended, as far as is known, and that no process here follows. Not
    /// of one that this studio has followed.
    void unfollowed(const QString& runId, const QString& machine);

private:
    RunSupervisor* make(const QString& runId);
    void adoptLiveRuns();

    const store::Project project_;
    views::RunCatalog& catalog_;
    views::WatchedRuns watched_{&catalog_};  ///< to read whether this machine trains them
    std::map<QString, std::unique_ptr<RunSupervisor>> supervisors_;
    QString preferred_, latest_;
};

}  // namespace kurve::studio
