#include "views/compare/group_table.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QJsonArray>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <algorithm>
#include <utility>

#include "views/common/form/choice_list.h"
#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr qsizetype kDefaultValues = 8;
const QString kRangeId = QStringLiteral("range");

}  // namespace

GroupTable::GroupTable(QWidget* parent)
    : FrozenTable(parent),
      model_(new CellTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      list_(new ChoiceList(ChoiceList::Kind::Checked, QStringLiteral("compare.group_columns"),
                           QStringLiteral("Columns of the groups"), this)) {
    describe(this, "compare.groups", QStringLiteral("Group means"));
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(kGroupSortRole);
    setModel(sorted_);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::AscendingOrder);  // in the order of their titles
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->setDefaultSectionSize(px(40));  // two lines
    connect(list_, &ChoiceList::toggled, this, &GroupTable::setShown);
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this](int column) {
        sortedBy_ = model_->headerData(column, Qt::Horizontal, CellTableModel::kIdRole).toString();
        Q_EMIT choiceChanged();
    });
}

void GroupTable::setGroups(const std::vector<ComparedRun>& runs, const RunGrouping& grouping,
                           std::vector<MetricValue> values, const QStringList& hidden) {
    runs_ = runs;
    grouping_ = grouping;
    values_ = std::move(values);
    hidden_ = hidden;
    renew();
}

/// Scores of evaluations come first.
QStringList GroupTable::defaultValues() const {
    QStringList ids;
    for (const bool scored : {true, false})
        for (const MetricValue& value : values_)
            if (value.ranked && value.metric.starts_with("eval_") == scored && ids.size() < kDefaultValues)
                ids << value.id();
    return ids;
}

QStringList GroupTable::shownValues() const {
    const QStringList wanted = wanted_.isEmpty() ? defaultValues() : wanted_;
    QStringList ids;
    for (const QString& id : wanted)
        if (find(id)) ids << id;
    return ids.isEmpty() ? defaultValues() : ids;
}

const MetricValue* GroupTable::find(const QString& id) const {
    const auto found = std::ranges::find(values_, id, &MetricValue::id);
    return found == values_.end() ? nullptr : &*found;
}

QString GroupTable::titleOf(const QString& id) const {
    const MetricValue* value = find(id);
    return value ? value->title : id;
}

void GroupTable::renew() {
    shown_.clear();
    for (const QString& id : shownValues()) shown_.push_back(*find(id));
    const QString member = currentMember();
    const int column = currentIndex().column();
    rows_ = groupRows(runs_, grouping_, shown_, hidden_);
    model_->setCells(groupColumns(shown_, range_), groupCells(rows_, shown_, range_));
    const QString sortedBy = sortedBy_;
    sortByColumn(columnOf(sortedBy), horizontalHeader()->sortIndicatorOrder());
    sortedBy_ = sortedBy;
    for (int row = 0; !member.isEmpty() && row < model_->rowCount(); ++row)
        if (rows_[static_cast<std::size_t>(row)].firstMember == member)
            setCurrentIndex(sorted_->mapFromSource(model_->index(row, std::max(column, 0))));
    resizeColumnsToContents();
}

int GroupTable::columnOf(const QString& id) const {
    for (int column = 0; column < model_->columnCount(); ++column)
        if (model_->headerData(column, Qt::Horizontal, CellTableModel::kIdRole) == id) return column;
    return -1;
}

int GroupTable::sizeHintForColumn(int column) const {
    return std::min(FrozenTable::sizeHintForColumn(column), px(300));
}

std::vector<FrozenTable::FrozenColumn> GroupTable::frozenColumns() const {
    return {{GroupTitle, std::min(columnWidth(GroupTitle), viewport()->width() / 2)}};
}

void GroupTable::setShown(const QString& id, bool on) {
    if (id == kRangeId) {
        range_ = on;
    } else {
        QStringList shown = shownValues();
        shown.removeAll(id);
        if (on) shown << id;
        QStringList ordered;  // as the metrics are
        for (const MetricValue& value : values_)
            if (shown.contains(value.id())) ordered << value.id();
        wanted_ = ordered;
    }
    renew();
    Q_EMIT choiceChanged();
}

void GroupTable::openColumns(const QWidget& under) {
    const QStringList shown = shownValues();
    std::vector<Choice> choices{
        {kRangeId, QStringLiteral("lowest and highest run"), QStringLiteral("next to each mean"), range_}};
    for (const MetricValue& value : values_)
        choices.push_back({value.id(), value.title, qt(value.metric), shown.contains(value.id())});
    std::stable_partition(choices.begin() + 1, choices.end(), [](const Choice& c) { return c.checked; });
    list_->setChoices(std::move(choices));
    list_->popUp(under);
}

QString GroupTable::currentMember() const {
    const int row = sorted_->mapToSource(currentIndex()).row();
    return row < 0 ? QString() : rows_[static_cast<std::size_t>(row)].firstMember;
}

void GroupTable::contextMenuEvent(QContextMenuEvent* event) {
    const QString member = currentMember();
    if (member.isEmpty()) return FrozenTable::contextMenuEvent(event);
    auto* menu = describe(new QMenu(this), "compare.group_menu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(QStringLiteral("Use as baseline"), this,
                    [this, member] { Q_EMIT baselineRequested(member); });
    menu->addAction(QStringLiteral("Sort by title"), this, [this] { sortByColumn(-1, Qt::AscendingOrder); });
    menu->addSeparator();
    menu->addActions(actions());
    menu->popup(event->globalPos());
}

QJsonObject GroupTable::save() const {
    const auto* header = horizontalHeader();
    return {{QStringLiteral("columns"), QJsonArray::fromStringList(wanted_)},
            {QStringLiteral("range"), range_},
            {QStringLiteral("sorted"), sortedBy_},
            {QStringLiteral("descending"), header->sortIndicatorOrder() == Qt::DescendingOrder}};
}

void GroupTable::restore(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QSignalBlocker quiet(this);
    wanted_ = saved.value(QStringLiteral("columns")).toVariant().toStringList();
    range_ = saved.value(QStringLiteral("range")).toBool();
    sortByColumn(
        -1, saved.value(QStringLiteral("descending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    sortedBy_ = saved.value(QStringLiteral("sorted")).toString();
    renew();
}

}  // namespace kurve::views
