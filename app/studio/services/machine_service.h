#pragma once

#include <QFileSystemWatcher>
#include <QTimer>
#include <map>

#include "app/studio/engine/engine_process.h"
#include "app/studio/session/run_control.h"
#include "views/common/services/machines.h"

namespace kurve::studio {

/// Asks the machines by short commands of the engine, follows the runs on them, and fetches their
/// checkpoints. On its own it follows again what trains there and is followed by nobody here, once a session.
class MachineService : public views::Machines {
    Q_OBJECT
public:
    /// `control` and `catalog` outlive this.
    MachineService(QString program, const store::Project& project, RunControl& control,
                   views::RunCatalog& catalog, QObject* parent = nullptr);

    [[nodiscard]] std::vector<remote::Machine> list() const override { return machines_; }
    [[nodiscard]] QString problem() const override { return problem_; }
    [[nodiscard]] Answer checkOf(const QString& machine) const override;
    [[nodiscard]] Answer runsOf(const QString& machine) const override;
    void check(const QString& machine) override;
    void listRuns(const QString& machine) override;
    Status put(const remote::Machine& machine, const QString& before) override;
    Status remove(const QString& machine) override;
    void follow(const QString& run, const QString& machine) override;
    void fetch(const QString& run, const QStringList& checkpoints) override;
    void cancelFetch() { job_.stop(); }

    /// "Fetching step-00000400 from gpu: 12 MB of 80 MB"; empty: nothing is being fetched.
    [[nodiscard]] const QString& fetchStatus() const { return fetchStatus_; }
    /// Why a prompt cannot load this checkpoint ("last", "best" or a step) of a mirrored run: its weights are
    /// on the other machine only. Empty: they are here, or nothing is known.
    [[nodiscard]] QString missingWeights(const QString& run, const QString& checkpoint) const;

Q_SIGNALS:
    void said(const QString& text);
    void fetchStatusChanged(const QString& text);

private:
    using Answers = std::map<QString, Answer>;
    void reload();
    Status write(const Result<std::string>& text);
    void ask(const char* what, const QString& machine, Answers& answers);
    void followAgain(const QString& run, const QString& machine);
    void takeProgress(const wire::Message& message);
    void fetchEnded(const EngineEnd& end);
    void setFetchStatus(const QString& text);
    [[nodiscard]] bool isListed(const QString& machine) const;

    const store::Project project_;
    RunControl& control_;
    views::RunCatalog& catalog_;
    std::vector<remote::Machine> machines_;
    QString problem_;
    Answers checks_, runs_;
    EngineProcess job_;
    QString fetching_, fetchingName_, fetchStatus_;  ///< the run, its name, and the text
    QFileSystemWatcher watcher_;
    QTimer settle_;
};

}  // namespace kurve::studio
