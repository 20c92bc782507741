#include "views/prompt/sampler_boxes.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

namespace kurve::views {

namespace {
const QString kBeam = QStringLiteral("sampler.beam");
}  // namespace

SamplerBoxes::SamplerBoxes(QWidget* parent) : QWidget(parent), furtherButton_(new QPushButton) {
    new WrapLayout(this);
    steps_ = add("steps", tr("steps"), tr("Reverse steps of the sampler"), 0, 2000);
    lengthBeam_ = add("length_beam", tr("lengths"), tr("Target lengths that are tried"), 0, 64);
    noiseBeam_ = add("noise_beam", tr("noises"), tr("Noise draws that are tried for each length"), 0, 64);
    beam_ = add("beam", tr("beam"), tr("Hypotheses that are kept, or texts that are drawn"), 0, 64);
    // Until the run's own settings are read a prompt is answered with them, and no other number stands here.
    for (const auto& [key, box] : boxes()) box->setSpecialValueText(tr("run's"));
    seed_ = add("seed", tr("seed"), tr("The same seed gives the same text"), 0, 999999);
    seed_->setValue(1);
    furtherButton_->setObjectName(QStringLiteral("prompt.further"));
    furtherButton_->setAccessibleName(tr("Drop the further sampler settings"));
    furtherButton_->setVisible(false);
    layout()->addWidget(furtherButton_);
    for (QSpinBox* box : {steps_, lengthBeam_, noiseBeam_, seed_})
        connect(box, &QSpinBox::valueChanged, this, &SamplerBoxes::changed);
    connect(furtherButton_, &QPushButton::clicked, this, [this] {
        further_.clear();
        showFurther();
    });
}

QSpinBox* SamplerBoxes::add(const char* id, const QString& name, const QString& help, int low, int high) {
    auto* both = new QWidget;  // they stay together where the row wraps
    auto* label = new QLabel(name);
    label->setProperty("role", "caption");
    auto* box = new QSpinBox;
    box->setRange(low, high);
    box->setObjectName(QLatin1String("prompt.") + QLatin1String(id));
    box->setAccessibleName(name);
    box->setToolTip(help);
    label->setBuddy(box);
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(px(space::kTight));
    row->addWidget(label);
    row->addWidget(box);
    layout()->addWidget(both);
    return box;
}

std::vector<std::pair<const char*, QSpinBox*>> SamplerBoxes::boxes() const {
    return {{"sampler.steps", steps_},
            {"sampler.length_beam", lengthBeam_},
            {"sampler.noise_beam", noiseBeam_},
            {"sampler.beam", beam_}};
}

void SamplerBoxes::fill(PromptRequest& request) const {
    request.steps = steps_->value();
    request.lengthBeam = lengthBeam_->value();
    request.noiseBeam = noiseBeam_->value();
    request.seed = static_cast<std::uint64_t>(seed_->value());
    request.settings = further_;
    if (beam_->value() > 0) request.settings[kBeam] = QString::number(beam_->value());
}

void SamplerBoxes::restore(const PromptRequest& before) {
    steps_->setValue(before.steps);
    lengthBeam_->setValue(before.lengthBeam);
    noiseBeam_->setValue(before.noiseBeam);
    further_ = before.settings;
    const auto beam = further_.find(kBeam);
    beam_->setValue(beam == further_.end() ? 0 : beam->second.toInt());
    if (beam != further_.end()) further_.erase(beam);
    showFurther();
}

void SamplerBoxes::use(const QMap<QString, QString>& settings) {
    std::map<QString, QSpinBox*> known;
    for (const auto& [key, box] : boxes()) known[QLatin1String(key)] = box;
    for (auto it = settings.begin(); it != settings.end(); ++it) {
        const auto box = known.find(it.key());
        if (box != known.end())
            box->second->setValue(it->toInt());
        else
            further_[it.key()] = *it;
    }
    showFurther();
}

void SamplerBoxes::fit(const RunConfig& config, bool take) {
    for (const auto& [key, box] : boxes()) {
        const bool has = config.has(key);
        if (has && take) box->setValue(static_cast<int>(config.integer(key)));
        box->parentWidget()->setVisible(has);
    }
}

void SamplerBoxes::clear() {
    for (const auto& [key, box] : boxes()) box->setValue(0);
}

void SamplerBoxes::setSeed(int seed) {
    seed_->setValue(seed);
}

void SamplerBoxes::showFurther() {
    furtherButton_->setVisible(!further_.empty());
    Q_EMIT changed();
    QStringList names, lines;
    for (const auto& [key, value] : further_) {
        names << key.section(QLatin1Char('.'), -1);
        lines << QStringLiteral("%1 = %2").arg(key, value);
    }
    furtherButton_->setText(tr("own %1 ✕").arg(names.join(QStringLiteral(", "))));
    furtherButton_->setToolTip(
        tr("Only for these prompts; a click drops it:\n%1").arg(lines.join(QLatin1Char('\n'))));
}

}  // namespace kurve::views
