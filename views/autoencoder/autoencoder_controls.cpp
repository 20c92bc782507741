#include "views/autoencoder/autoencoder_controls.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>

#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/number_control.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QLabel* line(const char* name, const char* role, const QString& accessibleName) {
    return describe(new QLabel, name, accessibleName, {.role = role, .wraps = true, .selectable = true});
}

/// A control with its name before it, which stay together where the row wraps.
QWidget* named(const QString& name, QWidget* control) {
    auto* both = new QWidget;
    auto* label = describe(new QLabel(name), {.role = "caption"});
    label->setBuddy(control);
    hboxIn(both, {label, {control, 1}}, {.margins = 0, .spacing = space::kSmall});
    return both;
}

}  // namespace

AutoencoderControls::AutoencoderControls(QWidget* parent)
    : QWidget(parent),
      text_(describe(new QLineEdit, "autoencoder.text", tr("Text to reconstruct"),
                     {.placeholder = tr("Text to reconstruct"), .clearable = true})),
      checkpoint_(describe(new QComboBox, "autoencoder.checkpoint", tr("Checkpoint"))),
      noise_(new NumberControl(QStringLiteral("autoencoder.noise"),
                               tr("Standard deviation of the noise on the vectors"),
                               {0, kMostNoise, 0.05, 2})),
      seed_(describe(new QSpinBox, "autoencoder.seed", tr("Seed of the noise"))),
      result_(line("autoencoder.result", "caption", tr("Tokens reconstructed"))),
      problem_(line("autoencoder.problem", "error", tr("Problem"))) {
    noise_->setMinimumWidth(px(240));
    seed_->setRange(0, 999'999);
    seed_->setValue(1);
    auto* row = wrapBox(
        {named(tr("Noise on z"), noise_), named(tr("Seed"), seed_), named(tr("Checkpoint"), checkpoint_)});
    vboxIn(this, {text_, row, result_, problem_}, {.margins = 0, .spacing = space::kTight});
    problem_->hide();
    setCheckpoints({});
    connect(text_, &QLineEdit::textChanged, this, &AutoencoderControls::changed);
    connect(noise_, &NumberControl::valueChanged, this, &AutoencoderControls::changed);
    connect(seed_, &QSpinBox::valueChanged, this, &AutoencoderControls::changed);
    connect(checkpoint_, &QComboBox::currentIndexChanged, this, &AutoencoderControls::checkpointChanged);
}

QString AutoencoderControls::text() const {
    return text_->text();
}

QString AutoencoderControls::checkpoint() const {
    return checkpoint_->currentData().toString();
}

double AutoencoderControls::noise() const {
    return noise_->value();
}

int AutoencoderControls::seed() const {
    return seed_->value();
}

void AutoencoderControls::setCheckpoints(const std::vector<store::CheckpointRow>& rows) {
    BoxChoices choices{{QStringLiteral("last"), tr("last")}, {QStringLiteral("best"), tr("best")}};
    for (const store::CheckpointRow& row : rows)
        choices.append({QString::number(row.step), tr("step %1").arg(countText(row.step))});
    const QSignalBlocker quiet(checkpoint_);
    offerItems(*checkpoint_, choices, checkpoint());
}

void AutoencoderControls::suggest(const QString& text) {
    if (text_->text().isEmpty() && !text_->isModified()) text_->setText(text);
}

void AutoencoderControls::setResult(const QString& text) {
    result_->setText(text);
    problem_->hide();
}

void AutoencoderControls::setProblem(const QString& text) {
    problem_->setText(text);
    problem_->show();
    result_->clear();
}

QJsonObject AutoencoderControls::save() const {
    return {{QStringLiteral("text"), text()},
            {QStringLiteral("noise"), noise()},
            {QStringLiteral("seed"), seed()}};
}

void AutoencoderControls::restore(const QJsonObject& saved) {
    text_->setText(saved.value(QStringLiteral("text")).toString());
    noise_->setValue(saved.value(QStringLiteral("noise")).toDouble());
    seed_->setValue(saved.value(QStringLiteral("seed")).toInt(1));
}

}  // namespace kurve::views
