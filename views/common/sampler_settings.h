#pragma once

#include <QMap>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "views/common/choice_list.h"

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

/// What a run decodes with where nobody says otherwise: the settings it was trained with, over them its
/// default sampler. Nothing while either cannot be read.
[[nodiscard]] std::optional<RunConfig> decodingConfig(const RunData& data, const EngineInfo& engine);

/// Runs of the project that can choose among another run's candidates (sampler.ppl_run), the newest first:
/// those of families that need nobody to choose for them, since the engine's description has no word for
/// "gives a text an exact probability". The engine has the last word.
[[nodiscard]] std::vector<Choice> judgingRuns(const RunCatalog& catalog, const EngineInfo& engine);

/// Sampler settings that are other than the run's own: a chip for each, typed by its field, and a button that
/// adds one.
class SamplerSettings : public QWidget {
    Q_OBJECT
public:
    /// `name`: of the form, for object names.
    explicit SamplerSettings(const QString& name, QWidget* parent = nullptr);
    /// "+ setting"; its owner gives it a place.
    [[nodiscard]] QPushButton* button() const { return add_; }
    /// What can be set, but for those that have a control elsewhere. Null: nothing is known yet, and values
    /// are texts.
    void setSchema(std::shared_ptr<const Schema> schema, const QStringList& elsewhere = {});
    /// The run's own values: what a setting begins with.
    void setOwn(const QMap<QString, QString>& values) { own_ = values; }
    void setJudges(std::vector<Choice> runs);
    [[nodiscard]] QMap<QString, QString> values() const;
    void setValues(const QMap<QString, QString>& values);
    void set(const QString& key, const QString& value);
    /// Adds a setting with the run's own value, and what it needs: a selection by another run that run.
    void add(const QString& key);
    void drop(const QString& key);
    /// What the engine said of a setting, until it is changed. False: it has no chip.
    bool setProblem(const QString& key, const QString& text);
    /// The first thing that is wrong, with the setting's name; empty: nothing.
    [[nodiscard]] QString problem() const;
    void focusProblem();

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] SettingChip* chip(const QString& key) const;
    [[nodiscard]] const FieldSpec* field(const QString& key) const;
    [[nodiscard]] QString effective(const QString& key) const;
    [[nodiscard]] QString faultOf(const SettingChip& chip) const;
    SettingChip* make(const QString& key, const QString& value);
    void edited(const QString& key);
    void need(const QString& key);
    void check();
    void offer();

    QString name_;
    std::shared_ptr<const Schema> schema_;
    QStringList elsewhere_;
    QMap<QString, QString> own_;
    std::vector<Choice> judges_;
    std::vector<SettingChip*> chips_;
    QPushButton* add_;
    ChoiceList* list_ = nullptr;
};

}  // namespace kurve::views
