#include "views/launch/plan_bar.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTreeWidget>

#include "core/wire/fields.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/launch/draft/draft_actions.h"

namespace kurve::views {

namespace {

constexpr int kDefaultDraws = 8;

}  // namespace

PlanBar::PlanBar(QWidget* parent)
    : QWidget(parent),
      sweep_(describe(new QWidget, {.hidden = true})),
      count_(new QLabel),
      memory_(describe(new QLabel, "launch.memory", {.wraps = true})),
      estimate_(describe(new QLabel, "launch.estimate", {.role = "caption", .wraps = true})),
      warnings_(describe(new QLabel, "launch.warnings", {.role = "error", .wraps = true})),
      mode_(describe(new QComboBox, "launch.sweep.mode", tr("Grid or random search"))),
      draws_(describe(new QSpinBox, "launch.sweep.draws", tr("Number of random runs"))),
      matrix_(describe(new QTreeWidget, "launch.sweep.matrix", tr("Runs of the matrix"))) {
    mode_->addItems({tr("all combinations"), tr("random draws")});
    draws_->setRange(1, 200);
    draws_->setValue(kDefaultDraws);
    setCountSuffix(*draws_, tr("run"));
    matrix_->setRootIsDecorated(false);
    matrix_->setUniformRowHeights(true);
    matrix_->setSelectionMode(QAbstractItemView::NoSelection);
    matrix_->setFixedHeight(px(116));
    auto* line = wrapBox({count_, Stretch{}, mode_, draws_});
    vboxIn(sweep_, {line, matrix_}, {.margins = 0, .spacing = space::kTight});
    vboxIn(this, {sweep_, memory_, estimate_, warnings_}, {.margins = 0, .spacing = space::kTight});
    for (QLabel* label : {memory_, estimate_, warnings_}) label->hide();
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
    machine_ = draft.machine();
    processes_ = draft.processes();
    if (now == shown_) return;
    shown_ = now;  // the results are of other settings
    setMemory(nullptr);
    estimate_->hide();
    warnings_->hide();
}

void PlanBar::fillMatrix(const Draft& draft) {
    QStringList keys;
    for (const QString& axis : draft.axes()) keys << axis.section(QLatin1Char('='), 0, 0);
    count_->setText(draft.isValid() ? countedText(static_cast<qint64>(runs_), tr("run"))
                                    : tr("The matrix has errors"));
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
        estimate_->setText(machine_.isEmpty() ? tr("Measuring ten steps…")
                                              : tr("Measuring ten steps on %1…").arg(machine_));
        return Q_EMIT resultShown();
    }
    double seconds = 0, memory = 0;
    QStringList warnings;
    for (const auto& dryRun : dryRuns) {
        const wire::Fields measured(dryRun);
        seconds += measured.number("eta_seconds") / static_cast<double>(dryRuns.size());
        memory = std::max(memory, measured.number("peak_memory_mb"));
        for (const std::string& warning : measured.texts("warnings"))
            warnings << QStringLiteral("⚠ ") + QString::fromStdString(warning);
    }
    const wire::Fields first(dryRuns.front()), step = first.object("step_seconds");
    QString text =
        tr("%1 ms per step (%2 to %3) · %4 · %5 of memory · %6 per checkpoint")
            .arg(numberText(1000 * step.number("median"), 3), numberText(1000 * step.number("min"), 3),
                 numberText(1000 * step.number("max"), 3),
                 countedText(first.integer("total_steps", qint64(0)), tr("step")), bytesText(memory * 1e6),
                 bytesText(first.number("checkpoint_mb") * 1e6));
    text += runs_ > 1 ? tr("\n%1 runs of about %2: %3 in sequence")
                            .arg(runs_)
                            .arg(durationText(seconds), durationText(seconds * static_cast<double>(runs_)))
                      : tr("\nTotal time about %1").arg(durationText(seconds));
    if (processes_ > 1) text.prepend(tr("Measured with one process\n"));
    if (first.has("machine"))
        text.prepend(tr("Measured on %1\n").arg(QString::fromStdString(first.text("machine"))));
    estimate_->setText(text);
    warnings.removeDuplicates();
    warnings_->setText(warnings.join(QLatin1Char('\n')));
    warnings_->setVisible(!warnings.isEmpty());
    Q_EMIT resultShown();
}

void PlanBar::setMemory(const nlohmann::json& estimate, const QString& why) {
    const wire::Fields fields(estimate), parts = fields.object("memory_mb");
    const auto part = [&](const char* key) { return bytesText(parts.number(key) * 1e6); };
    const double free = fields.number("free_memory_mb");
    QString shortage;
    QString text = why;
    if (parts.has("total")) {
        text = tr("About %1 of memory: weights %2, gradients %3, optimizer %4, activations %5")
                   .arg(part("total"), part("weights"), part("gradients"), part("optimizer"),
                        part("activations"));
        if (!machine_.isEmpty()) {
            text += tr(" · free memory of %1: not known here").arg(machine_);
        } else if (free > 0) {
            text += tr(" · %1 free").arg(bytesText(free * 1e6));
        }
        if (machine_.isEmpty()) shortage = memoryShortage(estimate);
        if (!shortage.isEmpty())
            text = QStringLiteral("⚠ ") + text +
                   tr("\nLower train.batch_tokens or the model size; press Start twice to train anyway");
    }
    setStyleProperty(*memory_, "role", shortage.isEmpty() ? "caption" : "error");
    memory_->setText(text);
    memory_->setVisible(!text.isEmpty());
}

void PlanBar::setProblem(const QString& text) {
    estimate_->hide();
    warnings_->setText(text);
    warnings_->setVisible(!text.isEmpty());
    if (!text.isEmpty()) Q_EMIT resultShown();
}

}  // namespace kurve::views
