#pragma once

#include <QMap>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "views/common/form/choice_list.h"

class QPushButton;

namespace kurve {
class RunConfig;
struct FieldSpec;
struct Schema;
}  // namespace kurve

namespace kurve::views {

class EngineInfo;
class RunCatalog;
struct RunData;
class SettingChip;

/// The sampler.* fields of a family, in its order.
[[nodiscard]] std::vector<const FieldSpec*> samplerFields(const Schema& schema);

/// The values that a run has for them, as texts.
[[nodiscard]] QMap<QString, QString> samplerValues(const RunConfig& config, const Schema& schema);

/// The default decoding settings of a run: those it was trained with, overridden by its default sampler
/// where that fits them. Empty if the former cannot be read.
[[nodiscard]] std::optional<RunConfig> decodingConfig(const RunData& data, const EngineInfo& engine);
/// Why the default sampler does not fit the run: another build of the engine may have written it. Empty: it
/// does.
[[nodiscard]] QString samplerMisfit(const RunData& data, const EngineInfo& engine);

/// Runs of the project that a field of type Run takes, the newest first; those that have a model. The engine
/// validates the choice.
[[nodiscard]] std::vector<Choice> fittingRuns(const RunCatalog& catalog, const EngineInfo& engine,
                                              const FieldSpec& field);
/// Those that can score texts.
[[nodiscard]] std::vector<Choice> scorerRuns(const RunCatalog& catalog, const EngineInfo& engine);

/// Overrides of the run's sampler settings: a typed chip for each, and a button that adds one.
class SamplerSettings : public QWidget {
    Q_OBJECT
public:
    /// `name`: of the form, for object names.
    explicit SamplerSettings(const QString& name, QWidget* parent = nullptr);
    /// "+ setting"; its owner lays it out.
    [[nodiscard]] QPushButton* button() const { return add_; }
    /// The available settings, except those with a control elsewhere. Null: unknown yet, and values are
    /// texts.
    void setSchema(std::shared_ptr<const Schema> schema, const QStringList& elsewhere = {});
    /// The run's own values: the initial values of added settings.
    void setOwn(const QMap<QString, QString>& values) { own_ = values; }
    void setScorers(std::vector<Choice> runs);
    [[nodiscard]] QMap<QString, QString> values() const;
    void setValues(const QMap<QString, QString>& values);
    void set(const QString& key, const QString& value);
    /// Adds a setting with the run's own value, and its dependency: selection by a scorer needs the scorer.
    void add(const QString& key);
    void remove(const QString& key);
    /// Shows the engine's error at a setting until it is changed. False: it has no chip.
    bool setProblem(const QString& key, const QString& text);
    /// The first error, with the setting's name; empty: none.
    [[nodiscard]] QString problem() const;
    void focusProblem();

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] SettingChip* chip(const QString& key) const;
    [[nodiscard]] const FieldSpec* field(const QString& key) const;
    [[nodiscard]] QString effective(const QString& key) const;
    [[nodiscard]] QString errorOf(const SettingChip& chip) const;
    SettingChip* make(const QString& key, const QString& value);
    void edited(const QString& key);
    void addDependency(const QString& key);
    void check();
    void offer();

    QString name_;
    std::shared_ptr<const Schema> schema_;
    QStringList elsewhere_;
    QMap<QString, QString> own_;
    std::vector<Choice> scorers_;
    std::vector<SettingChip*> chips_;
    QPushButton* add_;
    ChoiceList* list_ = nullptr;
};

}  // namespace kurve::views
