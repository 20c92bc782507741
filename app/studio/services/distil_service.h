#pragma once

#include <filesystem>

#include "app/studio/engine/engine_process.h"

namespace kurve::studio {

/// Runs `kurve distil` for one run at a time and reports progress. The engine keeps decoded pairs, so that
/// stopping loses nothing. GUI thread.
class DistilService : public QObject {
    Q_OBJECT
public:
    DistilService(QString program, std::filesystem::path project, QObject* parent = nullptr);

    [[nodiscard]] bool running() const { return job_.running(); }
    [[nodiscard]] const QString& status() const { return status_; }  ///< empty when nothing runs

public Q_SLOTS:
    /// While one runs this only shows a message.
    void start(const QString& runId);
    void stop() { job_.stop(); }

Q_SIGNALS:
    void statusChanged(const QString& status);
    void said(const QString& text);
    /// `file`: the value of data.distilled_train.
    void made(const QString& file);

private:
    void received(const wire::Message& message);
    void ended(const EngineEnd& end);
    void setStatus(const QString& text);

    std::filesystem::path project_;
    EngineProcess job_;
    QString run_, status_, file_;
    int pairs_ = 0, total_ = 0;
};

}  // namespace kurve::studio
