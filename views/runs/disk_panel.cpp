#include "views/runs/disk_panel.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

namespace kurve::views {

namespace {

constexpr double kGigabyte = 1e9;
constexpr int kPatience = 6000;  ///< milliseconds for the second press
constexpr std::size_t kMostRuns = 200;

QString bytesOf(std::int64_t bytes) {
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
        setText(column, bytesOf(bytes));
        setData(column, Qt::UserRole, static_cast<qlonglong>(bytes));
        setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
};

enum Column { Name, All, Checkpoints, Recordings, Spare, Columns };

}  // namespace

DiskPanel::DiskPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("disk"), tr("Disk"), context, parent),
      budget_(new QDoubleSpinBox),
      total_(new QLabel),
      proposal_(new QLabel),
      rows_(new QTreeWidget),
      delete_(new QPushButton) {
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
    rows_->setHeaderLabels({tr("Run"), tr("On disk"), tr("Checkpoints"), tr("Recordings"), tr("Could go")});
    rows_->headerItem()->setToolTip(Spare,
                                    tr("Checkpoints that are neither the newest nor the best nor pinned"));
    rows_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    rows_->setSortingEnabled(true);
    rows_->sortByColumn(All, Qt::DescendingOrder);
    rows_->setColumnWidth(Name, px(300));
    rows_->setMinimumHeight(px(120));
    delete_->setObjectName(QStringLiteral("disk.delete"));
    delete_->setProperty("role", "quiet");
    forget_.setSingleShot(true);
    forget_.setInterval(kPatience);
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
    column->addWidget(delete_, 0, Qt::AlignLeft);
    connect(look, &QPushButton::clicked, this, &DiskPanel::measure);
    connect(budget_, &QDoubleSpinBox::valueChanged, this, [this] {
        showTotals();
        showProposal();
        Q_EMIT budgetChanged(budget());
    });
    connect(rows_, &QTreeWidget::itemSelectionChanged, this, [this] {
        forget_.stop();
        showDelete();
    });
    connect(rows_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (item->parent() == nullptr) Q_EMIT runRequested(item->data(Name, Qt::UserRole).toString());
    });
    connect(delete_, &QPushButton::clicked, this, &DiskPanel::pressDelete);
    connect(&forget_, &QTimer::timeout, this, &DiskPanel::showDelete);
    connect(proposal_, &QLabel::linkActivated, this, &DiskPanel::runRequested);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::runsChanged, this, [this] {
            if (isVisible() && runs_.empty()) measure();
        });
    showTotals();
    showDelete();
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
    rows_->setSortingEnabled(false);
    rows_->clear();
    for (const auto& run : runs_) {
        auto* row = new BytesItem(rows_);
        row->setText(Name, nameOf(run.run));
        row->setData(Name, Qt::UserRole, QString::fromStdString(run.run));
        for (const auto& [at, bytes] : {std::pair{All, run.all()}, std::pair{Checkpoints, run.checkpoints},
                                        std::pair{Recordings, run.recordings}, std::pair{Spare, run.spare}})
            row->setBytes(at, bytes);
        for (const auto& file : run.files) {
            auto* child = new BytesItem(row);
            child->setText(Name, QString::fromStdString(file.file).section(QLatin1Char('/'), 1));
            child->setData(Name, Qt::UserRole, QString::fromStdString(file.file));
            child->setBytes(All, file.bytes);
        }
    }
    rows_->setSortingEnabled(true);
    showTotals();
    showProposal();
    showDelete();
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
    double all = 0;
    if (context().catalog != nullptr)
        for (const auto& run : context().catalog->runs()) all += static_cast<double>(run.bytes);
    const bool over = budget() > 0 && all > budget();
    total_->setText(over ? tr("⚠ The runs take %1, %2 more than the budget.")
                               .arg(bytesText(all), bytesText(all - budget()))
                         : tr("The runs take %1.").arg(bytesText(all)));
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
    for (const auto& run : runs_)
        if (run.spare > 0 && lines.size() < 5)
            lines << tr("Checkpoints of <a href=\"%1\">%2</a> but the newest and the best: %3 (inspector, "
                        "Checkpoints, Prune).")
                         .arg(QString::fromStdString(run.run), nameOf(run.run).toHtmlEscaped(),
                              bytesOf(run.spare));
    for (const auto& run : runs_)
        if (run.recordings > 0 && lines.size() < 6)
            lines << tr("Recordings of <a href=\"%1\">%2</a>: %3 (choose them below).")
                         .arg(QString::fromStdString(run.run), nameOf(run.run).toHtmlEscaped(),
                              bytesOf(run.recordings));
    proposal_->setText(lines.isEmpty() ? QString()
                                       : tr("What could go:") + QStringLiteral("<br>• ") +
                                             lines.join(QStringLiteral("<br>• ")));
    proposal_->setVisible(!lines.isEmpty());
}

std::vector<store::RecordingFile> DiskPanel::chosen() const {
    std::vector<store::RecordingFile> files;
    for (const QTreeWidgetItem* item : rows_->selectedItems())
        if (const QTreeWidgetItem* run = item->parent())
            files.push_back({run->data(Name, Qt::UserRole).toString().toStdString(),
                             item->data(Name, Qt::UserRole).toString().toStdString(),
                             item->data(All, Qt::UserRole).toLongLong()});
    return files;
}

void DiskPanel::showDelete() {
    std::int64_t bytes = 0;
    const auto files = chosen();
    for (const auto& file : files) bytes += file.bytes;
    delete_->setEnabled(!files.empty());
    delete_->setText(files.empty() ? tr("Delete recordings: choose some below a run")
                     : forget_.isActive()
                         ? tr("Really delete %1 recording(s), %2?").arg(files.size()).arg(bytesOf(bytes))
                         : tr("Delete %1 recording(s), %2").arg(files.size()).arg(bytesOf(bytes)));
    delete_->setToolTip(tr("For good; a second press within six seconds does it"));
}

void DiskPanel::pressDelete() {
    const bool sure = forget_.isActive();
    forget_.stop();
    if (sure) Q_EMIT deleteRequested(chosen());
    if (!sure) forget_.start();
    showDelete();
}

QString DiskPanel::statement() const {
    return total_->text();
}

}  // namespace kurve::views
