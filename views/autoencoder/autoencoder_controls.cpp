#include "views/autoencoder/autoencoder_controls.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "views/common/form/number_control.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QLabel* line(const char* name, const char* role, const QString& accessibleName) {
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(name));
    label->setProperty("role", role);
    label->setAccessibleName(accessibleName);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// A control with its name before it, which stay together where the row wraps.
QWidget* named(const QString& name, QWidget* control) {
    auto* both = new QWidget;
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(px(space::kSmall));
    auto* label = new QLabel(name);
    label->setProperty("role", "caption");
    label->setBuddy(control);
    row->addWidget(label);
    row->addWidget(control, 1);
    return both;
}

}  // namespace

AutoencoderControls::AutoencoderControls(QWidget* parent)
    : QWidget(parent),
      text_(new QLineEdit),
      checkpoint_(new QComboBox),
      noise_(new NumberControl(QStringLiteral("autoencoder.noise"),
                               tr("Standard deviation of the noise on the vectors"),
                               {0, kMostNoise, 0.05, 2})),
      seed_(new QSpinBox),
      result_(line("autoencoder.result", "caption", tr("Tokens reconstructed"))),
      problem_(line("autoencoder.problem", "error", tr("Problem"))) {
    text_->setObjectName(QStringLiteral("autoencoder.text"));
    text_->setAccessibleName(tr("Text to reconstruct"));
    text_->setPlaceholderText(tr("Text to reconstruct"));
    text_->setClearButtonEnabled(true);
    checkpoint_->setObjectName(QStringLiteral("autoencoder.checkpoint"));
    checkpoint_->setAccessibleName(tr("Checkpoint"));
    noise_->setMinimumWidth(px(240));
    seed_->setObjectName(QStringLiteral("autoencoder.seed"));
    seed_->setAccessibleName(tr("Seed of the noise"));
    seed_->setRange(0, 999'999);
    seed_->setValue(1);
    auto* row = new WrapLayout;
    row->addWidget(named(tr("Noise on z"), noise_));
    row->addWidget(named(tr("Seed"), seed_));
    row->addWidget(named(tr("Checkpoint"), checkpoint_));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(space::kTight));
    column->addWidget(text_);
    column->addLayout(row);
    column->addWidget(result_);
    column->addWidget(problem_);
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
    const QString chosen = checkpoint();
    const QSignalBlocker quiet(checkpoint_);
    checkpoint_->clear();
    checkpoint_->addItem(tr("last"), QStringLiteral("last"));
    checkpoint_->addItem(tr("best"), QStringLiteral("best"));
    for (const store::CheckpointRow& row : rows)
        checkpoint_->addItem(tr("step %1").arg(countText(row.step)), QString::number(row.step));
    checkpoint_->setCurrentIndex(std::max(0, checkpoint_->findData(chosen)));
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
