// Settings that other views write into the draft.
#include <algorithm>

#include "views/common/data/run_catalog.h"
#include "views/launch/launch_head.h"
#include "views/launch/launch_panel.h"
#include "views/launch/settings_form.h"

namespace kurve::views {

void LaunchPanel::adoptRun(const QString& runId) {
    const auto data = context().catalog->data(runId);
    const auto text =
        data ? data->values.find("config") : std::map<std::string, std::string>::const_iterator();
    if (!data || text == data->values.end())
        return Q_EMIT statusMessage(tr("The settings of this run cannot be read."));
    // On top of an experiment of the run's family, so that only settings differ.
    auto wanted = context().engine
                      ? RunConfig::parse(text->second, "run.db", context().engine->schemas())
                      : Result<RunConfig>(requestError("engine.describe", "the engine is not known yet"));
    const auto fits = [&](const QString& file) {
        const auto read = RunConfig::load(file.toStdString(), context().engine->schemas());
        return read && read->family() == wanted->family();
    };
    QStringList files = head_->experiments();
    files.prepend(draft_->experiment());
    const auto file = wanted ? std::find_if(files.begin(), files.end(), fits) : files.begin();
    const Status status = draft_->adopt(QString::fromStdString(text->second),
                                        file == files.end() ? draft_->experiment() : *file);
    showRunning(false);
    Q_EMIT statusMessage(status ? tr("Loaded the settings of %1.").arg(runId)
                                : QString::fromStdString(status.error().text()));
}

void LaunchPanel::useSchedule(const QString& schedule, const QMap<QString, QString>& parameters) {
    const Schema* schema = draft_->schema();
    const auto takesFiles = [](const FieldSpec& field) {
        return std::find(field.prefixes.begin(), field.prefixes.end(), "file:") != field.prefixes.end();
    };
    const auto field = schema ? std::find_if(schema->fields.begin(), schema->fields.end(), takesFiles)
                              : std::vector<FieldSpec>::const_iterator();
    if (!schema || field == schema->fields.end())
        return Q_EMIT statusMessage(tr("The model of the draft has no noise schedule."));
    const QString key = QString::fromStdString(field->key), table = key.section(QLatin1Char('.'), 0, -2);
    QStringList changed{key};
    draft_->setValue(key, schedule);
    for (auto it = parameters.begin(); it != parameters.end(); ++it) {
        const QString beside = table + QLatin1Char('.') + it.key();
        if (!schema->find(beside.toStdString())) continue;
        draft_->setValue(beside, it.value());
        changed << beside;
    }
    showRunning(false);
    form_->focusField(key);
    Q_EMIT statusMessage(tr("Set in the draft: %1.").arg(changed.join(QStringLiteral(", "))));
}

std::function<void()> LaunchPanel::useSettings(const QMap<QString, QString>& values) {
    QMap<QString, QString> before;
    for (const QString& key : values.keys()) before[key] = draft_->valueText(key);
    writeSettings(values);
    return [this, before] { writeSettings(before); };
}

void LaunchPanel::writeSettings(const QMap<QString, QString>& values) {
    const Schema* schema = draft_->schema();
    QStringList changed;
    for (auto it = values.begin(); schema != nullptr && it != values.end(); ++it) {
        if (!schema->find(it.key().toStdString()) || draft_->valueText(it.key()) == it.value()) continue;
        draft_->setValue(it.key(), it.value());
        changed << it.key();
    }
    const bool known =
        schema != nullptr && std::any_of(values.keyBegin(), values.keyEnd(), [&](const QString& key) {
            return schema->find(key.toStdString()) != nullptr;
        });
    if (!known) return Q_EMIT statusMessage(tr("The model of the draft has no such settings."));
    showRunning(false);
    if (changed.isEmpty()) return Q_EMIT statusMessage(tr("The draft already has these settings."));
    form_->focusField(changed.front());
    Q_EMIT statusMessage(tr("Set in the draft: %1.").arg(changed.join(QStringLiteral(", "))));
}

}  // namespace kurve::views
