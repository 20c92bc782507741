#include "views/launch/draft/draft.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/schedule/schedule_file.h"
#include "views/launch/draft/experiment_pins.h"

namespace kurve::views {

namespace {

QString quoted(const QString& text) {
    static const QString kPlain =
        QStringLiteral("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%");
    const bool plain =
        !text.isEmpty() && std::ranges::all_of(text, [](QChar c) { return kPlain.contains(c); });
    if (plain) return text;
    QString inner = text;
    inner.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + inner + QLatin1Char('\'');
}

}  // namespace

void Draft::setEngine(const EngineInfo* engine) {
    engine_ = engine;
    reportDropped(reload());
}

void Draft::setProject(const QString& folder) {
    project_ = folder;
    check();
}

void Draft::setExperiment(const QString& file) {
    if (file == experiment_) return;
    saveEarlier();
    const bool changed = isChanged();
    QStringList lost = begin(file);
    if (!base_ && !preset_.isEmpty()) {  // its family may have no such preset
        const QString preset = std::exchange(preset_, {});
        lost = reload();
        if (base_) lost << QStringLiteral("preset = ") + preset;
    }
    if (changed) Q_EMIT experimentTaken(values_.keys(), lost);
}

QStringList Draft::begin(const QString& experiment) {
    experiment_ = experiment;
    readFile();
    return reload();
}

void Draft::reportDropped(const QStringList& settings) {
    if (!settings.isEmpty()) Q_EMIT dropped(settings);
}

void Draft::setPreset(const QString& name) {
    if (name == preset_) return;
    preset_ = name;
    reportDropped(reload());
}

void Draft::setName(const QString& name) {
    name_ = name.trimmed();
    check();
}

void Draft::setProcesses(int count) {
    if (count == processes_ || count < 1) return;
    processes_ = count;
    check();
}

bool Draft::isChanged() const {
    return !values_.isEmpty() || !preset_.isEmpty() || !name_.isEmpty();
}

bool Draft::hasSettings() const {
    return config_ && std::all_of(errors_.keyBegin(), errors_.keyEnd(), [](const QString& key) {
               return key.isEmpty() || key == QLatin1String(kDevice) || key == QLatin1String(kMachine);
           });
}

void Draft::reloadFile() {
    reportDropped(begin(experiment_));
}

void Draft::readFile() {
    auto text = kurve::readFile(experiment_.toStdString());
    text_ = text ? std::move(*text) : std::string();
    compareFile(text);
}

void Draft::checkFile() {
    if (experiment_.isEmpty()) return;
    const auto [state, problem, pins] = std::tuple(fileState_, fileProblem_, pins_);
    compareFile(kurve::readFile(experiment_.toStdString()));
    if (!base_ && fileState_ == FileState::Changed) return reloadFile();  // there is no draft to preserve
    if (namesFiles_ || std::tie(state, problem, pins) != std::tie(fileState_, fileProblem_, pins_)) check();
}

void Draft::compareFile(const Result<std::string>& now) {
    pins_.clear();
    fileProblem_.clear();
    fileState_ = !now ? FileState::Gone : *now == text_ ? FileState::Same : FileState::Changed;
    textNow_ = now ? *now : std::string();
    if (!now) fileProblem_ = QString::fromStdString(now.error().text());
    if (fileState_ != FileState::Changed || !base_) return;
    std::vector<Override> head;
    if (!preset_.isEmpty()) head.emplace_back("preset", preset_.toStdString());
    auto pins = experimentPins({experiment_.toStdString(), text_, textNow_}, engine_->schemas(), head);
    if (pins)
        pins_ = std::move(*pins);
    else
        fileProblem_ = QString::fromStdString(pins.error().text());
}

Result<RunConfig> Draft::parsed(const std::vector<Override>& overrides) const {
    return RunConfig::parse(text_, experiment_.toStdString(), engine_->schemas(), overrides);
}

QStringList Draft::reload() {
    QStringList lost;
    base_.reset();
    config_.reset();
    errors_.clear();
    pins_.clear();
    if (engine_ && !experiment_.isEmpty() && !engine_->families().empty()) {
        std::vector<Override> head;
        if (!preset_.isEmpty()) head.emplace_back("preset", preset_.toStdString());
        auto base = text_.empty() && !fileProblem_.isEmpty()
                        ? RunConfig::load(experiment_.toStdString(), engine_->schemas(), head)
                        : parsed(head);
        if (base)
            base_ = std::move(*base);
        else
            errors_.insert(QString(), QString::fromStdString(base.error().text()));
        for (const QString& key : base_ ? values_.keys() : QStringList()) {
            if (!base_->has(key.toStdString()))
                lost << key + QStringLiteral(" = ") + values_.take(key);
            else if (values_[key] == fileValue(key))
                values_.remove(key);  // equal to the file: no change
        }
    }
    if (fileState_ == FileState::Changed) compareFile(kurve::readFile(experiment_.toStdString()));
    Q_EMIT schemaChanged();
    check();
    return lost;
}

std::vector<Override> Draft::overrides(std::size_t run) const {
    std::vector<Override> result;
    if (!preset_.isEmpty()) result.emplace_back("preset", preset_.toStdString());
    const frontier::Settings own = run < runs_.size() ? runs_[run] : frontier::Settings();
    const QString name = own.empty() ? ownName() : titleOf(run);
    if (!name.isEmpty()) result.emplace_back("name", name.toStdString());
    for (const auto& [key, value] : pins_)
        if ((key != "name" || name.isEmpty()) && !values_.contains(QString::fromStdString(key)))
            result.emplace_back(key, value);
    for (auto it = values_.begin(); it != values_.end(); ++it) {
        const auto varied = own.find(it.key().toStdString());
        result.emplace_back(it.key().toStdString(),
                            varied == own.end() ? it.value().toStdString() : varied->second);
    }
    return result;
}

void Draft::addError(const Error& error, const QString& at) {
    QString text = QString::fromStdString(error.message);
    if (!error.remedy.empty()) text += QStringLiteral("; ") + QString::fromStdString(error.remedy);
    const QString key = at.isEmpty() ? QString::fromStdString(error.field) : at;
    if (!errors_.contains(key)) errors_.insert(key, text);
}

void Draft::check() {
    config_.reset();
    if (base_) {
        errors_.clear();
        takeAxes();
        for (const auto& run : runs_) checkValues(run);
        if (auto config = parsed(overrides(0)); config)
            config_ = std::move(*config);
        else if (errors_.isEmpty() || axes_.isEmpty())  // a list in an invalid matrix is no error
            addError(config.error());
        for (std::size_t run = 1; config_ && errors_.isEmpty() && run < runs_.size(); ++run)
            if (const auto config =
                    config_->with(std::vector<Override>(runs_[run].begin(), runs_[run].end()));
                !config)
                addError(config.error());
        if (!fileProblem_.isEmpty()) errors_.insert(QString(), fileProblem_);
        checkDevice();
        checkScheduleFiles();
    }
    Q_EMIT changed();
}

// The engine reads them when the run starts, which may be at night in a queue.
void Draft::checkScheduleFiles() {
    namesFiles_ = false;
    if (!config_ || project_.isEmpty()) return;
    const auto whole = schedule::withInlinedSchedules(*config_, project_.toStdString());
    namesFiles_ = !whole || whole->canonicalText() != config_->canonicalText();
    if (whole) return;
    Error error = whole.error();
    const QString file = QDir(project_).relativeFilePath(QString::fromStdString(error.file));
    error.message = file.toStdString() + ": " + error.message;
    addError(error);
}

void Draft::checkValues(const frontier::Settings& run) {
    for (auto it = values_.begin(); it != values_.end(); ++it) {
        const std::string key = it.key().toStdString();
        const auto varied = run.find(key);
        const bool list = varied == run.end() && axes_.contains(it.key() + QLatin1Char('=') + it.value());
        if (list) continue;  // of an invalid matrix, which has its error already
        if (const FieldSpec* field = base_->schema().find(key))
            if (const auto value =
                    parseFieldValue(*field, varied == run.end() ? it.value().toStdString() : varied->second);
                !value)
                addError(value.error());
    }
}

void Draft::setValue(const QString& key, const QString& text) {
    if (text == fileValue(key))
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
    saveEarlier();
    values_.clear();
    check();
}

void Draft::saveEarlier() {
    if (isChanged()) earlier_ = Earlier{experiment_, save()};
}

void Draft::goBack() {
    if (!earlier_) return;
    const Earlier wanted = std::exchange(*earlier_, {experiment_, save()});
    experiment_ = wanted.experiment;
    readFile();
    restore(wanted.state);
}

Status Draft::adopt(const QString& configText, const QString& experiment) {
    if (!engine_) return {};
    KURVE_TRY(RunConfig other, engine_->recorded(configText.toStdString()));
    const auto base = RunConfig::load(experiment.toStdString(), engine_->schemas());
    if (!base || base->family() != other.family())
        return requestError("draft.family", "the open experiment has another model family than this run (" +
                                                other.family() + ")")
            .fix("choose an experiment of that family in the form");
    saveEarlier();
    values_.clear();
    if (experiment != experiment_) preset_.clear();
    if (experiment != experiment_ || !base_ || base_->family() != other.family()) begin(experiment);
    if (!base_) return requestError("draft.family", errors_.value(QString()).toStdString());
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
    return isOverridden(key) ? values_.value(key) : fileValue(key);
}

QString Draft::fileValue(const QString& key) const {
    return base_ ? QString::fromStdString(fieldValueText(base_->value(key.toStdString()))) : QString();
}

bool Draft::differsFromDefault(const QString& key) const {
    if (!base_) return false;
    const FieldSpec* field = base_->schema().find(key.toStdString());
    return field && valueText(key) != QString::fromStdString(fieldValueText(field->fallback));
}

// A queued run trains as it was queued: schedule files are inlined.
std::vector<Override> Draft::lastingOverrides(std::size_t run) const {
    std::vector<Override> all = overrides(run);
    const auto config = parsed(all);
    if (!config || project_.isEmpty()) return all;
    const auto whole = schedule::withInlinedSchedules(*config, project_.toStdString());
    if (!whole) return all;
    for (const ConfigDifference& d : difference(*config, *whole)) {
        std::erase_if(all, [&](const Override& one) { return one.first == d.key; });
        all.emplace_back(d.key, fieldValueText(whole->value(d.key)));
    }
    return all;
}

QStringList Draft::sets(std::size_t run) const {
    QStringList result;
    for (const auto& [key, value] : overrides(run))
        result << QString::fromStdString(key) + QLatin1Char('=') + QString::fromStdString(value);
    return result;
}

/// The name of a run on another corpus than the experiment's is derived from that corpus.
QString Draft::ownName() const {
    const QString key = QStringLiteral("data.train");
    if (!name_.isEmpty() || !base_ || !isOverridden(key)) return name_;
    const QString corpus = QFileInfo(valueText(key)).fileName().section(QLatin1Char('.'), 0, 0);
    return corpus.isEmpty()
               ? QString()
               : QStringLiteral("%1-%2").arg(corpus, QString::fromStdString(base_->schema().family));
}

QString Draft::titleOf(std::size_t run) const {
    QString title = ownName();
    if (title.isEmpty() && base_) title = QString::fromStdString(base_->name());
    if (title.isEmpty()) title = QFileInfo(experiment_).completeBaseName();
    for (const auto& [key, value] : runs_[run])
        title += QStringLiteral(" %1=%2").arg(QString::fromStdString(key).section(QLatin1Char('.'), -1),
                                              QString::fromStdString(value));
    return title;
}

QStringList Draft::words(std::size_t run) const {
    QStringList words{QStringLiteral("train"), experiment_};
    for (const auto& [key, value] : lastingOverrides(run))
        words << QStringLiteral("--set") << QString::fromStdString(key + "=" + value);
    return words;
}

QueueItem Draft::queueItem(std::size_t run) const {
    QueueItem item;
    item.title = titleOf(run);
    item.device = device_;
    item.machine = machine_;
    item.words = words(run);
    if (processes_ > 1) item.words << QStringLiteral("--nproc") << QString::number(processes_);
    item.experiment = QString::fromStdString(textNow_);
    return item;
}

QString Draft::commandLine(const QString& projectFolder) const {
    if (experiment_.isEmpty()) return {};
    QStringList words{QStringLiteral("kurve"), QStringLiteral("train"),
                      quoted(QDir(projectFolder).relativeFilePath(experiment_)), QStringLiteral("--project"),
                      quoted(projectFolder)};
    for (const QString& set : sets()) words << QStringLiteral("--set") << quoted(set);
    for (const QString& word : placeWords()) words << quoted(word);
    if (processes_ > 1) words << QStringLiteral("--nproc") << QString::number(processes_);
    if (runs_.size() > 1) words << QObject::tr("# first of %1").arg(runs_.size());
    return words.join(QLatin1Char(' '));
}

QJsonObject Draft::save() const {
    QJsonObject values;
    for (auto it = values_.begin(); it != values_.end(); ++it) values.insert(it.key(), it.value());
    return {{QStringLiteral("experiment"), QFileInfo(experiment_).fileName()},
            {QStringLiteral("preset"), preset_},
            {QStringLiteral("name"), name_},
            {QStringLiteral("device"), device_},
            {QStringLiteral("machine"), machine_},
            {QStringLiteral("draws"), draws_},
            {QStringLiteral("processes"), processes_},
            {QStringLiteral("values"), values}};
}

void Draft::restore(const QJsonObject& json) {
    preset_ = json.value(QStringLiteral("preset")).toString();
    name_ = json.value(QStringLiteral("name")).toString();
    device_ = json.value(QStringLiteral("device")).toString();
    machine_ = json.value(QStringLiteral("machine")).toString();
    draws_ = json.value(QStringLiteral("draws")).toInt();
    processes_ = std::max(1, json.value(QStringLiteral("processes")).toInt(1));
    values_.clear();
    const QJsonObject values = json.value(QStringLiteral("values")).toObject();
    for (auto it = values.begin(); it != values.end(); ++it) values_.insert(it.key(), it.value().toString());
    reportDropped(reload());
}

}  // namespace kurve::views
