#include "views/timeline/branch_tree.h"

#include <QHeaderView>

#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

BranchTree::BranchTree(QWidget* parent) : QTreeWidget(parent) {
    describe(this, "intervention.branches", tr("Branches of this trace"));
    setHeaderLabels({tr("Branch"), tr("Text")});
    setColumnCount(2);
    header()->setStretchLastSection(true);
    setTextElideMode(Qt::ElideRight);
    const auto open = [this](QTreeWidgetItem* item) {
        const QString file = item->data(0, Qt::UserRole).toString();
        if (file.toStdString() != shown_.string()) Q_EMIT selected(file);
    };
    connect(this, &QTreeWidget::itemClicked, this, open);
    connect(this, &QTreeWidget::itemActivated, this, open);
}

void BranchTree::follow(const std::filesystem::path& shown) {
    shown_ = shown;
    if (shown.empty()) {
        reading_.drop();
        return clear();
    }
    reading_.run([shown] { return inspect::branchTreeOf(shown); },
                 [this](const inspect::BranchNode& root) { fill(root); });
}

void BranchTree::fill(const inspect::BranchNode& root) {
    clear();
    add(invisibleRootItem(), root);
    expandAll();
    resizeColumnToContents(0);
    setColumnWidth(0, std::min(columnWidth(0) + px(space::kSmall), width() * 2 / 3));
}

void BranchTree::add(QTreeWidgetItem* above, const inspect::BranchNode& node) {
    const QString change = QString::fromStdString(node.change), output = QString::fromStdString(node.output);
    auto* item = new QTreeWidgetItem(above, {change, output});
    item->setToolTip(0, plainTip(change));
    item->setData(0, Qt::UserRole, QString::fromStdString(node.file.string()));
    item->setToolTip(1, plainTip(output));
    if (node.file == shown_) {
        QFont bold = font();
        bold.setBold(true);
        item->setFont(0, bold);
        item->setFont(1, bold);
        setCurrentItem(item);
    }
    for (const inspect::BranchNode& child : node.children) add(item, child);
}

}  // namespace kurve::views
