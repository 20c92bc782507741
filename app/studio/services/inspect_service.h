#pragma once

#include <QObject>
#include <QPointer>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "app/studio/engine/inference_process.h"
#include "core/trace/trace.h"
#include "core/wire/message.h"
#include "views/common/data/background.h"
#include "views/common/services/prompts.h"

namespace kurve::studio {

class RunSupervisor;

/// Answers prompts. An InferenceProcess starts with the first request and stays for more. Requests for
/// kLiveModel go to the engine that trains the run, which
/// answers between two steps. A newer request cancels the older; only the newest is answered. A missing,
/// crashed or foreign engine and a training that has ended are a status with its remedy, and the next request
/// tries again. GUI thread.
class InspectService : public views::Prompts {
    Q_OBJECT
public:
    /// `program`: as of EngineProcess; `project`: the folder whose runs are meant.
    InspectService(QString program, std::filesystem::path project, QObject* parent = nullptr);

    /// Finds the engine that trains a run; null while none does.
    using FindTraining = std::function<RunSupervisor*(const QString& runId)>;
    void setTrainings(FindTraining find) { findTraining_ = std::move(find); }
    /// Why a checkpoint cannot be loaded though the run lists it; empty: it can, as far as is known.
    using MissingWeights = std::function<QString(const QString& runId, const QString& checkpoint)>;
    void setMissingWeights(MissingWeights find) { missingWeights_ = std::move(find); }
    [[nodiscard]] bool engineRunning() const { return engine_.isRunning(); }
    [[nodiscard]] qint64 enginePid() const { return engine_.pid(); }

    [[nodiscard]] views::PromptRequest requestOf(const trace::Trace& trace) const override;
    void request(const views::PromptRequest& request) override;
    void repeat(views::PromptRequest request, const QString& saying) override;
    void branch(const trace::Trace& parent, int step, const QString& edits) override;
    void cancel() override;

public Q_SLOTS:
    /// Ends the engine, for a new default sampler; the next request, or one that waits, starts one again.
    void release();

Q_SIGNALS:
    void said(const QString& text);       ///< messages beyond the status
    void retracted(const QString& text);  ///< one of them no longer holds
    void requested(const QString& run);
    /// The trace of the newest answer, read off the GUI thread.
    void traceReady(std::shared_ptr<const kurve::trace::Trace> trace);
    /// The trace of the newest request as far as it is denoised; has no file. At the rate at which it can be
    /// read, and not after traceReady().
    void traceExtended(std::shared_ptr<const kurve::trace::Trace> trace);

private:
    void serving();
    void requestFromTraining();
    void trainingChanged();
    void send();
    void cancelPending();
    /// Sends to the engine that answers the newest request. False if it is not connected.
    bool tell(const std::string& type, nlohmann::json body = nlohmann::json::object());
    void received(const wire::Message& message);
    void takeTrace(const nlohmann::json& body);
    void takeProgress(const nlohmann::json& body);
    /// The path for the live trace of the newest request, a new file; empty if there is no temporary folder.
    [[nodiscard]] std::string liveTracePath();
    void fail(const QString& text, const QString& field = {});
    void setStatus(views::PromptStatus::Kind kind, const QString& text);
    void publish(const views::PromptStatus& status);
    [[nodiscard]] std::string newestId() const;

    std::filesystem::path project_;
    InferenceProcess engine_;
    FindTraining findTraining_;
    MissingWeights missingWeights_;
    QPointer<RunSupervisor>
        training_;  ///< the training that answers the newest request; null: the inference engine
    std::optional<views::PromptRequest> waiting_;  ///< until the engine has loaded
    int newest_ = 0;                               ///< id of the request whose answer counts
    QString requestedRun_;                         ///< the run of that request
    bool pending_ = false;                         ///< request newest_ is in progress
    QString expected_;                             ///< PromptRequest::expected of that request
    QString saying_;                               ///< said until that request is answered
    views::Background reading_;
    std::optional<QTemporaryDir> liveFolder_;  ///< holds liveTracePath()
    std::string liveTrace_;                    ///< the last of those paths
    bool readingLiveTrace_ = false;
};

}  // namespace kurve::studio
