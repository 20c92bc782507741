#pragma once

#include <QMap>
#include <QObject>
#include <QStringList>

namespace kurve::views {

/// A request to evaluate: `kurve eval --save` of each run.
struct EvaluationRequest {
    QStringList runs;
    QString checkpoint, split, metrics;    ///< metrics: ids with commas; empty: the default metrics
    int limit = 0;                         ///< the first so many pairs; 0: all
    QString scorer = {};                   ///< the run that scores the outputs; empty: none
    QMap<QString, QString> settings = {};  ///< sampler.* other than the runs' own
};
/// Progress of an evaluation.
struct EvaluationStatus {
    bool running = false;
    QString text;
};

/// Runs evaluations, one at a time.
class Evaluations : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const EvaluationStatus& status() const { return status_; }
    /// While one runs it is ignored.
    virtual void start(const EvaluationRequest& /*request*/) {}
    virtual void cancel() {}

Q_SIGNALS:
    void statusChanged(const kurve::views::EvaluationStatus& status);

protected:
    EvaluationStatus status_;
};

}  // namespace kurve::views
