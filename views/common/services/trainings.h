#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

#include "views/common/services/prompt_request.h"

namespace kurve::views {

/// The trainings of the project: those that this studio started or found running.
class Trainings : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// The live training that pausing and stopping act on.
    struct Current {
        QString run;    ///< empty: none is live
        QString state;  ///< as in a run's list ("paused")
    };
    [[nodiscard]] virtual Current shown() const { return {}; }
    [[nodiscard]] virtual bool isLive(const QString& /*run*/) const { return false; }
    /// How far what a training computes before its first step is.
    struct Preparation {
        QString text;  ///< "Preparing: vectors of 20 of 90 sentences"; empty: it computes nothing
        double fraction = 0;
    };
    [[nodiscard]] virtual Preparation preparation(const QString& /*run*/) const { return {}; }
    /// The models that train here and answer prompts.
    [[nodiscard]] virtual std::vector<LiveModel> models() const { return {}; }
    /// Starts one; returns the new run's id. `sets` are key=value texts; `device` as --device takes it, "" =
    /// the engine's choice; `force`: also where memory is insufficient; `processes`: of this machine.
    virtual QString startTraining(const QString& /*experiment*/, const QStringList& /*sets*/,
                                  const QString& /*device*/, bool /*force*/, int /*processes*/) {
        return {};
    }
    virtual void resume(const QString& /*run*/) {}
    virtual void stop(const QString& /*run*/) {}
    /// A live setting of the current training, from its next step on.
    virtual void set(const QString& /*key*/, const QString& /*value*/) {}

Q_SIGNALS:
    void changed();  ///< a state, a preparation, or which one is current
};

}  // namespace kurve::views
