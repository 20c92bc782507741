#include "views/runs/disk_panel.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/store/recording_trash.h"
#include "views/common/command_registry.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"
#include "views/runs/disk_measurement.h"
#include "views/runs/disk_rows.h"
#include "views/runs/purge_button.h"

namespace kurve::views {

namespace {

constexpr double kGigabyte = 1e9;
constexpr std::size_t kProposed = 4;  ///< runs whose checkpoints could go

QString sizeText(std::int64_t bytes) {
    return bytesText(static_cast<double>(bytes));
}

std::int64_t bytesOf(const std::vector<store::RecordingFile>& files) {
    std::int64_t bytes = 0;
    for (const auto& file : files) bytes += file.bytes;
    return bytes;
}

}  // namespace

DiskPanel::DiskPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("disk"), tr("Disk"), context, parent),
      budget_(new QDoubleSpinBox),
      total_(new QLabel),
      proposal_(new QLabel),
      rows_(new DiskRows),
      progress_(new QLabel),
      look_(new QPushButton),
      measurement_(new DiskMeasurement(this)),
      move_(new QPushButton),
      purge_(new PurgeButton({tr("Really delete %1 recording(s)?"),
                              tr("Deletes the %1 recording(s) in the trash; nothing brings them back")})) {
    budget_->setObjectName(QStringLiteral("disk.budget"));
    budget_->setAccessibleName(tr("Budget of the project in GB"));
    budget_->setRange(0, 1e6);
    budget_->setDecimals(3);
    budget_->setSuffix(tr(" GB"));
    budget_->setSpecialValueText(tr("none"));
    budget_->setToolTip(tr("Above it status bar and this page warn; nothing is deleted by itself"));
    total_->setObjectName(QStringLiteral("disk.total"));
    proposal_->setObjectName(QStringLiteral("disk.proposal"));
    proposal_->setWordWrap(true);
    proposal_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    rows_->setObjectName(QStringLiteral("disk.rows"));
    rows_->setAccessibleName(tr("Runs and their recordings by size"));
    setFocusProxy(rows_);
    rows_->setMinimumHeight(px(120));
    move_->setObjectName(QStringLiteral("disk.trash"));
    move_->setProperty("role", "quiet");
    purge_->setObjectName(QStringLiteral("disk.purge"));
    look_->setObjectName(QStringLiteral("disk.look"));
    progress_->setObjectName(QStringLiteral("disk.progress"));
    progress_->setProperty("role", "caption");
    auto* head = new WrapLayout;
    head->addWidget(new QLabel(tr("Budget")));
    head->addWidget(budget_);
    head->addWidget(total_);
    head->addStretch();
    head->addWidget(progress_);
    head->addWidget(look_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(space::kMedium), px(space::kMedium), px(space::kMedium),
                               px(space::kMedium));
    column->setSpacing(px(space::kSmall));
    column->addLayout(head);
    column->addWidget(proposal_);
    column->addWidget(rows_, 1);
    auto* foot = new WrapLayout;
    foot->addWidget(move_);
    foot->addStretch();
    foot->addWidget(purge_);
    column->addLayout(foot);
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
        Q_EMIT budgetChanged(budget());
    });
    connect(rows_, &QTreeWidget::itemSelectionChanged, this, &DiskPanel::showTrash);
    connect(rows_, &DiskRows::runActivated, this, &DiskPanel::runRequested);
    connect(look_, &QPushButton::clicked, this,
            [this] { measurement_->running() ? measurement_->cancel() : measure(); });
    connect(measurement_, &DiskMeasurement::measured, this, &DiskPanel::take);
    connect(measurement_, &DiskMeasurement::ended, this, &DiskPanel::finish);
    connect(move_, &QPushButton::clicked, this, &DiskPanel::moveChosen);
    connect(purge_, &PurgeButton::confirmed, this, [this] { Q_EMIT purgeRequested(trash()); });
    connect(proposal_, &QLabel::linkActivated, this, &DiskPanel::runRequested);
    if (context().catalog != nullptr)
        connect(context().catalog, &RunCatalog::runsChanged, this, [this] {
            if (!isVisible()) return;
            runs_.empty() && !measurement_->running() ? measure() : takeTrash();
        });
}

void DiskPanel::registerCommands() {
    if (context().commands == nullptr) return;
    QAction* move = context().commands->add(
        {"disk.trash", tr("Move recordings to trash, or back"), tr("Run"), QKeySequence(Qt::Key_Delete),
         tr("The recordings that are chosen on the Disk page; Ctrl+Z undoes it")},
        [this] { moveChosen(); }, rows_);
    rows_->addAction(move);
    rows_->setContextMenuPolicy(Qt::ActionsContextMenu);
    context().commands->add({"disk.purge",
                             tr("Delete the trash of recordings for good"),
                             tr("Run"),
                             {},
                             tr("Frees the disk; asks once more and says how much")},
                            [this] {
                                if (purge_->isHidden())
                                    return Q_EMIT statusMessage(tr("The trash holds no recordings."));
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
    look_->setText(on ? tr("Cancel") : tr("Look again"));
    look_->setToolTip(on ? tr("Stop looking; what was found stays")
                         : tr("Look at the folders of all runs again"));
    const bool part = !on && measurement_->done() < measurement_->total();
    progress_->setVisible(on || part);
    progress_->setText((on ? tr("Looking at the folders: %1 of %2 runs") : tr("%1 of %2 runs were looked at"))
                           .arg(measurement_->done())
                           .arg(measurement_->total()));
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
    const auto* known = context().catalog->run(QString::fromStdString(run));
    return QString::fromStdString(known != nullptr && !known->name.empty() ? known->name : run);
}

/// What the list of runs says is in the trash now.
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

void DiskPanel::take(const std::vector<store::RunDisk>& some) {
    for (const auto& run : some) runs_[run.run] = run;
    rows_->put(some, [this](const std::string& run) { return nameOf(run); });
    showAll();
}

double DiskPanel::budget() const {
    return budget_->value() * kGigabyte;
}

void DiskPanel::setBudget(double bytes) {
    const QSignalBlocker quiet(budget_);
    budget_->setValue(bytes / kGigabyte);
    showTotals();
    showProposal();
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
    const QString takes =
        trash > 0 ? tr("The runs take %1, %2 of that in the trash").arg(bytesText(all), bytesText(trash))
                  : tr("The runs take %1").arg(bytesText(all));
    total_->setText(over ? tr("⚠ %1: %2 more than the budget.").arg(takes, bytesText(all - budget()))
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
        lines << tr("Empty the trash (in the run list): %1 run(s), %2.").arg(trashed).arg(bytesText(trash));
    if (const auto files = this->trash(); !files.empty())
        lines << tr("Empty the trash of recordings (below): %1, %2.")
                     .arg(files.size())
                     .arg(sizeText(bytesOf(files)));
    for (const auto* run : largest(&store::RunDisk::spare, kProposed))
        lines << tr("Checkpoints of <a href=\"%1\">%2</a> but the newest and the best: %3 (inspector, "
                    "Checkpoints, Prune).")
                     .arg(QString::fromStdString(run->run), nameOf(run->run).toHtmlEscaped(),
                          sizeText(run->spare));
    for (const auto* run : largest(&store::RunDisk::recordings, 1))
        lines << tr("Recordings of <a href=\"%1\">%2</a>: %3 (choose them below).")
                     .arg(QString::fromStdString(run->run), nameOf(run->run).toHtmlEscaped(),
                          sizeText(run->recordings));
    std::int64_t all = 0;
    for (const auto& [id, run] : runs_) all += run.couldGo();
    proposal_->setText(lines.isEmpty() ? QString()
                                       : tr("What could go, %1 in all:").arg(sizeText(all)) +
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

std::vector<store::RecordingFile> DiskPanel::trash() const {
    std::vector<store::RecordingFile> files;
    for (const auto& [id, run] : runs_)
        std::copy_if(run.files.begin(), run.files.end(), std::back_inserter(files), store::isTrashed);
    return files;
}

void DiskPanel::showTrash() {
    const auto away = rows_->chosen(false), back = rows_->chosen(true), all = trash();
    move_->setEnabled(!away.empty() || !back.empty());
    move_->setText(
        !away.empty()
            ? tr("Move %1 recording(s) to the trash, %2").arg(away.size()).arg(sizeText(bytesOf(away)))
        : !back.empty() ? tr("Put %1 recording(s) back, %2").arg(back.size()).arg(sizeText(bytesOf(back)))
                        : tr("Move recordings to the trash: choose some below a run"));
    move_->setToolTip(tr("Del does the same; Ctrl+Z undoes it"));
    QStringList ids;
    for (const auto& file : all) ids << QString::fromStdString(file.run + "/" + file.file.text());
    purge_->setTrash(ids, bytesOf(all));
}

void DiskPanel::moveChosen() {
    if (const auto away = rows_->chosen(false); !away.empty()) return Q_EMIT trashRequested(away, true);
    if (const auto back = rows_->chosen(true); !back.empty()) return Q_EMIT trashRequested(back, false);
    Q_EMIT statusMessage(tr("Choose recordings below a run; whole runs go to the trash in the run list."));
}

QString DiskPanel::statement() const {
    return total_->text();
}

}  // namespace kurve::views
