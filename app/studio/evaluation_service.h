#pragma once

#include <filesystem>
#include <vector>

#include "app/studio/engine_job.h"
#include "views/runs/evaluate_form.h"

namespace kurve::studio {

/// Runs `kurve eval --save` for the runs of a request, one after the other; a failed one does not end the
/// others and is named in the last status. GUI thread.
class EvaluationService : public QObject {
    Q_OBJECT
public:
    EvaluationService(QString program, std::filesystem::path project, QObject* parent = nullptr);
    [[nodiscard]] const views::EvaluationStatus& status() const { return status_; }
    /// An engine works for it, and ends with this studio.
    [[nodiscard]] bool running() const { return job_.running(); }

public Q_SLOTS:
    /// While one runs it is ignored.
    void start(const kurve::views::EvaluationRequest& request);
    void cancel() { job_.stop(); }

Q_SIGNALS:
    void statusChanged(const kurve::views::EvaluationStatus& status);
    void said(const QString& text);
    void evaluated();  ///< a run has new scores

private:
    void next();
    void received(const wire::Message& message);
    void ended(const JobEnd& end);
    void noteFailure(const QString& why);
    [[nodiscard]] QString outcome() const;
    void setStatus(bool running, const QString& text);

    std::filesystem::path project_;
    EngineJob job_;
    views::EvaluationRequest request_;
    int run_ = 0;  ///< index in request_.runs
    struct Failure {
        QString why;
        QStringList runs;
    };
    std::vector<Failure> failures_;  ///< of this request
    views::EvaluationStatus status_;
};

}  // namespace kurve::studio
