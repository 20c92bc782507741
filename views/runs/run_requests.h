#pragma once

#include "views/runs/checkpoint_table.h"

namespace kurve::views {

/// Carries out what is asked for a run and its checkpoints.
class RunRequests : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    virtual void carryOut(const RunRequest& /*request*/) {}

Q_SIGNALS:
    void retentionRead(const nlohmann::json& answer);  ///< the answer of `kurve checkpoints`
    void failed(const QString& text);                  ///< a short command was refused
    /// The checkpoint to resume from is damaged (`why`); the one of `step` is intact.
    void intactOffered(const QString& run, qint64 step, const QString& why);
};

}  // namespace kurve::views
