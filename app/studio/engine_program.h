#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "views/common/engine_info.h"

namespace kurve::studio {

/// The engine `kurve`: named by $KURVE_ENGINE, else beside this program, else in PATH; empty if there is
/// none.
[[nodiscard]] QString findEngineProgram();
/// What to tell people when findEngineProgram() is empty.
[[nodiscard]] Error engineMissing();

/// `kurve describe --json`, once per engine build: a later start reads the cached answer (keyed by the
/// program's path, size and time) and asks nothing. Never blocks.
class EngineDescription : public QObject {
    Q_OBJECT
public:
    explicit EngineDescription(QObject* parent = nullptr) : QObject(parent) {}
    /// Takes the cached answer if there is one (ready() is emitted before this returns), else starts the
    /// engine.
    void load(const QString& program);
    [[nodiscard]] const views::EngineInfo& info() const { return info_; }
    /// Why there is no description; empty while all is well.
    [[nodiscard]] const QString& problem() const { return problem_; }

Q_SIGNALS:
    void ready();
    void failed(const QString& problem);

private:
    void ask(const QString& program, const QString& cacheFile);
    bool take(const QByteArray& json);
    void fail(const QString& problem);

    views::EngineInfo info_;
    QString problem_;
};

}  // namespace kurve::studio
