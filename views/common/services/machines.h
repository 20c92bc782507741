#pragma once

#include <QMap>
#include <QObject>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/remote/machines.h"

namespace kurve::views {

/// The other machines of the project (machines.toml), what they told, and the runs on them.
class Machines : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Of the last request; `answer` is that of `kurve machines check` or `kurve machines runs`.
    struct Answer {
        bool pending = false;
        std::optional<Result<nlohmann::json>> answer;  ///< nullopt: not asked yet
    };
    [[nodiscard]] virtual std::vector<remote::Machine> list() const { return {}; }
    /// Why machines.toml could not be read; empty: it could.
    [[nodiscard]] virtual QString problem() const { return {}; }
    [[nodiscard]] virtual Answer checkOf(const QString& /*machine*/) const { return {}; }
    [[nodiscard]] virtual Answer runsOf(const QString& /*machine*/) const { return {}; }
    virtual void check(const QString& /*machine*/) {}
    virtual void listRuns(const QString& /*machine*/) {}
    /// Writes machines.toml; `before` as for remote::withMachine(), whose errors it has, and io.*;
    /// machines.bad_value (another name for one that has runs here).
    virtual Status put(const remote::Machine& /*machine*/, const QString& /*before*/) { return {}; }
    virtual Status remove(const QString& /*machine*/) { return {}; }
    /// Mirrors a run that trains or trained there, until it has ended and everything is here.
    virtual void follow(const QString& /*run*/, const QString& /*machine*/) {}
    /// Brings checkpoints of a mirrored run here, by the names of their folders; none: all. One at a time.
    virtual void fetch(const QString& /*run*/, const QStringList& /*checkpoints*/) {}

    /// By machine, the devices that its check told, as --device takes them; empty: not checked.
    [[nodiscard]] QMap<QString, QStringList> devices() const;

Q_SIGNALS:
    void changed();                    ///< the list, or an answer
    void fetched(const QString& run);  ///< all that was asked for is here
};

}  // namespace kurve::views
