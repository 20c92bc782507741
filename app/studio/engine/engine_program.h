#pragma once

#include <QObject>
#include <QString>
#include <utility>

#include "views/common/data/engine_info.h"
#include "views/common/services/engine.h"

namespace kurve::studio {

/// The engine `kurve`: named by $KURVE_ENGINE, else beside this program, else in PATH; empty if there is
/// none.
[[nodiscard]] QString findEngineProgram();
/// What to tell people when findEngineProgram() is empty.
[[nodiscard]] Error engineMissing();

/// `kurve describe --json`, once per engine build, start of the machine and set of its GPUs: a later one
/// reads the cached answer and asks nothing. Never blocks.
class EngineDescription : public QObject, public views::Engine {
    Q_OBJECT
public:
    /// `project`: the folder that commands are about.
    explicit EngineDescription(QString project, QObject* parent = nullptr)
        : QObject(parent), project_(std::move(project)) {}
    /// Takes the cached answer if there is one (ready() is emitted before this returns), else starts the
    /// engine.
    void load(const QString& program);
    [[nodiscard]] const views::EngineInfo& info() const { return info_; }
    std::function<void()> call(const QStringList& words, Done done, QObject* owner) override;
    [[nodiscard]] Status available() const override;
    [[nodiscard]] QString problem() const override { return problem_; }
    void describe() override { load(findEngineProgram()); }

Q_SIGNALS:
    void ready();
    void failed();

private:
    void ask(const QString& cacheFile);
    bool take(const nlohmann::json& description);
    void fail(const QString& problem);

    QString project_;
    views::EngineInfo info_;
    QString problem_;
};

}  // namespace kurve::studio
