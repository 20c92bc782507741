#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "core/trace/trace.h"
#include "core/wire/message.h"
#include "views/common/background.h"
#include "views/prompt/prompt_request.h"

namespace kurve::studio {

class EngineLink;
class RunSupervisor;

/// Answers prompts. A checkpoint is kept loaded by an engine for looking inside (`kurve sample RUN --serve`),
/// which starts with the first request, stays for more, and starts anew for another run or checkpoint name;
/// what "last" and "best" are by now the engine looks up with every request. kLiveModel is asked of the
/// engine that trains the run, which answers between two steps. A newer request cancels the older; only the
/// newest is answered. A missing, crashed or foreign engine and a training that has ended are a status with
/// its remedy, and the next request tries again. GUI thread.
class InspectService : public QObject {
    Q_OBJECT
public:
    /// `program`: the engine, empty if none was found; `project`: the folder whose runs are meant.
    InspectService(QString program, std::filesystem::path project, QObject* parent = nullptr);
    ~InspectService() override;

    /// Who finds the engine that trains a run; null while none does.
    using FindTraining = std::function<RunSupervisor*(const QString& runId)>;
    void setTrainings(FindTraining find) { findTraining_ = std::move(find); }
    [[nodiscard]] const views::PromptStatus& status() const { return status_; }
    [[nodiscard]] bool engineRunning() const { return process_ != nullptr; }
    [[nodiscard]] qint64 enginePid() const { return process_ != nullptr ? process_->processId() : 0; }

public Q_SLOTS:
    void request(const kurve::views::PromptRequest& request);
    void cancel();
    /// Ends the engine and frees its memory; the next request starts one again.
    void release();

Q_SIGNALS:
    void statusChanged(const kurve::views::PromptStatus& status);
    void said(const QString& text);  ///< what people are to know beyond the status
    void answered(const kurve::views::PromptAnswer& answer);
    /// The recording of the newest answer, read off the GUI thread.
    void traceReady(std::shared_ptr<const kurve::trace::Trace> trace);
    /// The recording of the newest request as far as it is denoised; has no file. Comes as often as reading
    /// it allows, and not after traceReady().
    void traceGrew(std::shared_ptr<const kurve::trace::Trace> trace);

private:
    void start();
    void askTraining();
    void trainingChanged();
    void send();
    void takeBack();
    /// Whoever answers the newest request. False if nobody listens.
    bool tell(const std::string& type, nlohmann::json body = nlohmann::json::object());
    void received(const wire::Message& message);
    void takeTrace(const nlohmann::json& body);
    void takeProgress(const nlohmann::json& body);
    /// Where the engine is to show the newest recording while it grows: a file that is not there yet. Empty
    /// if there is no room for that.
    [[nodiscard]] std::string followFile();
    void ended(int code, QProcess::ExitStatus how);
    void fail(const QString& text, const QString& field = {});
    void setStatus(views::PromptStatus::Kind kind, const QString& text);
    [[nodiscard]] std::string newestId() const;

    QString program_;
    std::filesystem::path project_;
    std::unique_ptr<QProcess> process_;
    EngineLink* link_ = nullptr;  ///< child of the process
    FindTraining findTraining_;
    QPointer<RunSupervisor> training_;  ///< whom the newest request asks; null: the engine of its own
    QString loadedRun_, loadedCheckpoint_;
    bool serving_ = false;
    std::optional<views::PromptRequest> waiting_;  ///< until the engine has loaded
    int newest_ = 0;                               ///< id of the request whose answer counts
    QString askedRun_;                             ///< whose model that is
    bool asked_ = false;                           ///< an engine works on request newest_
    QString expected_;                             ///< PromptRequest::expected of that request
    QString lastWords_;                            ///< the engine's last error, for when it ends
    views::PromptStatus status_;
    views::Background reading_;
    std::optional<QTemporaryDir> growing_;  ///< holds what followFile() names
    std::string grows_;                     ///< the last of those names
    bool readingGrowth_ = false;
};

}  // namespace kurve::studio
