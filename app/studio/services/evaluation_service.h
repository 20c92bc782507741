#pragma once

#include <filesystem>
#include <vector>

#include "app/studio/engine/engine_process.h"
#include "views/runs/evaluations.h"

namespace kurve::studio {

/// Runs `kurve eval --save` for the runs of a request, one after the other; a failed one does not end the
/// others and is named in the last status. GUI thread.
class EvaluationService : public views::Evaluations {
    Q_OBJECT
public:
    EvaluationService(QString program, std::filesystem::path project, QObject* parent = nullptr);
    /// An engine works for it, and ends with this studio.
    [[nodiscard]] bool running() const { return job_.running(); }
    void start(const views::EvaluationRequest& request) override;
    void cancel() override { job_.stop(); }

Q_SIGNALS:
    void said(const QString& text);
    void evaluated();  ///< a run has new scores

private:
    void next();
    void received(const wire::Message& message);
    void ended(const EngineEnd& end);
    void noteFailure(const QString& why);
    [[nodiscard]] QString outcome() const;
    void setStatus(bool running, const QString& text);

    std::filesystem::path project_;
    EngineProcess job_;
    views::EvaluationRequest request_;
    int run_ = 0;  ///< index in request_.runs
    struct Failure {
        QString why;
        QStringList runs;
    };
    std::vector<Failure> failures_;  ///< of this request
};

}  // namespace kurve::studio
