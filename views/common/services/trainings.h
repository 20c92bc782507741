#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

#include "views/common/services/prompt_request.h"

namespace kurve::views {

/// Where a training runs.
struct TrainingPlace {
    QString device;     ///< as --device takes it; "" = the engine's choice
    QString machine;    ///< of machines.toml; "" = this one
    int processes = 1;  ///< as --nproc takes it
};

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
    /// Of a run on another machine to which the line is broken: since when, seconds since the epoch; else 0.
    [[nodiscard]] virtual double lostSince(const QString& /*run*/) const { return 0; }
    /// Starts one; returns the new run's id. `sets` are key=value texts; `force`: also where memory is
    /// insufficient.
    virtual QString startTraining(const QString& /*experiment*/, const QStringList& /*sets*/,
                                  const TrainingPlace& /*place*/, bool /*force*/) {
        return {};
    }
    virtual void resume(const QString& /*run*/) {}
    virtual void stop(const QString& /*run*/) {}
    /// A live setting of the current training, from its next step on. False: there is no connection to it.
    virtual bool set(const QString& /*key*/, const QString& /*value*/) { return false; }

Q_SIGNALS:
    void changed();  ///< a state, a preparation, or which one is current
};

}  // namespace kurve::views
