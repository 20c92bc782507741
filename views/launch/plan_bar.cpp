#include "views/launch/plan_bar.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

namespace kurve::views {

namespace {

constexpr int kUsualDraws = 8;

double numberOf(const nlohmann::json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

PlanBar::PlanBar(QWidget* parent)
    : QWidget(parent),
      sweep_(new QWidget),
      count_(new QLabel),
      estimate_(new QLabel),
      warnings_(new QLabel),
      mode_(new QComboBox),
      draws_(new QSpinBox),
      matrix_(new QTreeWidget) {
    mode_->addItems({tr("every combination"), tr("at random")});
    mode_->setObjectName(QStringLiteral("launch.sweep.mode"));
    mode_->setAccessibleName(tr("Which runs of the matrix"));
    draws_->setRange(1, 200);
    draws_->setValue(kUsualDraws);
    draws_->setSuffix(tr(" runs"));
    draws_->setObjectName(QStringLiteral("launch.sweep.draws"));
    draws_->setAccessibleName(tr("How many random runs"));
    matrix_->setObjectName(QStringLiteral("launch.sweep.matrix"));
    matrix_->setAccessibleName(tr("The runs of the matrix"));
    matrix_->setRootIsDecorated(false);
    matrix_->setUniformRowHeights(true);
    matrix_->setSelectionMode(QAbstractItemView::NoSelection);
    matrix_->setFixedHeight(px(116));
    estimate_->setObjectName(QStringLiteral("launch.estimate"));
    estimate_->setProperty("role", "caption");
    estimate_->setWordWrap(true);
    warnings_->setObjectName(QStringLiteral("launch.warnings"));
    warnings_->setProperty("role", "error");
    warnings_->setWordWrap(true);
    auto* line = new WrapLayout;
    line->addWidget(count_);
    line->addStretch();
    line->addWidget(mode_);
    line->addWidget(draws_);
    auto* sweepLayout = new QVBoxLayout(sweep_);
    sweepLayout->setContentsMargins(0, 0, 0, 0);
    sweepLayout->setSpacing(px(space::kTight));
    sweepLayout->addLayout(line);
    sweepLayout->addWidget(matrix_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(space::kTight));
    layout->addWidget(sweep_);
    layout->addWidget(estimate_);
    layout->addWidget(warnings_);
    for (QWidget* widget : {sweep_, static_cast<QWidget*>(estimate_), static_cast<QWidget*>(warnings_)})
        widget->hide();
    connect(mode_, &QComboBox::currentIndexChanged, this, &PlanBar::choose);
    connect(draws_, &QSpinBox::valueChanged, this, &PlanBar::choose);
}

void PlanBar::choose() {
    draws_->setVisible(mode_->currentIndex() == 1);
    if (!filling_) Q_EMIT drawsChosen(mode_->currentIndex() == 1 ? draws_->value() : 0);
}

void PlanBar::setDraft(const Draft& draft) {
    filling_ = true;
    mode_->setCurrentIndex(draft.draws() > 0 ? 1 : 0);
    if (draft.draws() > 0) draws_->setValue(draft.draws());
    draws_->setVisible(draft.draws() > 0);
    filling_ = false;
    runs_ = draft.runs().size();
    sweep_->setVisible(!draft.axes().isEmpty());
    if (!draft.axes().isEmpty()) fillMatrix(draft);
    const QString now = draft.commandLine({}) + draft.axes().join(QLatin1Char(' '));
    if (now == shown_) return;
    shown_ = now;  // what was measured is about other settings
    estimate_->hide();
    warnings_->hide();
}

void PlanBar::fillMatrix(const Draft& draft) {
    QStringList keys;
    for (const QString& axis : draft.axes()) keys << axis.section(QLatin1Char('='), 0, 0);
    count_->setText(draft.isValid() ? tr("%1 runs").arg(runs_) : tr("The matrix is not in order yet"));
    matrix_->clear();
    matrix_->setColumnCount(static_cast<int>(keys.size()));
    matrix_->setHeaderLabels(keys);
    matrix_->setVisible(draft.isValid());
    if (!draft.isValid()) return;
    for (const auto& run : draft.runs()) {
        QStringList cells;
        for (const QString& key : keys) {
            const auto value = run.find(key.toStdString());
            cells << (value == run.end() ? QString() : QString::fromStdString(value->second));
        }
        new QTreeWidgetItem(matrix_, cells);
    }
}

void PlanBar::setMeasured(const std::vector<nlohmann::json>& dryRuns) {
    estimate_->show();
    warnings_->hide();
    if (dryRuns.empty()) {
        estimate_->setText(tr("Measuring ten steps…"));
        return Q_EMIT told();
    }
    double seconds = 0, memory = 0;
    QStringList warnings;
    for (const auto& measured : dryRuns) {
        seconds += numberOf(measured, "eta_seconds") / static_cast<double>(dryRuns.size());
        memory = std::max(memory, numberOf(measured, "peak_memory_mb"));
        for (const auto& warning : measured.value("warnings", nlohmann::json::array()))
            warnings << QStringLiteral("⚠ ") + QString::fromStdString(warning.get<std::string>());
    }
    const nlohmann::json& first = dryRuns.front();
    const auto& step = first.value("step_seconds", nlohmann::json::object());
    QString text =
        tr("%1 ms a step (%2 to %3) · %4 steps · %5 of memory · %6 a checkpoint")
            .arg(numberText(1000 * numberOf(step, "median"), 3), numberText(1000 * numberOf(step, "min"), 3),
                 numberText(1000 * numberOf(step, "max"), 3),
                 countText(static_cast<qint64>(numberOf(first, "total_steps"))), bytesText(memory * 1e6),
                 bytesText(numberOf(first, "checkpoint_mb") * 1e6));
    text += runs_ > 1 ? tr("\n%1 runs of about %2: %3 one after another")
                            .arg(runs_)
                            .arg(durationText(seconds), durationText(seconds * static_cast<double>(runs_)))
                      : tr("\nDone in about %1").arg(durationText(seconds));
    estimate_->setText(text);
    warnings.removeDuplicates();
    warnings_->setText(warnings.join(QLatin1Char('\n')));
    warnings_->setVisible(!warnings.isEmpty());
    Q_EMIT told();
}

void PlanBar::setProblem(const QString& text) {
    estimate_->hide();
    warnings_->setText(text);
    warnings_->setVisible(!text.isEmpty());
    if (!text.isEmpty()) Q_EMIT told();
}

}  // namespace kurve::views
