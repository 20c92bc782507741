#pragma once

#include <QMap>
#include <QString>
#include <functional>

namespace kurve::views {

/// The draft of the next training, which the panel "launch" shows.
class DraftForm {
public:
    virtual ~DraftForm() = default;
    /// Writes values by field into the draft (except fields that its model does not have), focuses the first
    /// one that changed and reports them; returns what undoes it.
    virtual std::function<void()> useSettings(const QMap<QString, QString>& /*values*/) {
        return [] {};
    }
    /// Writes a noise schedule into the draft's setting for one, and its parameters into settings of the same
    /// table ("steps"), and focuses it. A message where the family has no such setting.
    virtual void useSchedule(const QString& /*schedule*/, const QMap<QString, QString>& /*parameters*/) {}
    /// The settings of a run.
    virtual void adoptRun(const QString& /*run*/) {}
};

}  // namespace kurve::views
