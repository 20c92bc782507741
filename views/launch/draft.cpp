#include "views/launch/draft.h"

#include <QDir>
#include <QFileInfo>

namespace kurve::views {

namespace {

QString quoted(const QString& text) {
    static const QString kPlain =
        QStringLiteral("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%");
    const bool plain =
        !text.isEmpty() && std::all_of(text.begin(), text.end(), [](QChar c) { return kPlain.contains(c); });
    if (plain) return text;
    QString inner = text;
    inner.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + inner + QLatin1Char('\'');
}

}  // namespace

void Draft::setEngine(const EngineInfo* engine) {
    engine_ = engine;
    reload();
}

void Draft::setExperiment(const QString& file) {
    if (file == experiment_) return;
    experiment_ = file;
    preset_.clear();
    values_.clear();
    reload();
}

void Draft::setPreset(const QString& name) {
    if (name == preset_) return;
    preset_ = name;
    reload();
}

void Draft::setName(const QString& name) {
    name_ = name.trimmed();
    check();
}

void Draft::reload() {
    base_.reset();
    config_.reset();
    errors_.clear();
    if (engine_ && !experiment_.isEmpty() && !engine_->families().empty()) {
        std::vector<Override> head;
        if (!preset_.isEmpty()) head.emplace_back("preset", preset_.toStdString());
        auto base = RunConfig::load(experiment_.toStdString(), engine_->schemas(), head);
        if (base)
            base_ = std::move(*base);
        else
            errors_.insert(QString(), QString::fromStdString(base.error().text()));
        for (const QString& key : values_.keys())
            if (base_ && !base_->has(key.toStdString())) values_.remove(key);
    }
    Q_EMIT schemaChanged();
    check();
}

std::vector<Override> Draft::overrides() const {
    std::vector<Override> result;
    if (!preset_.isEmpty()) result.emplace_back("preset", preset_.toStdString());
    if (!name_.isEmpty()) result.emplace_back("name", name_.toStdString());
    for (auto it = values_.begin(); it != values_.end(); ++it)
        result.emplace_back(it.key().toStdString(), it.value().toStdString());
    return result;
}

void Draft::addError(const Error& error) {
    QString text = QString::fromStdString(error.message);
    if (!error.remedy.empty()) text += QStringLiteral("; ") + QString::fromStdString(error.remedy);
    const QString key = QString::fromStdString(error.field);
    if (!errors_.contains(key)) errors_.insert(key, text);
}

void Draft::check() {
    config_.reset();
    if (base_) {
        errors_.clear();
        for (auto it = values_.begin(); it != values_.end(); ++it)
            if (const FieldSpec* field = base_->schema().find(it.key().toStdString()))
                if (const auto value = parseFieldValue(*field, it.value().toStdString()); !value)
                    addError(value.error());
        if (auto config = RunConfig::load(experiment_.toStdString(), engine_->schemas(), overrides()); config)
            config_ = std::move(*config);
        else
            addError(config.error());
    }
    Q_EMIT changed();
}

void Draft::setValue(const QString& key, const QString& text) {
    const QString before =
        base_ ? QString::fromStdString(fieldValueText(base_->value(key.toStdString()))) : QString();
    if (text == before)
        values_.remove(key);
    else
        values_.insert(key, text);
    check();
}

void Draft::revert(const QString& key) {
    values_.remove(key);
    check();
}

void Draft::revertAll() {
    values_.clear();
    check();
}

Status Draft::adopt(const QString& configText) {
    if (!engine_) return {};
    KURVE_TRY(RunConfig other, RunConfig::parse(configText.toStdString(), "run.db", engine_->schemas()));
    if (!base_ || base_->family() != other.family())
        return requestError("draft.family",
                            "the open experiment is of another family than this run (" + other.family() + ")")
            .fix("choose an experiment of that family in the form first");
    values_.clear();
    for (const ConfigDifference& d : difference(*base_, other))
        if (!d.right.empty() && base_->has(d.key))
            values_.insert(QString::fromStdString(d.key),
                           QString::fromStdString(fieldValueText(other.value(d.key))));
    check();
    Q_EMIT schemaChanged();
    return {};
}

const Schema* Draft::schema() const {
    return base_ ? &base_->schema() : nullptr;
}

QString Draft::valueText(const QString& key) const {
    if (const auto found = values_.find(key); found != values_.end()) return *found;
    return base_ ? QString::fromStdString(fieldValueText(base_->value(key.toStdString()))) : QString();
}

bool Draft::differsFromDefault(const QString& key) const {
    if (!base_) return false;
    const FieldSpec* field = base_->schema().find(key.toStdString());
    return field && valueText(key) != QString::fromStdString(fieldValueText(field->fallback));
}

QStringList Draft::sets() const {
    QStringList result;
    for (const auto& [key, value] : overrides())
        result << QString::fromStdString(key) + QLatin1Char('=') + QString::fromStdString(value);
    return result;
}

QueueItem Draft::queueItem() const {
    QueueItem item;
    item.title = name_;
    if (item.title.isEmpty() && config_) item.title = QString::fromStdString(config_->name());
    if (item.title.isEmpty()) item.title = QFileInfo(experiment_).completeBaseName();
    item.words = {QStringLiteral("train"), experiment_};
    for (const QString& set : sets()) item.words << QStringLiteral("--set") << set;
    return item;
}

QString Draft::commandLine(const QString& projectFolder) const {
    if (experiment_.isEmpty()) return {};
    QStringList words{QStringLiteral("kurve"), QStringLiteral("train"),
                      quoted(QDir(projectFolder).relativeFilePath(experiment_)), QStringLiteral("--project"),
                      quoted(projectFolder)};
    for (const QString& set : sets()) words << QStringLiteral("--set") << quoted(set);
    return words.join(QLatin1Char(' '));
}

QJsonObject Draft::save() const {
    QJsonObject values;
    for (auto it = values_.begin(); it != values_.end(); ++it) values.insert(it.key(), it.value());
    return {{QStringLiteral("experiment"), QFileInfo(experiment_).fileName()},
            {QStringLiteral("preset"), preset_},
            {QStringLiteral("name"), name_},
            {QStringLiteral("values"), values}};
}

void Draft::restore(const QJsonObject& json) {
    preset_ = json.value(QStringLiteral("preset")).toString();
    name_ = json.value(QStringLiteral("name")).toString();
    values_.clear();
    const QJsonObject values = json.value(QStringLiteral("values")).toObject();
    for (auto it = values.begin(); it != values.end(); ++it) values_.insert(it.key(), it.value().toString());
    reload();
}

}  // namespace kurve::views
