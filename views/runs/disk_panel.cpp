#include "views/runs/disk_panel.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/store/trace_trash.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/project_files.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/runs/disk_measurement.h"
#include "views/runs/disk_rows.h"
#include "views/runs/purge_button.h"

namespace kurve::views {

namespace {

constexpr double kGigabyte = 1e9;
constexpr std::size_t kProposed = 4;  ///< runs whose checkpoints are proposed

QString sizeText(std::int64_t bytes) {
    return bytesText(static_cast<double>(bytes));
}

std::int64_t bytesOf(const std::vector<store::TraceFile>& files) {
    std::int64_t bytes = 0;
    for (const auto& file : files) bytes += file.bytes;
    return bytes;
}

QString tracesText(const std::vector<store::TraceFile>& files) {
    return countedText(static_cast<qint64>(files.size()), DiskPanel::tr("trace"));
}

}  // namespace

DiskPanel::DiskPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("disk"), tr("Disk"), context, parent),
      budget_(new QDoubleSpinBox),
      total_(describe(new QLabel, "disk.total")),
      proposal_(describe(new QLabel, "disk.proposal", {.wraps = true})),
      rows_(describe(new DiskRows, "disk.rows", tr("Runs and their traces by size"))),
      progress_(describe(new QLabel, "disk.progress", {.role = "caption"})),
      rescan_(describe(new QPushButton, "disk.rescan")),
      measurement_(new DiskMeasurement(this)),
      move_(describe(new QPushButton, "disk.trash", {.role = "quiet"})),
      purge_(new PurgeButton(tr("trace"))) {
    describe(budget_, "disk.budget", tr("Budget of the project in GB"),
             tr("The status bar and this page warn above the budget; nothing is deleted automatically"));
    budget_->setRange(0, 1e6);
    budget_->setDecimals(3);
    budget_->setSuffix(tr(" GB"));
    budget_->setSpecialValueText(tr("none"));
    budget_->setValue(ask<ProjectFiles>().diskBudget() / kGigabyte);
    proposal_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    setFocusProxy(rows_);
    rows_->setMinimumHeight(px(120));
    purge_->setObjectName(QStringLiteral("disk.purge"));
    auto* head = wrapBox({new QLabel(tr("Budget")), budget_, total_, Stretch{}, progress_, rescan_});
    vboxIn(this, {head, proposal_, {rows_, 1}, wrapBox({move_, Stretch{}, purge_})},
           {.margins = space::kMedium, .spacing = space::kSmall});
    connectParts();
    registerCommands();
    showTotals();
    showTrash();
    showProgress();
}

void DiskPanel::connectParts() {
    connect(budget_, &QDoubleSpinBox::valueChanged, this, [this] {
        showTotals();
        showProposal();
        ask<ProjectFiles>().setDiskBudget(budget());
    });
    connect(rows_, &QTreeWidget::itemSelectionChanged, this, &DiskPanel::showTrash);
    connect(rows_, &DiskRows::runActivated, this, &DiskPanel::showRun);
    connect(rescan_, &QPushButton::clicked, this,
            [this] { measurement_->running() ? measurement_->cancel() : measure(); });
    connect(measurement_, &DiskMeasurement::measured, this, &DiskPanel::take);
    connect(measurement_, &DiskMeasurement::ended, this, &DiskPanel::finish);
    connect(move_, &QPushButton::clicked, this, &DiskPanel::moveSelected);
    connect(purge_, &PurgeButton::confirmed, this, [this] { ask<ProjectFiles>().purgeTraces(trash()); });
    connect(&ask<ProjectFiles>(), &ProjectFiles::tracesChanged, this, &DiskPanel::measure);
    connect(proposal_, &QLabel::linkActivated, this, &DiskPanel::showRun);
    if (context().catalog != nullptr)
        connect(context().catalog, &RunCatalog::runsChanged, this, [this] {
            if (!isVisible()) return;
            runs_.empty() && !measurement_->running() ? measure() : takeTrash();
        });
}

void DiskPanel::registerCommands() {
    if (context().commands == nullptr) return;
    QAction* move = context().commands->add(
        {"disk.trash", tr("Move traces to trash / restore"), tr("Run"), QKeySequence(Qt::Key_Delete),
         tr("The traces selected on the Disk page; Ctrl+Z undoes it")},
        [this] { moveSelected(); }, rows_);
    rows_->addAction(move);
    rows_->setContextMenuPolicy(Qt::ActionsContextMenu);
    const CommandGroup add(context().commands, tr("Run"));
    add("disk.purge", tr("Empty the trash of traces"), {},
        tr("Frees disk space; asks for confirmation and shows the size"), [this] {
            if (purge_->isHidden()) return Q_EMIT statusMessage(tr("The trash holds no traces."));
            purge_->press();
        });
}

void DiskPanel::showEvent(QShowEvent* event) {
    Panel::showEvent(event);
    measure();
}

void DiskPanel::measure() {
    if (context().catalog == nullptr || context().project == nullptr) return;
    rows_->setFilling(true);
    measurement_->start(*context().project, context().catalog->runs());
    showProgress();
}

void DiskPanel::showProgress() {
    const bool on = measurement_->running();
    rescan_->setText(on ? tr("Cancel") : tr("Rescan"));
    rescan_->setToolTip(on ? tr("Stop scanning; keeps what was found")
                           : tr("Rescan the folders of all runs"));
    const bool part = !on && measurement_->done() < measurement_->total();
    progress_->setVisible(on || part);
    progress_->setText((on ? tr("Scanning: %1 of %2") : tr("%1 of %2 scanned"))
                           .arg(measurement_->done())
                           .arg(countedText(static_cast<qint64>(measurement_->total()), tr("run"))));
}

void DiskPanel::finish() {
    if (measurement_->done() == measurement_->total()) {
        QStringList there;
        for (const auto& run : context().catalog->runs()) there << QString::fromStdString(run.id);
        rows_->keepOnly(there);
        std::erase_if(runs_, [&](const auto& entry) {
            return context().catalog->run(QString::fromStdString(entry.first)) == nullptr;
        });
    }
    rows_->setFilling(false);
    showAll();
}

void DiskPanel::showAll() {
    showTotals();
    showProposal();
    showTrash();
    showProgress();
}

QString DiskPanel::nameOf(const std::string& run) const {
    return context().catalog->nameOf(QString::fromStdString(run));
}

/// Takes over which runs of the run list are in the trash now.
void DiskPanel::takeTrash() {
    std::vector<store::RunDisk> others;
    for (auto& [id, run] : runs_) {
        const auto* known = context().catalog->run(QString::fromStdString(id));
        if (known == nullptr || std::exchange(run.trashed, known->trashed) == known->trashed) continue;
        others.push_back(run);
    }
    if (others.empty()) return showTotals();
    take(others);
}

void DiskPanel::take(const std::vector<store::RunDisk>& batch) {
    for (const auto& run : batch) runs_[run.run] = run;
    rows_->put(batch, [this](const std::string& run) { return nameOf(run); });
    showAll();
}

double DiskPanel::budget() const {
    return budget_->value() * kGigabyte;
}

void DiskPanel::showRun(const QString& id) {
    context().selection->setRuns({id});
}

void DiskPanel::showTotals() {
    double all = 0, trash = 0;
    if (context().catalog != nullptr)
        for (const auto& run : context().catalog->runs()) {
            all += static_cast<double>(run.bytes);
            const auto measured = runs_.find(run.id);
            if (run.trashed)
                trash += static_cast<double>(run.bytes);
            else if (measured != runs_.end())
                trash += static_cast<double>(measured->second.trash);
        }
    const bool over = budget() > 0 && all > budget();
    const QString takes = trash > 0
                              ? tr("Runs: %1, of which %2 in the trash").arg(bytesText(all), bytesText(trash))
                              : tr("Runs: %1").arg(bytesText(all));
    total_->setText(over ? tr("⚠ %1: %2 over budget.").arg(takes, bytesText(all - budget()))
                         : tr("%1.").arg(takes));
    total_->setStyleSheet(over ? QStringLiteral("color:%1").arg(theme().bad.name()) : QString());
}

void DiskPanel::showProposal() {
    QStringList lines;
    double trash = 0;
    int trashed = 0;
    for (const auto& run : context().catalog ? context().catalog->runs() : std::vector<store::RunSummary>())
        if (run.trashed) {
            trash += static_cast<double>(run.bytes);
            ++trashed;
        }
    if (trashed > 0)
        lines << tr("Trash of the run list: %1, %2.").arg(countedText(trashed, tr("run")), bytesText(trash));
    if (const auto files = this->trash(); !files.empty())
        lines << tr("Trash of traces (below): %1, %2.").arg(files.size()).arg(sizeText(bytesOf(files)));
    for (const auto* run : largest(&store::RunDisk::spare, kProposed))
        lines << tr("Checkpoints of <a href=\"%1\">%2</a> except the newest and the best: %3 "
                    "(inspector, Checkpoints, Prune).")
                     .arg(QString::fromStdString(run->run), nameOf(run->run).toHtmlEscaped(),
                          sizeText(run->spare));
    for (const auto* run : largest(&store::RunDisk::traces, 1))
        lines << tr("Traces of <a href=\"%1\">%2</a>: %3 (select them below).")
                     .arg(QString::fromStdString(run->run), nameOf(run->run).toHtmlEscaped(),
                          sizeText(run->traces));
    std::int64_t all = 0;
    for (const auto& [id, run] : runs_) all += run.reclaimable();
    proposal_->setText(lines.isEmpty() ? QString()
                                       : tr("Reclaimable, %1 in total:").arg(sizeText(all)) +
                                             QStringLiteral("<br>• ") + lines.join(QStringLiteral("<br>• ")));
    proposal_->setVisible(!lines.isEmpty());
}

std::vector<const store::RunDisk*> DiskPanel::largest(std::int64_t store::RunDisk::*part,
                                                      std::size_t most) const {
    std::vector<const store::RunDisk*> runs;
    for (const auto& [id, run] : runs_)
        if (run.*part > 0 && !run.trashed) runs.push_back(&run);
    const auto end = runs.begin() + static_cast<std::ptrdiff_t>(std::min(most, runs.size()));
    std::partial_sort(runs.begin(), end, runs.end(), [part](const auto* a, const auto* b) {
        return std::pair(b->*part, a->run) < std::pair(a->*part, b->run);
    });
    runs.erase(end, runs.end());
    return runs;
}

std::vector<store::TraceFile> DiskPanel::trash() const {
    std::vector<store::TraceFile> files;
    for (const auto& [id, run] : runs_)
        std::copy_if(run.files.begin(), run.files.end(), std::back_inserter(files), store::isTrashed);
    return files;
}

void DiskPanel::showTrash() {
    const auto toTrash = rows_->selectedTraces(false), restored = rows_->selectedTraces(true), all = trash();
    move_->setEnabled(!toTrash.empty() || !restored.empty());
    move_->setText(
        !toTrash.empty() ? tr("Move %1 to the trash, %2").arg(tracesText(toTrash), sizeText(bytesOf(toTrash)))
        : !restored.empty() ? tr("Restore %1, %2").arg(tracesText(restored), sizeText(bytesOf(restored)))
                            : tr("Select traces below a run to move them to the trash"));
    move_->setToolTip(tr("Delete key; Ctrl+Z undoes it"));
    QStringList ids;
    for (const auto& file : all) ids << QString::fromStdString(file.run + "/" + file.file.text());
    purge_->setTrash(ids, bytesOf(all));
}

void DiskPanel::moveSelected() {
    const auto toTrash = rows_->selectedTraces(false), restored = rows_->selectedTraces(true);
    const auto& moved = toTrash.empty() ? restored : toTrash;
    if (!moved.empty()) return ask<ProjectFiles>().trashTraces(moved, !toTrash.empty());
    Q_EMIT statusMessage(tr("Select traces below a run; move whole runs to the trash in the run list."));
}

QString DiskPanel::statement() const {
    return total_->text();
}

}  // namespace kurve::views
