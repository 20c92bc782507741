#pragma once

#include <filesystem>

#include "app/studio/engine/engine_process.h"
#include "views/frontier/sweeps.h"

namespace kurve::studio {

/// Runs `kurve sweep` for the runs of a request, one after the other, with one time limit. Pausing ends the
/// engine: every finished point is a file, so that nothing is computed twice. GUI thread.
class SweepService : public views::Sweeps {
    Q_OBJECT
public:
    SweepService(QString program, std::filesystem::path project, QObject* parent = nullptr);

    /// An engine works for it, and ends with this studio.
    [[nodiscard]] bool running() const { return job_.running(); }
    void start(const views::SweepRequest& request) override;
    void pause() override;
    void cancel() override;

private:
    void next();
    void received(const wire::Message& message);
    void ended(const EngineEnd& end);
    /// What is left of the time limit; at most 0: nothing.
    [[nodiscard]] double secondsLeft() const { return request_.seconds - spent_; }
    [[nodiscard]] QString outcome() const;
    void setStatus(views::SweepStatus::Kind kind, const QString& text);

    std::filesystem::path project_;
    EngineProcess job_;
    views::SweepRequest request_;
    int run_ = 0;  ///< index in request_.runs
    double estimated_ = 0;
    int estimatedPoints_ = 0, refinedPoints_ = 0, cachedPoints_ = 0;
    double spent_ = 0;  ///< seconds that the finished runs took
    int left_ = 0;      ///< points not reached within the time limit, of the runs that were started
    views::SweepStatus::Kind afterwards_ =
        views::SweepStatus::Kind::Idle;  ///< the state that a stop leads to
    qint64 lastNews_ = 0;
};

}  // namespace kurve::studio
