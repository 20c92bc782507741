#pragma once

#include <QObject>
#include <filesystem>
#include <functional>

#include "app/studio/session/project_session.h"
#include "views/common/data/background.h"
#include "views/common/services/studio.h"

namespace kurve::studio {

/// The newest of a run's traces (not empty); of an evaluation that recorded all fixed prompts the first one.
[[nodiscard]] const store::TraceRow& newestTrace(const std::vector<store::TraceRow>& traces);

/// Reads traces on a worker and makes them the session's trace; a newer request cancels an older one.
class TraceOpener : public QObject, public views::Traces {
    Q_OBJECT
public:
    explicit TraceOpener(ProjectSession& session);
    [[nodiscard]] bool wasRequested() const override { return requested_; }
    void open(const QString& runId, const QString& file) override;
    void replace(const QString& runId, const QString& file) override;
    void openBeside(const QString& runId, const QString& file) override;
    void openNewest() override;
    void trash(const QString& runId, const QString& file) override;
    /// After another run was selected: shows its newest trace, at once if traces are `visible` now, else with
    /// fill(); without one, none is shown.
    void follow(bool visible);
    /// After data of a run were read: opens the trace that waited for them.
    void openAwaited();
    /// Opens the newest trace silently, if none is shown and there is one.
    void fill();
    /// A trace of an earlier session by its file, at the position and step where it was left; no workspace
    /// opens. Left out if it is of another run than the selected one.
    void restore(const std::filesystem::path& file, int position, int step);
    /// An answer to a prompt; left out if another run was selected meanwhile.
    void show(std::shared_ptr<const trace::Trace> trace);
    /// A live trace, with more steps than the last time: the playhead follows its end, unless it was moved
    /// back; the same with the finished trace given to show().
    void extend(std::shared_ptr<const trace::Trace> trace);

Q_SIGNALS:
    void opened();  ///< after open() and openNewest()
    void said(const QString& text);

private:
    /// The newest trace of the selected run; empty if it has none.
    [[nodiscard]] std::string newest() const;
    [[nodiscard]] std::filesystem::path folderOf(const QString& runId) const;
    void put(std::shared_ptr<const trace::Trace> trace, int step);
    void restorePlayhead();
    enum class Request : unsigned char { Explicit, Automatic };
    void read(const std::filesystem::path& run, const std::string& name, Request request,
              const std::function<void()>& then);
    /// The run whose folder contains a file; empty: none.
    [[nodiscard]] QString runOfFile(const std::filesystem::path& file) const;
    /// By the folder that contains it, else by the run it names; one that names none matches any run.
    [[nodiscard]] bool isOf(const trace::Trace& trace, const QString& run) const;
    [[nodiscard]] QString runOf(const trace::Trace& trace) const;
    void selectRunOfTrace();

    ProjectSession& session_;
    views::Background reading_, readingBeside_;
    bool busy_ = false;       ///< a trace is being read
    bool requested_ = false;  ///< the shown trace, by the user
    QString followed_;        ///< the last primary run
    QString awaited_;         ///< whose newest trace opens as soon as it is read
};

}  // namespace kurve::studio
