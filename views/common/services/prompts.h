#pragma once

#include <QMap>
#include <QObject>
#include <functional>

#include "core/trace/trace.h"
#include "views/common/services/prompt_request.h"

namespace kurve::views {

/// Answers prompts and records their traces, which become those of the Selection; the run of a request is
/// selected. A newer request cancels the older.
class Prompts : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const PromptStatus& status() const { return status_; }
    /// The request that made a trace.
    [[nodiscard]] virtual PromptRequest requestOf(const trace::Trace& /*trace*/) const { return {}; }
    virtual void request(const PromptRequest& /*request*/) {}
    /// That of a trace again, perhaps changed; `saying` is a message until it is answered. A training that is
    /// paused at the step of the trace answers it itself: the weights may be in no checkpoint.
    virtual void repeat(PromptRequest /*request*/, const QString& /*saying*/) {}
    /// Denoises `parent` again from `step` on with these edits (JSON, trace/edit.h).
    virtual void branch(const trace::Trace& /*parent*/, int /*step*/, const QString& /*edits*/) {}
    virtual void cancel() {}

Q_SIGNALS:
    void statusChanged(const kurve::views::PromptStatus& status);
    void answered(const kurve::views::PromptAnswer& answer);

protected:
    PromptStatus status_;
};

/// The prompt bar, which is a panel ("prompt").
class PromptBar {
public:
    virtual ~PromptBar() = default;
    /// Fills in a text with its reference (empty: unknown).
    virtual void tryText(const QString& /*text*/, const QString& /*reference*/) {}
    /// Selects a checkpoint of the current run by its step.
    virtual void useCheckpoint(const QString& /*step*/) {}
    /// Sets sampler.* settings for the next prompts; returns what undoes it.
    virtual std::function<void()> useSampler(const QMap<QString, QString>& /*settings*/) {
        return [] {};
    }
    virtual void run() {}
};

}  // namespace kurve::views
