#include "views/runs/disk_panel.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "core/store/recording_trash.h"
#include "views/common/command_registry.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"
#include "views/runs/purge_button.h"

namespace kurve::views {

namespace {

constexpr double kGigabyte = 1e9;
constexpr std::size_t kMostRuns = 200;

QString sizeText(std::int64_t bytes) {
    return bytesText(static_cast<double>(bytes));
}

/// Sorts by its numbers.
class BytesItem : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget()->sortColumn();
        if (column == 0) return QTreeWidgetItem::operator<(other);
        return data(column, Qt::UserRole).toLongLong() < other.data(column, Qt::UserRole).toLongLong();
    }
    void setBytes(int column, std::int64_t bytes) {
        setText(column, sizeText(bytes));
        setData(column, Qt::UserRole, static_cast<qlonglong>(bytes));
        setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
};

enum Column { Name, All, Checkpoints, Recordings, Trash, Spare, Columns };
constexpr int kFileRole = Qt::UserRole + 1;  ///< of a recording's line: its place in the run's folder

/// What a line is about, wherever its file lies: a run, or a recording of it.
QString lineOf(const QTreeWidgetItem* line) {
    if (line->parent() == nullptr) return line->data(Name, Qt::UserRole).toString();
    const store::RecordingFile file{{}, line->data(Name, kFileRole).toString().toStdString()};
    return lineOf(line->parent()) + QLatin1Char('/') + QString::fromStdString(store::outOfTrash(file).file);
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
      rows_(new QTreeWidget),
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
    rows_->setColumnCount(Columns);
    rows_->setHeaderLabels(
        {tr("Run"), tr("On disk"), tr("Checkpoints"), tr("Recordings"), tr("In the trash"), tr("Could go")});
    rows_->headerItem()->setToolTip(Trash,
                                    tr("Recordings that are still on the disk; Ctrl+Z, or Del on them, "
                                       "brings them back"));
    rows_->headerItem()->setToolTip(Spare,
                                    tr("Checkpoints that are neither the newest nor the best nor pinned"));
    rows_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    rows_->setSortingEnabled(true);
    rows_->sortByColumn(All, Qt::DescendingOrder);
    for (int column = All; column < Columns; ++column)
        rows_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    rows_->header()->setStretchLastSection(false);
    rows_->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    rows_->header()->setMinimumSectionSize(px(80));
    // Room for the arrow of the sorted column beside a title that is aligned to the right.
    rows_->header()->setStyleSheet(
        QStringLiteral("QHeaderView::section { padding-right: %1px; }").arg(px(18)));
    setFocusProxy(rows_);
    rows_->setMinimumHeight(px(120));
    move_->setObjectName(QStringLiteral("disk.trash"));
    move_->setProperty("role", "quiet");
    purge_->setObjectName(QStringLiteral("disk.purge"));
    auto* look = new QPushButton(tr("Look again"));
    look->setObjectName(QStringLiteral("disk.look"));
    auto* head = new WrapLayout;
    head->addWidget(new QLabel(tr("Budget")));
    head->addWidget(budget_);
    head->addWidget(total_);
    head->addStretch();
    head->addWidget(look);
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
    connect(look, &QPushButton::clicked, this, &DiskPanel::measure);
    connectParts();
    registerCommands();
    showTotals();
    showTrash();
}

void DiskPanel::connectParts() {
    connect(budget_, &QDoubleSpinBox::valueChanged, this, [this] {
        showTotals();
        showProposal();
        Q_EMIT budgetChanged(budget());
    });
    connect(rows_, &QTreeWidget::itemSelectionChanged, this, &DiskPanel::showTrash);
    connect(rows_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (item->parent() == nullptr) Q_EMIT runRequested(item->data(Name, Qt::UserRole).toString());
    });
    connect(move_, &QPushButton::clicked, this, &DiskPanel::moveChosen);
    connect(purge_, &PurgeButton::confirmed, this, [this] { Q_EMIT purgeRequested(trash()); });
    connect(proposal_, &QLabel::linkActivated, this, &DiskPanel::runRequested);
    if (context().catalog != nullptr)
        connect(context().catalog, &RunCatalog::runsChanged, this, [this] {
            if (!isVisible()) return;
            runs_.empty() ? measure() : showTotals();
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
    std::vector<store::RunSummary> runs = context().catalog->runs();
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    if (runs.size() > kMostRuns) runs.resize(kMostRuns);
    reading_.run([project = *context().project, runs] { return store::diskUse(project, runs); },
                 [this](std::vector<store::RunDisk> measured) { take(std::move(measured)); });
}

QString DiskPanel::nameOf(const std::string& run) const {
    const auto* known = context().catalog->run(QString::fromStdString(run));
    return QString::fromStdString(known != nullptr && !known->name.empty() ? known->name : run);
}

void DiskPanel::take(std::vector<store::RunDisk> runs) {
    runs_ = std::move(runs);
    const Place before = place();
    rows_->setSortingEnabled(false);
    rows_->clear();
    for (const auto& run : runs_) addRun(run);
    rows_->setSortingEnabled(true);
    goTo(before);
    showTotals();
    showProposal();
    showTrash();
}

DiskPanel::Place DiskPanel::place() const {
    Place place;
    place.scrolled = rows_->verticalScrollBar()->value();
    for (QTreeWidgetItemIterator it(rows_); *it != nullptr; ++it) {
        if ((*it)->isExpanded()) place.open << lineOf(*it);
        if ((*it)->isSelected()) place.chosen << lineOf(*it);
    }
    if (const auto* line = rows_->currentItem()) place.current = lineOf(line);
    return place;
}

void DiskPanel::goTo(const Place& place) {
    for (QTreeWidgetItemIterator it(rows_); *it != nullptr; ++it) {
        const QString line = lineOf(*it);
        (*it)->setExpanded(place.open.contains(line));
        (*it)->setSelected(place.chosen.contains(line));
        if (line == place.current) rows_->setCurrentItem(*it, 0, QItemSelectionModel::NoUpdate);
    }
    rows_->verticalScrollBar()->setValue(place.scrolled);
}

void DiskPanel::addRun(const store::RunDisk& run) {
    auto* row = new BytesItem(rows_);
    row->setText(Name, nameOf(run.run));
    row->setData(Name, Qt::UserRole, QString::fromStdString(run.run));
    for (const auto& [at, bytes] :
         {std::pair{All, run.all()}, std::pair{Checkpoints, run.checkpoints},
          std::pair{Recordings, run.recordings}, std::pair{Trash, run.trash}, std::pair{Spare, run.spare}})
        row->setBytes(at, bytes);
    for (const auto& file : run.files) {
        const bool trashed = store::isTrashed(file);
        auto* child = new BytesItem(row);
        const QString name =
            QString::fromStdString(store::outOfTrash(file).file).section(QLatin1Char('/'), 1);
        child->setText(Name, trashed ? tr("%1 (in the trash)").arg(name) : name);
        if (trashed) child->setForeground(Name, theme().faint);
        child->setData(Name, kFileRole, QString::fromStdString(file.file));
        child->setBytes(All, file.bytes);
        child->setBytes(trashed ? Trash : Recordings, file.bytes);
    }
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
            if (run.trashed) trash += static_cast<double>(run.bytes);
        }
    for (const auto& run : runs_)
        if (const auto* known = context().catalog->run(QString::fromStdString(run.run));
            !known || !known->trashed)
            trash += static_cast<double>(run.trash);
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
    for (const auto& run : runs_)
        if (run.spare > 0 && lines.size() < 6)
            lines << tr("Checkpoints of <a href=\"%1\">%2</a> but the newest and the best: %3 (inspector, "
                        "Checkpoints, Prune).")
                         .arg(QString::fromStdString(run.run), nameOf(run.run).toHtmlEscaped(),
                              sizeText(run.spare));
    for (const auto& run : runs_)
        if (run.recordings > 0 && lines.size() < 7)
            lines << tr("Recordings of <a href=\"%1\">%2</a>: %3 (choose them below).")
                         .arg(QString::fromStdString(run.run), nameOf(run.run).toHtmlEscaped(),
                              sizeText(run.recordings));
    proposal_->setText(lines.isEmpty() ? QString()
                                       : tr("What could go:") + QStringLiteral("<br>• ") +
                                             lines.join(QStringLiteral("<br>• ")));
    proposal_->setVisible(!lines.isEmpty());
}

std::vector<store::RecordingFile> DiskPanel::chosen(bool trashed) const {
    std::vector<store::RecordingFile> files;
    for (const QTreeWidgetItem* item : rows_->selectedItems()) {
        const QTreeWidgetItem* run = item->parent();
        if (run == nullptr) continue;
        const store::RecordingFile file{run->data(Name, Qt::UserRole).toString().toStdString(),
                                        item->data(Name, kFileRole).toString().toStdString(),
                                        item->data(All, Qt::UserRole).toLongLong()};
        if (store::isTrashed(file) == trashed) files.push_back(file);
    }
    return files;
}

std::vector<store::RecordingFile> DiskPanel::trash() const {
    std::vector<store::RecordingFile> files;
    for (const auto& run : runs_)
        std::copy_if(run.files.begin(), run.files.end(), std::back_inserter(files), store::isTrashed);
    return files;
}

void DiskPanel::showTrash() {
    const auto away = chosen(false), back = chosen(true), all = trash();
    move_->setEnabled(!away.empty() || !back.empty());
    move_->setText(
        !away.empty()
            ? tr("Move %1 recording(s) to the trash, %2").arg(away.size()).arg(sizeText(bytesOf(away)))
        : !back.empty() ? tr("Put %1 recording(s) back, %2").arg(back.size()).arg(sizeText(bytesOf(back)))
                        : tr("Move recordings to the trash: choose some below a run"));
    move_->setToolTip(tr("Del does the same; Ctrl+Z undoes it"));
    QStringList ids;
    for (const auto& file : all) ids << QString::fromStdString(file.run + "/" + file.file);
    purge_->setTrash(ids, bytesOf(all));
}

void DiskPanel::moveChosen() {
    if (const auto away = chosen(false); !away.empty()) return Q_EMIT trashRequested(away, true);
    if (const auto back = chosen(true); !back.empty()) return Q_EMIT trashRequested(back, false);
    Q_EMIT statusMessage(tr("Choose recordings below a run; whole runs go to the trash in the run list."));
}

QString DiskPanel::statement() const {
    return total_->text();
}

}  // namespace kurve::views
