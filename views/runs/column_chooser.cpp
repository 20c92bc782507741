#include "views/runs/column_chooser.h"

#include <QMenu>
#include <algorithm>
#include <map>
#include <utility>

#include "views/common/data/run_ranking.h"
#include "views/common/form/choice_list.h"
#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

namespace {

Choice choiceOf(const RunColumn& column, const QString& note) {
    return {column.id(), column.title(), note, false};
}

}  // namespace

ColumnChooser::ColumnChooser(RunTableModel* model, RunTable* table)
    : QObject(table),
      model_(model),
      table_(table),
      list_(new ChoiceList(ChoiceList::Kind::Checked, QStringLiteral("runs.columns"),
                           tr("Columns of the run list"), table)) {
    connect(list_, &ChoiceList::toggled, this, &ColumnChooser::set);
}

void ColumnChooser::setEngine(const EngineInfo* engine) {
    engine_ = engine;
}

void ColumnChooser::fill() {
    std::vector<Choice> all;
    for (int column = 0; column < RunTableModel::FirstChosen; ++column)
        if (column != RunTableModel::Name)
            all.push_back({model_->columnId(column),
                           column == RunTableModel::Star
                               ? tr("Star")
                               : model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                           tr("run property"), table_->isShown(model_->columnId(column))});
    const auto& metrics = model_->keys().metrics();
    for (const std::string& key : qualityFirst({metrics.begin(), metrics.end()})) {
        const auto text = engine_ ? engine_->metric(key) : EngineInfo::MetricText();
        const QString& title = text.title;
        all.push_back(choiceOf({RunColumn::Kind::Metric, key},
                               title.isEmpty() ? tr("metric") : tr("metric: %1").arg(title)));
        if (!model_->keys().curves().contains(key)) continue;
        const bool quality = text.ranked, higher = text.higherIsBetter;
        const QString of = title.isEmpty() ? qt(key) : title;
        if (!quality || !higher)
            all.push_back(choiceOf({RunColumn::Kind::Lowest, key},
                                   quality ? tr("best %1, with its step").arg(of) : tr("lowest %1").arg(of)));
        if (!quality || higher)
            all.push_back(choiceOf({RunColumn::Kind::Highest, key}, quality
                                                                        ? tr("best %1, with its step").arg(of)
                                                                        : tr("highest %1").arg(of)));
    }
    std::map<std::string, std::string> settings;
    for (const std::string& key : model_->keys().settings()) settings[key];
    if (engine_)
        for (const auto& family : engine_->families())
            for (const FieldSpec& field : family->fields) settings[field.key] = field.doc;
    for (const auto& [key, doc] : settings)
        all.push_back(choiceOf({RunColumn::Kind::Setting, key},
                               doc.empty() ? tr("setting") : tr("setting: %1").arg(qt(doc))));
    QSet<QString> chosen;
    for (const RunColumn& column : model_->chosenColumns()) chosen.insert(column.id());
    for (Choice& choice : all) choice.checked |= chosen.contains(choice.id);
    std::stable_partition(all.begin(), all.end(), [](const Choice& choice) { return choice.checked; });
    list_->setChoices(std::move(all));
}

void ColumnChooser::open() {
    fill();
    list_->popUpAt(table_->mapToGlobal(QPoint(0, 0)));
}

void ColumnChooser::set(const QString& columnId, bool on) {
    const auto column = RunColumn::fromId(columnId);
    if (!column) {
        table_->showColumn(columnId, on);
    } else {
        std::vector<RunColumn> columns = model_->chosenColumns();
        const auto found = std::ranges::find(columns, *column);
        if (on && found == columns.end()) columns.push_back(*column);
        if (!on && found != columns.end()) columns.erase(found);
        model_->chooseColumns(std::move(columns));
    }
    Q_EMIT changed();
}

void ColumnChooser::resetColumns() {
    model_->chooseColumns(std::nullopt);
    for (int column = 0; column < RunTableModel::FirstChosen; ++column)
        table_->showColumn(model_->columnId(column), RunTable::isShownByDefault(column));
    Q_EMIT changed();
}

void ColumnChooser::openMenu(const QString& columnId, const QPoint& globalPosition) {
    auto* menu = describe(new QMenu(table_), "runs.header_menu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Choose columns…"), this, &ColumnChooser::open);
    const auto column = RunColumn::fromId(columnId);
    const bool isDelta = column && column->kind == RunColumn::Kind::Delta;
    if (!columnId.isEmpty() && !isDelta && columnId != model_->columnId(RunTableModel::Name)) {
        const int at = model_->columnOf(columnId);
        const QString title = model_->headerData(at, Qt::Horizontal, Qt::DisplayRole).toString();
        menu->addAction(tr("Hide column %1").arg(title), this, [this, columnId] { set(columnId, false); });
    }
    menu->addAction(tr("Default columns"), this, &ColumnChooser::resetColumns);
    auto* groups = menu->addMenu(tr("Group by"));
    const QString titles[kRunGroupBys] = {tr("nothing"), tr("family"), tr("experiment"), tr("sweep"),
                                          tr("tag")};
    for (int i = 0; i < kRunGroupBys; ++i) {
        const auto by = static_cast<RunGroupBy>(i);
        QAction* action = groups->addAction(titles[i], this, [this, by] { group(by); });
        action->setCheckable(true);
        action->setChecked(model_->grouping() == by);
    }
    menu->popup(globalPosition);
}

void ColumnChooser::group(RunGroupBy by) {
    table_->setGrouping(by);
    Q_EMIT changed();
}

}  // namespace kurve::views
