#include "views/common/form/sampler_settings.h"

#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>

#include "core/config/run_config.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/setting_chip.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/text/field_text.h"

namespace kurve::views {

namespace {

const QString kSelection = QStringLiteral("sampler.selection");
const QString kByScorer = QStringLiteral("ppl");
const QString kScorer = QStringLiteral("sampler.scorer");

Result<RunConfig> withDefaultSampler(const RunConfig& own, const RunData& data) {
    return own.with(std::vector<Override>(data.defaultSampler.begin(), data.defaultSampler.end()));
}

}  // namespace

std::vector<const FieldSpec*> samplerFields(const Schema& schema) {
    std::vector<const FieldSpec*> fields;
    for (const FieldSpec& field : schema.fields)
        if (field.key.rfind("sampler.", 0) == 0) fields.push_back(&field);
    return fields;
}

QMap<QString, QString> samplerValues(const RunConfig& config, const Schema& schema) {
    QMap<QString, QString> values;
    for (const FieldSpec* field : samplerFields(schema))
        if (config.has(field->key))
            values[QString::fromStdString(field->key)] =
                QString::fromStdString(fieldValueText(config.value(field->key)));
    return values;
}

std::optional<RunConfig> decodingConfig(const RunData& data, const EngineInfo& engine) {
    const auto own = engine.recorded(data.value("config"));
    if (!own) return std::nullopt;
    return withDefaultSampler(*own, data).value_or(*own);
}

QString samplerMisfit(const RunData& data, const EngineInfo& engine) {
    const auto own = engine.recorded(data.value("config"));
    if (!own) return {};
    const auto decoding = withDefaultSampler(*own, data);
    return decoding ? QString()
                    : QObject::tr("The default sampler does not fit this run: %1")
                          .arg(QString::fromStdString(decoding.error().text()));
}

std::vector<Choice> fittingRuns(const RunCatalog& catalog, const EngineInfo& engine, const FieldSpec& field) {
    std::vector<Choice> runs;
    for (const store::RunSummary& run : catalog.runs()) {
        const auto schema = engine.family(run.family);
        if (run.trashed || schema == nullptr || !schema->fits(field)) continue;
        runs.push_back({QString::fromStdString(run.id), runName(run), {}});
    }
    std::reverse(runs.begin(), runs.end());  // the catalog has them in order of their start
    return runs;
}

std::vector<Choice> scorerRuns(const RunCatalog& catalog, const EngineInfo& engine) {
    return fittingRuns(catalog, engine, runField(kScorer.toStdString(), "").fits({kExactLikelihood}));
}

SamplerSettings::SamplerSettings(const QString& name, QWidget* parent)
    : QWidget(parent), name_(name), add_(new QPushButton(tr("+ setting"))) {
    new WrapLayout(this);
    hide();
    describe(add_, name + QStringLiteral(".add_setting"), tr("Add a sampler setting"),
             tr("Override a setting of the run's sampler"), {.role = "quiet"});
    connect(add_, &QPushButton::clicked, this, &SamplerSettings::offer);
    setSchema(nullptr);
}

void SamplerSettings::setSchema(std::shared_ptr<const Schema> schema, const QStringList& elsewhere) {
    add_->setEnabled(schema != nullptr);
    if (schema == schema_ && elsewhere == elsewhere_) return;
    schema_ = std::move(schema);
    elsewhere_ = elsewhere;
    setValues(values());
}

void SamplerSettings::setScorers(std::vector<Choice> runs) {
    if (runs == scorers_) return;
    scorers_ = std::move(runs);
    const QSignalBlocker quiet(this);
    if (chip(kScorer) != nullptr) setValues(values());
}

QMap<QString, QString> SamplerSettings::values() const {
    QMap<QString, QString> all;
    for (const SettingChip* one : chips_) all[one->key()] = one->value();
    return all;
}

void SamplerSettings::setValues(const QMap<QString, QString>& values) {
    const bool same = values == this->values();
    for (SettingChip* old : chips_) {
        old->setParent(nullptr);  // out of the layout at once
        old->deleteLater();       // it may be the one whose button was pressed
    }
    chips_.clear();
    for (auto it = values.begin(); it != values.end(); ++it) make(it.key(), *it);
    setVisible(!chips_.empty());
    check();
    if (!same) Q_EMIT changed();
}

SettingChip* SamplerSettings::make(const QString& key, const QString& value) {
    const FieldSpec* known = field(key);
    auto* made =
        new SettingChip(name_, key, known == nullptr ? std::nullopt : std::optional<FieldSpec>(*known),
                        known != nullptr && known->type == FieldType::Run ? scorers_ : std::vector<Choice>());
    made->setValue(value);
    connect(made, &SettingChip::edited, this, [this, key] { edited(key); });
    connect(made, &SettingChip::removed, this, [this, key] { remove(key); });
    chips_.push_back(made);
    layout()->addWidget(made);
    made->show();
    return made;
}

void SamplerSettings::set(const QString& key, const QString& value) {
    if (SettingChip* there = chip(key)) return there->setValue(value);
    make(key, value);
    show();
    addDependency(key);
    check();
    Q_EMIT changed();
}

void SamplerSettings::add(const QString& key) {
    const FieldSpec* known = field(key);
    const QString fallback =
        known == nullptr ? QString() : QString::fromStdString(fieldValueText(known->fallback));
    QString value = own_.value(key, fallback);
    if (key == kScorer && value.isEmpty() && !scorers_.empty()) value = scorers_.front().id;
    if (chip(key) == nullptr) set(key, value);
    chip(key)->focusEditor();
}

void SamplerSettings::remove(const QString& key) {
    QMap<QString, QString> rest = values();
    if (rest.remove(key) == 0) return;
    setValues(rest);
    add_->setFocus();
}

/// Selection by a scorer needs the scorer.
void SamplerSettings::addDependency(const QString& key) {
    if (key != kSelection || effective(kSelection) != kByScorer) return;
    if (effective(kScorer).isEmpty() && field(kScorer) != nullptr && !scorers_.empty())
        make(kScorer, scorers_.front().id);
}

void SamplerSettings::edited(const QString& key) {
    addDependency(key);
    check();
    Q_EMIT changed();
}

SettingChip* SamplerSettings::chip(const QString& key) const {
    const auto found =
        std::find_if(chips_.begin(), chips_.end(), [&](const auto* one) { return one->key() == key; });
    return found == chips_.end() ? nullptr : *found;
}

const FieldSpec* SamplerSettings::field(const QString& key) const {
    return schema_ == nullptr ? nullptr : schema_->find(key.toStdString());
}

QString SamplerSettings::effective(const QString& key) const {
    const SettingChip* there = chip(key);
    return there != nullptr ? there->value() : own_.value(key);
}

QString SamplerSettings::errorOf(const SettingChip& chip) const {
    if (schema_ != nullptr && field(chip.key()) == nullptr)
        return tr("%1 has no such setting; remove it").arg(QString::fromStdString(schema_->title));
    if (const QString error = chip.error(); !error.isEmpty()) return error;
    const bool byScorer = schema_ != nullptr && effective(kSelection) == kByScorer;
    const bool concerned = chip.key() == kSelection || chip.key() == kScorer;
    if (!byScorer || !concerned || !effective(kScorer).isEmpty()) return {};
    return scorers_.empty() ? tr("no run of this project can score; train one with an exact likelihood first")
                            : tr("no scorer; add “scorer”");
}

void SamplerSettings::check() {
    for (SettingChip* one : chips_) one->setError(errorOf(*one));
}

bool SamplerSettings::setProblem(const QString& key, const QString& text) {
    SettingChip* there = chip(key);
    if (there != nullptr) there->setError(text);
    return there != nullptr;
}

QString SamplerSettings::problem() const {
    for (const SettingChip* one : chips_)
        if (const QString error = errorOf(*one); !error.isEmpty())
            return QStringLiteral("%1: %2").arg(fieldLabel(one->key().toStdString()), error);
    return {};
}

void SamplerSettings::focusProblem() {
    for (SettingChip* one : chips_)
        if (!errorOf(*one).isEmpty()) return one->focusEditor();
}

void SamplerSettings::offer() {
    if (schema_ == nullptr) return;
    if (list_ == nullptr) {
        list_ = new ChoiceList(ChoiceList::Kind::Single, name_ + QStringLiteral(".setting_list"),
                               tr("Sampler settings"), this);
        // The popup gives the focus back as it closes; the new field takes it after that.
        connect(list_, &ChoiceList::chosen, this, &SamplerSettings::add, Qt::QueuedConnection);
    }
    std::vector<Choice> choices;
    for (const FieldSpec* one : samplerFields(*schema_)) {
        const QString key = QString::fromStdString(one->key);
        if (!elsewhere_.contains(key) && chip(key) == nullptr)
            choices.push_back({key, fieldLabel(one->key), QString::fromStdString(one->doc)});
    }
    list_->setChoices(std::move(choices));
    list_->popUp(*add_);
}

}  // namespace kurve::views
