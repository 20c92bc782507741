#include "views/runs/disk_rows.h"

#include <QHeaderView>
#include <QSet>
#include <algorithm>

#include "core/store/trace_trash.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

enum DiskColumn { Name, All, Checkpoints, Traces, Trash, Reclaimable, Columns };
constexpr int kFileRole = Qt::UserRole + 1;  ///< of a trace's line: its path in the run's folder

/// Sorts by its numbers.
class BytesItem : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget()->sortColumn();
        if (column == 0) return QTreeWidgetItem::operator<(other);
        return data(column, Qt::UserRole).toLongLong() < other.data(column, Qt::UserRole).toLongLong();
    }
};

void setBytes(QTreeWidgetItem& item, int column, std::int64_t bytes) {
    const QVariant value(static_cast<qlonglong>(bytes));
    if (item.data(column, Qt::UserRole) == value) return;
    item.setText(column, bytesText(static_cast<double>(bytes)));
    item.setData(column, Qt::UserRole, value);
    item.setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

store::RunFile fileOf(const QTreeWidgetItem& line) {
    return store::RunFile::parse(line.data(Name, kFileRole).toString().toStdString())
        .value_or(store::RunFile());
}

/// The path of a trace before it was moved to the trash.
QString lineOf(const QTreeWidgetItem& line) {
    return QString::fromStdString(fileOf(line).outOfTrash().text());
}

bool same(const std::vector<store::TraceFile>& a, const std::vector<store::TraceFile>& b) {
    return std::ranges::equal(
        a, b, [](const auto& x, const auto& y) { return x.file == y.file && x.bytes == y.bytes; });
}

}  // namespace

DiskRows::DiskRows(QWidget* parent) : QTreeWidget(parent) {
    setColumnCount(Columns);
    setHeaderLabels(
        {tr("Run"), tr("On disk"), tr("Checkpoints"), tr("Traces"), tr("Trash"), tr("Reclaimable")});
    headerItem()->setToolTip(Trash, tr("Traces in the trash, still on disk; Ctrl+Z or Del restores them"));
    headerItem()->setToolTip(Reclaimable,
                             tr("Traces, and checkpoints that are neither newest, best nor pinned; of a run "
                                "in the trash everything"));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setUniformRowHeights(true);
    setSortingEnabled(true);
    sortByColumn(All, Qt::DescendingOrder);
    for (int column = All; column < Columns; ++column)
        headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    header()->setMinimumSectionSize(px(80));
    // Space for the sort arrow beside a right-aligned title.
    header()->setStyleSheet(QStringLiteral("QHeaderView::section { padding-right: %1px; }").arg(px(18)));
    connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (item->parent() == nullptr) Q_EMIT runActivated(item->data(Name, Qt::UserRole).toString());
    });
}

void DiskRows::setFilling(bool on) {
    setSortingEnabled(!on);
}

void DiskRows::put(const std::vector<store::RunDisk>& runs,
                   const std::function<QString(const std::string&)>& nameOf) {
    QList<QTreeWidgetItem*> added;
    for (const auto& run : runs) {
        Line& line = lines_[run.run];
        if (line.item == nullptr) {
            line.item = new BytesItem;
            line.item->setData(Name, Qt::UserRole, QString::fromStdString(run.run));
            added << line.item;
        }
        line.item->setText(Name, nameOf(run.run));
        setBytes(*line.item, All, run.all());
        setBytes(*line.item, Checkpoints, run.checkpoints);
        setBytes(*line.item, Traces, run.traces);
        setBytes(*line.item, Trash, run.trash);
        setBytes(*line.item, Reclaimable, run.reclaimable());
        if (!same(line.files, run.files)) putFiles(line, run.files);
    }
    addTopLevelItems(added);
}

void DiskRows::putFiles(Line& line, const std::vector<store::TraceFile>& files) {
    QTreeWidgetItem& run = *line.item;
    const SelectionState selection = selectionIn(run);
    const bool open = run.isExpanded();
    qDeleteAll(run.takeChildren());
    line.files = files;
    QList<QTreeWidgetItem*> children;
    for (const auto& file : files) {
        const bool trashed = store::isTrashed(file);
        auto* child = new BytesItem;
        const QString name = QString::fromStdString(file.file.name());
        child->setText(Name, trashed ? tr("%1 (in the trash)").arg(name) : name);
        if (trashed) child->setForeground(Name, theme().faint);
        child->setData(Name, kFileRole, QString::fromStdString(file.file.text()));
        setBytes(*child, All, file.bytes);
        setBytes(*child, trashed ? Trash : Traces, file.bytes);
        setBytes(*child, Reclaimable, file.bytes);
        children << child;
    }
    run.addChildren(children);
    if (open) run.setExpanded(true);
    restore(run, selection);
}

DiskRows::SelectionState DiskRows::selectionIn(QTreeWidgetItem& run) const {
    SelectionState selection;
    for (int i = 0; i < run.childCount(); ++i) {
        if (run.child(i)->isSelected()) selection.selected << lineOf(*run.child(i));
        if (run.child(i) == currentItem()) selection.current = lineOf(*run.child(i));
    }
    return selection;
}

void DiskRows::restore(QTreeWidgetItem& run, const SelectionState& selection) {
    for (int i = 0; i < run.childCount(); ++i) {
        const QString line = lineOf(*run.child(i));
        if (selection.selected.contains(line)) run.child(i)->setSelected(true);
        if (line == selection.current) setCurrentItem(run.child(i), 0, QItemSelectionModel::NoUpdate);
    }
}

void DiskRows::keepOnly(const QStringList& runs) {
    const QSet<QString> wanted(runs.begin(), runs.end());
    for (auto line = lines_.begin(); line != lines_.end();) {
        if (wanted.contains(QString::fromStdString(line->first))) {
            ++line;
            continue;
        }
        delete line->second.item;
        line = lines_.erase(line);
    }
}

std::vector<store::TraceFile> DiskRows::selectedTraces(bool trashed) const {
    std::vector<store::TraceFile> files;
    for (const QTreeWidgetItem* item : selectedItems()) {
        const QTreeWidgetItem* run = item->parent();
        if (run == nullptr) continue;
        const store::TraceFile file{run->data(Name, Qt::UserRole).toString().toStdString(), fileOf(*item),
                                    item->data(All, Qt::UserRole).toLongLong()};
        if (store::isTrashed(file) == trashed) files.push_back(file);
    }
    return files;
}

}  // namespace kurve::views
