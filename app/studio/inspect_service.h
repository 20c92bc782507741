#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/trace/trace.h"
#include "core/wire/message.h"
#include "views/common/background.h"
#include "views/prompt/prompt_request.h"

namespace kurve::studio {

class EngineLink;

/// One engine that keeps a checkpoint loaded for looking inside (`kurve sample RUN --serve`). Starts with the
/// first request, stays for more, starts anew for another run or checkpoint name; what "last" and "best" are
/// by now the engine looks up with every request. A newer request cancels the older; only the newest is
/// answered. A missing, crashed or foreign engine is a status with its remedy, and the next request tries
/// again. GUI thread.
class InspectService : public QObject {
    Q_OBJECT
public:
    /// `program`: the engine, empty if none was found; `project`: the folder whose runs are meant.
    InspectService(QString program, std::filesystem::path project, QObject* parent = nullptr);
    ~InspectService() override;

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
    void send();
    void received(const wire::Message& message);
    void takeTrace(const nlohmann::json& body);
    void takeProgress(const nlohmann::json& body);
    /// Where the engine is to show a recording while it grows; empty if there is no room for that.
    [[nodiscard]] std::string followFile();
    void ended(int code, QProcess::ExitStatus how);
    void fail(const QString& text, const QString& field = {});
    void setStatus(views::PromptStatus::Kind kind, const QString& text);
    [[nodiscard]] std::string newestId() const { return std::to_string(newest_); }

    QString program_;
    std::filesystem::path project_;
    std::unique_ptr<QProcess> process_;
    EngineLink* link_ = nullptr;  ///< child of the process
    QString loadedRun_, loadedCheckpoint_;
    bool serving_ = false;
    std::optional<views::PromptRequest> waiting_;  ///< until the engine has loaded
    int newest_ = 0;                               ///< id of the request whose answer counts
    bool asked_ = false;                           ///< the engine works on request newest_
    QString expected_;                             ///< PromptRequest::expected of that request
    QString lastWords_;                            ///< the engine's last error, for when it ends
    views::PromptStatus status_;
    views::Background reading_;
    std::optional<QTemporaryDir> growing_;  ///< holds what followFile() names
    bool readingGrowth_ = false;
};

}  // namespace kurve::studio
