#include "views/runs/checkpoint_table.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTimer>
#include <QTreeWidget>
#include <cmath>

#include "core/wire/fields.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/runs/fork_form.h"
#include "views/runs/live_changes.h"

namespace kurve::views {

namespace {

using Kind = RunRequest::Kind;

enum Column : unsigned char { kStep, kMetric, kSize, kRetention };
constexpr int kPinnedRole = Qt::UserRole + 1, kStepRole = kPinnedRole + 1;

QPushButton* small(const char* id, const QString& text, const QString& tip) {
    return describe(new QPushButton(text), id, text, tip, {.role = "quiet"});
}

QSpinBox* number(const char* id, const QString& prefix, int low, const QString& name) {
    auto* box = describe(new QSpinBox, id, name);
    box->setPrefix(prefix);
    box->setRange(low, 1000);
    return box;
}

}  // namespace

CheckpointTable::CheckpointTable(QWidget* parent)
    : QWidget(parent), rows_(new QTreeWidget), about_(new QLabel) {
    describe(rows_, "inspector.checkpoints", tr("Checkpoints of the run"));
    rows_->setHeaderLabels({tr("Step"), tr("Metric"), tr("Size"), tr("Retention")});
    rows_->setRootIsDecorated(false);
    rows_->setUniformRowHeights(true);
    rows_->setTextElideMode(Qt::ElideMiddle);
    rows_->header()->setStretchLastSection(false);  // such a section does not get narrower
    rows_->header()->setSectionResizeMode(kRetention, QHeaderView::Stretch);
    rows_->header()->setMinimumSectionSize(px(24));
    for (int column = 0; column < 3; ++column)
        rows_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    describe(about_, "checkpoints.about", {.role = "caption", .wraps = true});
    vboxIn(this, {{rows_, 1}, buildRowActions(), buildPruning(), about_},
           {.margins = {0, space::kSmall}, .spacing = space::kTight});
    connect(rows_, &QTreeWidget::itemSelectionChanged, this, [this] {
        showStart();
        updateActions();
    });
    updateActions();
}

QWidget* CheckpointTable::buildRowActions() {
    sample_ = small("checkpoints.sample", tr("Sample"), tr("Generate with this checkpoint in Inspect"));
    resume_ = small("checkpoints.resume", tr("Resume"),
                    tr("Resume training from this checkpoint; later steps are kept as an earlier attempt"));
    fork_ = small("checkpoints.fork", tr("Fork"),
                  tr("Train a new run from this checkpoint, with the changes below"));
    pin_ = small("checkpoints.pin", tr("Pin"), tr("Pin / unpin (never pruned)"));
    fetch_ = small("checkpoints.fetch", tr("Fetch"), {});
    form_ = new ForkForm;
    auto* buttons = wrapBox({fetch_, sample_, resume_, fork_, pin_}, {.spacing = 2});
    connect(sample_, &QPushButton::clicked, this, [this] { send(Kind::Sample); });
    connect(fetch_, &QPushButton::clicked, this, [this] { send(Kind::Fetch); });
    connect(resume_, &QPushButton::clicked, this, [this] { send(Kind::Resume); });
    connect(fork_, &QPushButton::clicked, this, [this] {
        if (!form_->proposeEnd()) send(Kind::Fork);
    });
    connect(form_, &ForkForm::changed, this, &CheckpointTable::updateActions);
    connect(pin_, &QPushButton::clicked, this, &CheckpointTable::pinSelected);
    return boxed(vbox({buttons, form_}, {.margins = 0, .spacing = space::kTight}));
}

QWidget* CheckpointTable::buildPruning() {
    keepLast_ = number("checkpoints.last", tr("newest "), 1, tr("Newest checkpoints to keep"));
    keepBest_ = number("checkpoints.best", tr("best "), 0, tr("Best checkpoints to keep"));
    prune_ = small("checkpoints.prune", tr("Prune"), tr("Delete the checkpoints that no rule keeps"));
    auto* keep = describe(new QLabel(tr("Keep")), {.role = "caption"});
    for (QSpinBox* spin : {keepLast_, keepBest_})
        connect(spin, &QSpinBox::valueChanged, this, [this] {
            if (filling_) return;
            clearRetention();
            send(Kind::Retention);
        });
    clearRetention();
    connect(prune_, &QPushButton::clicked, this, [this] { send(Kind::Prune); });
    return boxed(wrapBox({keep, keepLast_, keepBest_, Stretch{}, prune_}, {.spacing = space::kTight}));
}

bool CheckpointTable::pinSelected() {
    const auto rows = rows_->selectedItems();
    if (rows.isEmpty()) return false;
    send(rows.first()->data(kStep, kPinnedRole).toBool() ? Kind::Unpin : Kind::Pin);
    return true;
}

/// Pruning is disabled until it is known what it frees under these settings.
void CheckpointTable::clearRetention() {
    prune_->setText(tr("Prune"));
    prunable_ = false;
    prune_->setEnabled(false);
}

void CheckpointTable::send(Kind kind) {
    RunRequest request;
    request.kind = kind;
    request.run = run_;
    const auto rows = rows_->selectedItems();
    if (!rows.isEmpty()) request.checkpoint = rows.first()->data(kStep, Qt::UserRole).toString();
    if (kind == Kind::Fork) request.settings = form_->settings();
    request.keepLast = keepLast_->value();
    request.keepBest = keepBest_->value();
    const bool wholeRun = kind == Kind::Retention || kind == Kind::Prune;
    if (run_.isEmpty() || (!wholeRun && request.checkpoint.isEmpty())) return;
    Q_EMIT requested(request);
}

void CheckpointTable::setAway(const QString& machine, const QStringList& checkpoints) {
    machine_ = machine;
    away_ = checkpoints;
}

bool CheckpointTable::isAway(const QTreeWidgetItem& row) const {
    return away_.contains(row.data(kStep, Qt::UserRole).toString());
}

void CheckpointTable::setRun(const QString& id, const RunData* data, bool live) {
    live_ = live;
    QString state = id;
    if (data)
        for (const auto& row : data->checkpoints)
            state +=
                QStringLiteral("|%1:%2:%3:%4").arg(row.step).arg(row.bytes).arg(row.pinned).arg(row.metric);
    state += machine_ + away_.join(QLatin1Char('|'));
    const bool other = id != run_;
    if (other) {
        about_->clear();
        form_->setStart(0, {});
    }
    run_ = id;
    if (state != shown_) {
        shown_ = state;
        clearRetention();
        const auto rows = rows_->selectedItems();
        const QString selected =
            rows.isEmpty() || other ? QString() : rows.first()->data(kStep, Qt::UserRole).toString();
        rows_->clear();
        for (const auto& row : data ? data->checkpoints : std::vector<store::CheckpointRow>()) {
            const QString name = QString::fromStdString(row.path.name());
            auto* item = new QTreeWidgetItem(
                rows_,
                {countText(row.step), std::isnan(row.metric) ? QStringLiteral("–") : numberText(row.metric),
                 bytesText(static_cast<double>(row.bytes)), row.pinned ? tr("pinned") : QString()});
            item->setData(kStep, Qt::UserRole, name);
            item->setData(kStep, kPinnedRole, row.pinned);
            item->setData(kStep, kStepRole, static_cast<qint64>(row.step));
            item->setToolTip(kStep, QString::fromStdString(row.path.text() + "\n" + row.sha256));
            if (isAway(*item)) {
                item->setText(kSize, tr("on %1").arg(machine_));
                item->setToolTip(kSize, tr("%1, on %2 only; “Fetch” copies it")
                                            .arg(bytesText(static_cast<double>(row.bytes)), machine_));
            }
            item->setSelected(name == selected);
        }
        if (rows_->selectedItems().isEmpty() && rows_->topLevelItemCount() > 0)
            rows_->topLevelItem(rows_->topLevelItemCount() - 1)->setSelected(true);
        if (isVisible()) requestRetention();
    }
    updateActions();
}

void CheckpointTable::requestRetention() {
    if (run_.isEmpty() || retentionOf_ == shown_ || rows_->topLevelItemCount() == 0) return;
    retentionOf_ = shown_;
    Q_EMIT requested({.kind = Kind::Retention, .run = run_});  // by the run's own policy
}

/// Focuses it, and scrolls to it once its tab is laid out.
void CheckpointTable::bring(QWidget* control) {
    control->setFocus(Qt::OtherFocusReason);
    QTimer::singleShot(0, control, [control] {
        for (QWidget* at = control->parentWidget(); at != nullptr; at = at->parentWidget())
            if (auto* area = qobject_cast<QScrollArea*>(at)) area->ensureWidgetVisible(control);
    });
}

void CheckpointTable::focusPruning() {
    bring(prune_->isEnabled() ? static_cast<QWidget*>(prune_) : keepLast_);
}

void CheckpointTable::focusFork() {
    bring(fork_);
}

void CheckpointTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    requestRetention();
}

void CheckpointTable::setRetention(const nlohmann::json& answer) {
    const wire::Fields fields(answer);
    if (fields.text("run") != run_.toStdString()) return;
    filling_ = true;
    keepLast_->setValue(fields.integer("keep_last", 1));
    keepBest_->setValue(fields.integer("keep_best", 0));
    filling_ = false;
    int surplus = 0;
    for (const nlohmann::json& one : fields.list("checkpoints")) {
        const wire::Fields entry(one);
        const QString name = QFileInfo(QString::fromStdString(entry.text("path"))).fileName();
        QStringList reasons;
        for (const std::string& reason : entry.texts("kept_as")) reasons << QString::fromStdString(reason);
        surplus += reasons.isEmpty();
        for (int row = 0; row < rows_->topLevelItemCount(); ++row) {
            QTreeWidgetItem* item = rows_->topLevelItem(row);
            if (item->data(kStep, Qt::UserRole).toString() != name) continue;
            item->setText(kRetention,
                          reasons.isEmpty() ? tr("– not kept") : reasons.join(QStringLiteral(", ")));
            item->setToolTip(kRetention, item->text(kRetention));
        }
    }
    const double all = fields.number("bytes"), freed = fields.number("prunable_bytes");
    about_->setText(surplus == 0
                        ? tr("Total %1; nothing to prune.").arg(bytesText(all))
                        : tr("Total %1; pruning removes %2 and frees %3.")
                              .arg(bytesText(all), countedText(surplus, tr("checkpoint")), bytesText(freed)));
    prune_->setText(surplus == 0 ? tr("Prune") : tr("Prune: free %1").arg(bytesText(freed)));
    prunable_ = surplus > 0;
    updateActions();
}

void CheckpointTable::setProblem(const QString& text) {
    about_->setText(text);
}

void CheckpointTable::offerIntact(qint64 step, const QString& why) {
    for (int row = 0; row < rows_->topLevelItemCount(); ++row)
        if (QTreeWidgetItem* item = rows_->topLevelItem(row); item->text(kStep) == countText(step))
            rows_->setCurrentItem(item);
    setProblem(why);
    bring(resume_);
}

/// The form begins from the selected checkpoint.
void CheckpointTable::showStart() {
    const auto rows = rows_->selectedItems();
    if (rows.isEmpty()) return;
    const auto name = rows.first()->data(kStep, Qt::UserRole).toString().toStdString();
    const auto file = store::RunFile::parse("checkpoints/" + name);
    form_->setStart(rows.first()->data(kStep, kStepRole).toLongLong(),
                    file ? liveChanges(folder_, *file) : std::vector<Override>());
}

void CheckpointTable::updateActions() {
    const auto rows = rows_->selectedItems();
    const bool any = !rows.isEmpty(), away = any && isAway(*rows.first());
    pin_->setEnabled(any &&
                     (live_ || machine_.isEmpty()));  // of a copy that nobody follows, its machine pins
    sample_->setEnabled(any && !away);
    fetch_->setVisible(!away_.isEmpty());
    fetch_->setEnabled(away);
    fetch_->setToolTip(
        tr("Copy this checkpoint from %1; its weights are needed here to sample, score or fork")
            .arg(machine_));
    fork_->setEnabled(any && !away && form_->isValid());
    const QString step = any ? rows.first()->text(kStep) : QString();
    const auto changes = form_->settings().size();
    fork_->setText(!any           ? tr("Fork")
                   : changes == 0 ? tr("Fork at %1").arg(step)
                                  : tr("Fork at %1, %2 set").arg(step).arg(changes));
    resume_->setText(any ? tr("Resume from %1").arg(step) : tr("Resume"));
    resume_->setEnabled(any && !live_);
    pin_->setText(any && rows.first()->data(kStep, kPinnedRole).toBool() ? tr("Unpin") : tr("Pin"));
    prune_->setEnabled(prunable_ && !live_ && machine_.isEmpty());
}

}  // namespace kurve::views
