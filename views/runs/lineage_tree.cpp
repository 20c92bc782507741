#include "views/runs/lineage_tree.h"

#include <QHeaderView>
#include <algorithm>
#include <set>
#include <unordered_map>

#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

namespace {

constexpr int kMostLines = 7;  ///< visible; the rest by scrolling

const std::string& originOf(const store::RunSummary& run) {
    return run.parent.empty() ? run.reproduces : run.parent;
}

class Lineage {
public:
    explicit Lineage(const std::vector<store::RunSummary>& runs) {
        for (const store::RunSummary& run : runs) runs_[run.id] = &run;
        for (const store::RunSummary& run : runs)
            if (!originOf(run).empty()) children_[originOf(run)].push_back(&run);
        for (auto& [id, children] : children_)
            std::ranges::stable_sort(children, [](const auto* a, const auto* b) {
                return a->parentStep != b->parentStep ? a->parentStep < b->parentStep
                                                      : a->started < b->started;
            });
    }
    [[nodiscard]] const store::RunSummary* find(const std::string& id) const {
        const auto found = runs_.find(id);
        return found == runs_.end() ? nullptr : found->second;
    }
    /// The oldest known ancestor, or the id of a missing one.
    [[nodiscard]] std::string root(const std::string& id) const {
        std::set<std::string> visited;
        std::string at = id;
        while (visited.insert(at).second) {
            const store::RunSummary* run = find(at);
            if (run == nullptr || originOf(*run).empty()) return at;
            at = originOf(*run);
        }
        return id;
    }
    void add(const std::string& id, int depth, std::vector<LineageNode>& nodes,
             std::set<std::string>& visited) const {
        if (!visited.insert(id).second) return;
        LineageNode node{id, depth, LineageNode::Link::Root, -1};
        const store::RunSummary* run = find(id);
        if (run == nullptr) node.link = LineageNode::Link::Missing;
        if (run != nullptr && !run->parent.empty())
            node.link = LineageNode::Link::Fork, node.step = run->parentStep;
        if (run != nullptr && !run->reproduces.empty()) node.link = LineageNode::Link::Reproduction;
        nodes.push_back(node);
        if (const auto found = children_.find(id); found != children_.end())
            for (const store::RunSummary* child : found->second) add(child->id, depth + 1, nodes, visited);
    }

private:
    std::unordered_map<std::string, const store::RunSummary*> runs_;
    std::unordered_map<std::string, std::vector<const store::RunSummary*>> children_;
};

/// A fork is written first and then resumed at the same step: that first start is no resume.
bool isFirstStart(const std::vector<store::SegmentRow>& segments, std::size_t at) {
    return at == 1 && segments[0].reason == "forked" && segments[1].startStep == segments[0].startStep;
}

}  // namespace

std::vector<LineageNode> lineageOf(const std::vector<store::RunSummary>& runs, const std::string& id) {
    const Lineage lineage(runs);
    std::vector<LineageNode> nodes;
    std::set<std::string> visited;
    lineage.add(lineage.root(id), 0, nodes, visited);
    return nodes;
}

LineageTree::LineageTree(QWidget* parent) : QTreeWidget(parent) {
    describe(this, "inspector.lineage", tr("Lineage: ancestors and descendants of this run"));
    setColumnCount(2);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setItemsExpandable(false);
    setTextElideMode(Qt::ElideMiddle);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setIndentation(px(12));
    setIconSize(QSize(px(18), px(12)));
    header()->setStretchLastSection(true);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setMinimumSectionSize(px(24));
    connect(this, &QTreeWidget::itemClicked, this, &LineageTree::choose);
    connect(this, &QTreeWidget::itemActivated, this, &LineageTree::choose);
    hide();
}

void LineageTree::choose(const QTreeWidgetItem* item) {
    const QString id = item->data(0, Qt::UserRole).toString();
    if (!id.isEmpty() && id != shownRun_) Q_EMIT runRequested(id);
}

/// The runs that it was made with, and those made with it, each with the field that names it.
void LineageTree::addReferences(const QString& id, int depth, const RunCatalog& catalog,
                                std::vector<Line>& lines) {
    const auto add = [&](const QString& other, const QString& relation, const QString& tip) {
        const store::RunSummary* summary = catalog.run(other);
        const QString title = catalog.nameOf(other);
        const QString state = summary == nullptr ? tr(" · not in this project")
                              : summary->trashed ? tr(" · in the trash")
                                                 : QString();
        lines.push_back({other, title, relation + state, QStringLiteral("%1\n%2").arg(title, tip), depth,
                         summary == nullptr});
    };
    for (const store::RunSummary& run : catalog.runs())
        for (const auto& [field, reference] : run.references) {
            const QString text = QString::fromStdString(reference), name = QString::fromStdString(field),
                          other = text.section(QLatin1Char('@'), 0, 0);
            if (run.id == id.toStdString())
                add(other, tr("← %1").arg(name), tr("%1 of this run: %2").arg(name, text));
            else if (other == id)
                add(QString::fromStdString(run.id), tr("→ %1").arg(name),
                    tr("its %1 is this run: %2").arg(name, text));
        }
}

std::vector<LineageTree::Line> LineageTree::linesOf(const QString& id, const RunData* data,
                                                    const RunCatalog& catalog) {
    std::vector<Line> lines;
    for (const LineageNode& node : lineageOf(catalog.runs(), id.toStdString())) {
        const QString run = QString::fromStdString(node.id);
        const store::RunSummary* summary = catalog.run(run);
        const QString title = catalog.nameOf(run);
        Line line{run, title, {}, QStringLiteral("%1\n%2").arg(title, run), node.depth, summary == nullptr};
        if (node.link == LineageNode::Link::Fork) {
            line.relation = tr("at %1").arg(countText(node.step));
            line.tip += tr("\nforked from the checkpoint at step %1").arg(countText(node.step));
        }
        if (node.link == LineageNode::Link::Reproduction) line.relation = tr("reproduced");
        if (node.link == LineageNode::Link::Missing) line.relation = tr("not in this project");
        if (summary && summary->trashed) line.relation += tr(" · in the trash");
        lines.push_back(line);
        if (run == id) addReferences(id, node.depth + 1, catalog, lines);
        if (run != id || data == nullptr) continue;
        for (std::size_t i = 1; i < data->segments.size(); ++i)
            if (!isFirstStart(data->segments, i))
                lines.push_back({{},
                                 tr("↻ resumed"),
                                 tr("at %1").arg(countText(data->segments[i].startStep - 1)),
                                 tr("Later steps of the earlier attempt are superseded"),
                                 node.depth + 1});
    }
    return lines;
}

void LineageTree::setRun(const QString& id, const RunData* maybeData, const RunCatalog& catalog) {
    std::vector<Line> lines = linesOf(id, maybeData, catalog);
    setVisible(lines.size() > 1);
    if (lines == lines_ && id == shownRun_) return;
    shownRun_ = id;
    lines_ = std::move(lines);
    show(lines_);
}

void LineageTree::show(const std::vector<Line>& lines) {
    clear();
    std::vector<QTreeWidgetItem*> above;
    QTreeWidgetItem* own = nullptr;
    for (const Line& line : lines) {
        above.resize(static_cast<std::size_t>(line.depth));
        auto* item = above.empty() ? new QTreeWidgetItem(this) : new QTreeWidgetItem(above.back());
        above.push_back(item);
        item->setText(0, line.title);
        item->setText(1, line.relation);
        item->setForeground(1, theme().muted);
        for (const int column : {0, 1}) item->setToolTip(column, line.tip);
        if (line.id.isEmpty() || line.missing) {
            item->setFlags(Qt::ItemIsEnabled);
            item->setForeground(0, theme().muted);
            continue;
        }
        item->setData(0, Qt::UserRole, line.id);
        item->setIcon(0, runSwatch(line.id));
        if (line.id != shownRun_) continue;
        own = item;
        QFont font = item->font(0);
        font.setBold(true);
        item->setFont(0, font);
    }
    expandAll();
    if (own) setCurrentItem(own);
    const int rows = std::min(static_cast<int>(lines.size()), kMostLines);
    const int height = std::max(sizeHintForRow(0), px(20));
    setFixedHeight(rows * height + 2 * frameWidth() + px(4));
    fitColumns();
}

/// The relations are elided before the names, which take up to two thirds of the width.
void LineageTree::fitColumns() {
    const int width = viewport()->width(), names = std::min(sizeHintForColumn(0), width * 2 / 3);
    header()->resizeSection(0, std::max(names, width - sizeHintForColumn(1)));
}

void LineageTree::resizeEvent(QResizeEvent* event) {
    QTreeWidget::resizeEvent(event);
    fitColumns();
}

}  // namespace kurve::views
