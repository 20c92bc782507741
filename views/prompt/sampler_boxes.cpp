#include "views/prompt/sampler_boxes.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <climits>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/text/field_text.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr int kMaxValue = 100'000;

/// As texts, or as the numbers that they are ("1" and "1.0").
bool isSame(const QString& a, const QString& b) {
    bool numberA = false, numberB = false;
    const double x = a.toDouble(&numberA), y = b.toDouble(&numberB);
    return a == b || (numberA && numberB && x == y);
}
}  // namespace

SamplerBoxes::SamplerBoxes(const std::vector<QWidget*>& first, QWidget* parent)
    : QWidget(parent), row_(new WrapLayout), settings_(new SamplerSettings(QStringLiteral("prompt"))) {
    vboxIn(this, {row_, settings_}, {.margins = 0, .spacing = space::kTight});
    for (QWidget* one : first) row_->addWidget(one);
    steps_ = add("steps", tr("steps"), tr("Denoising steps of the sampler"), 0, 2000);
    lengthBeam_ = add("length_beam", tr("length beam"), tr("Number of target lengths"), 0, 64);
    noiseBeam_ = add("noise_beam", tr("noise beam"), tr("Number of noise draws per length"), 0, 64);
    beam_ = add("beam", tr("beam"), tr("Number of hypotheses, or of sampled texts"), 0, 64);
    // Until the run's settings are read.
    for (const auto& [key, box] : boxes()) box->setSpecialValueText(tr("default"));
    seed_ = add("seed", tr("seed"), tr("The same seed gives the same text"), 0, INT_MAX);
    seed_->setValue(1);
    row_->addWidget(settings_->button());
    for (QSpinBox* box : {steps_, lengthBeam_, noiseBeam_, beam_, seed_})
        connect(box, &QSpinBox::valueChanged, this, &SamplerBoxes::changed);
    connect(settings_, &SamplerSettings::changed, this, &SamplerBoxes::changed);
}

QSpinBox* SamplerBoxes::add(const char* id, const QString& name, const QString& help, int low, int high) {
    auto* both = new QWidget;  // they stay together where the row wraps
    auto* label = describe(new QLabel(name), {.role = "caption"});
    auto* box = describe(new QSpinBox, QLatin1String("prompt.") + QLatin1String(id), name, help);
    box->setRange(low, high);
    label->setBuddy(box);
    hboxIn(both, {label, box}, {.margins = 0, .spacing = space::kTight});
    row_->addWidget(both);
    return box;
}

std::vector<std::pair<const char*, QSpinBox*>> SamplerBoxes::boxes() const {
    return {{"sampler.steps", steps_},
            {"sampler.length_beam", lengthBeam_},
            {"sampler.noise_beam", noiseBeam_},
            {"sampler.beam", beam_}};
}

void SamplerBoxes::fill(PromptRequest& request) const {
    request.seed = static_cast<std::uint64_t>(seed_->value());
    request.settings = settings_->values().toStdMap();
    for (const auto& [key, box] : boxes())
        if (box->value() > 0) request.settings[QLatin1String(key)] = QString::number(box->value());
}

void SamplerBoxes::restore(const PromptRequest& before) {
    QMap<QString, QString> further(before.settings);
    for (const auto& [key, box] : boxes()) box->setValue(further.take(QLatin1String(key)).toInt());
    settings_->setValues(further);
}

void SamplerBoxes::show(const std::map<QString, QString>& settings, std::uint64_t seed) {
    QMap<QString, QString> further(settings);
    for (const auto& [key, box] : boxes()) {
        const QString id = QLatin1String(key), value = further.take(id);
        box->setValue((value.isEmpty() ? own_.value(id) : value).toInt());
    }
    for (auto it = own_.begin(); it != own_.end(); ++it)
        if (const auto same = further.constFind(it.key()); same != further.constEnd() && isSame(*same, *it))
            further.remove(it.key());
    settings_->setValues(further);
    setSeed(static_cast<int>(std::min<std::uint64_t>(seed, INT_MAX)));
}

void SamplerBoxes::use(const QMap<QString, QString>& settings) {
    QMap<QString, QString> further = settings;
    for (const auto& [key, box] : boxes())
        if (further.contains(QLatin1String(key))) box->setValue(further.take(QLatin1String(key)).toInt());
    for (auto it = further.begin(); it != further.end(); ++it) settings_->set(it.key(), *it);
}

void SamplerBoxes::fit(const RunConfig& config, std::shared_ptr<const Schema> schema) {
    const QMap<QString, QString> before = std::exchange(own_, samplerValues(config, *schema));
    QStringList elsewhere;
    for (const auto& [key, box] : boxes()) {
        const FieldSpec* field = schema->find(key);
        box->parentWidget()->setVisible(field != nullptr);
        if (field == nullptr) continue;
        elsewhere << QLatin1String(key);
        box->setMaximum(static_cast<int>(std::min<double>(field->max.value_or(kMaxValue), kMaxValue)));
        box->setToolTip(fieldTip(*field));
        const bool untouched = box->value() == 0 || box->value() == before.value(QLatin1String(key)).toInt();
        if (untouched) box->setValue(own_.value(QLatin1String(key)).toInt());
    }
    settings_->setOwn(own_);
    settings_->setSchema(std::move(schema), elsewhere);
}

void SamplerBoxes::clear() {
    own_.clear();
    for (const auto& [key, box] : boxes()) box->setValue(0);
    settings_->setOwn({});
    settings_->setSchema(nullptr);
    settings_->setValues({});
}

void SamplerBoxes::setSeed(int seed) {
    seed_->setValue(seed);
}

int SamplerBoxes::seed() const {
    return seed_->value();
}

QMap<QString, QString> SamplerBoxes::differing() const {
    QMap<QString, QString> out = settings_->values();
    for (const auto& [key, box] : boxes())
        if (box->value() != 0 && box->value() != own_.value(QLatin1String(key)).toInt())
            out[QLatin1String(key)] = QString::number(box->value());
    return out;
}

}  // namespace kurve::views
