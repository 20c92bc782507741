#pragma once

#include <QJsonObject>
#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "core/config/run_config.h"
#include "views/common/engine_info.h"
#include "views/launch/queue_state.h"

namespace kurve::views {

/// A run that is being prepared: an experiment file, a preset, and what was changed on top of them. Checked
/// as a whole with the same code that reads the file in the engine; invalid drafts say why, field by field,
/// and cannot start.
class Draft : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void setEngine(const EngineInfo* engine);
    /// Reads the file; its problems are in errors() under the empty key or the field's.
    void setExperiment(const QString& file);
    void setPreset(const QString& name);  ///< "" = what the file says
    void setName(const QString& name);    ///< "" = what the file says
    void setValue(const QString& key, const QString& text);
    void revert(const QString& key);
    void revertAll();
    /// Takes over the settings of a run (its config text), as changes on top of the present experiment.
    Status adopt(const QString& configText);

    [[nodiscard]] const QString& experiment() const { return experiment_; }
    [[nodiscard]] const QString& preset() const { return preset_; }
    [[nodiscard]] const QString& name() const { return name_; }
    /// Null while no experiment file could be read.
    [[nodiscard]] const Schema* schema() const;
    /// What the form shows: the change if there is one, else the file's value.
    [[nodiscard]] QString valueText(const QString& key) const;
    [[nodiscard]] bool isOverridden(const QString& key) const { return values_.contains(key); }
    [[nodiscard]] bool differsFromDefault(const QString& key) const;
    [[nodiscard]] const QMap<QString, QString>& errors() const { return errors_; }
    [[nodiscard]] bool isValid() const { return config_.has_value() && errors_.isEmpty(); }
    [[nodiscard]] const std::optional<RunConfig>& config() const { return config_; }
    /// "key=value" for each --set of the command line, in a stable order.
    [[nodiscard]] QStringList sets() const;
    /// The draft as a training for the queue.
    [[nodiscard]] QueueItem queueItem() const;
    /// The equivalent command line, quoted for a POSIX shell.
    [[nodiscard]] QString commandLine(const QString& projectFolder) const;

    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& json);

Q_SIGNALS:
    void schemaChanged();  ///< another family or preset: rebuild the form
    void changed();

private:
    void reload();
    void check();
    [[nodiscard]] std::vector<Override> overrides() const;
    void addError(const Error& error);

    const EngineInfo* engine_ = nullptr;
    QString experiment_, preset_, name_;
    QMap<QString, QString> values_, errors_;
    std::optional<RunConfig> base_, config_;
};

}  // namespace kurve::views
