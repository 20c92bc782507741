// Final metrics of the compared runs: a column for each run, or a row for each group.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <algorithm>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme.h"
#include "views/compare/compare_chart.h"
#include "views/compare/compare_panel.h"
#include "views/compare/group_table.h"
#include "views/compare/metric_table_item_model.h"
#include "views/compare/run_columns_table.h"

namespace kurve::views {

QWidget* ComparePanel::makeFinalMetrics() {
    metrics_ = new RunColumnsTable(metricModel_, QStringLiteral("compare.metrics"),
                                   QStringLiteral("Final metrics of the runs"));
    groups_ = new GroupTable;
    finalMetrics_ = new QStackedWidget;
    finalMetrics_->addWidget(metrics_);
    finalMetrics_->addWidget(groups_);
    auto* title = new QLabel(QStringLiteral("Final metrics"));
    title->setProperty("role", "title");
    against_ = new ElidedLabel("caption");
    values_ = describe(new QComboBox, "compare.values", QStringLiteral("Value of each metric"),
                       QStringLiteral("Last or best value; both extremes for a metric without a direction"));
    for (const auto& [choice, text] : {std::pair{ValueChoice::Last, "last"},
                                       {ValueChoice::Best, "best"},
                                       {ValueChoice::Both, "last and best"}})
        values_->addItem(QLatin1String(text), static_cast<int>(choice));
    values_->setMaximumWidth(px(130));
    leaveOutOfFigures(*values_);
    groupColumns_ =
        describe(new QPushButton(QStringLiteral("Columns…")), "compare.columns", {.role = "quiet"});
    leaveOutOfFigures(*groupColumns_);
    auto* box = boxed(vbox({hbox({title, {against_, 1}, values_, groupColumns_}), {finalMetrics_, 1}},
                           {.margins = {space::kSmall, space::kTight}, .spacing = space::kTight}));
    connect(values_, &QComboBox::activated, this, [this] {
        refreshFinalMetrics();
        Q_EMIT stateChanged();
    });
    connect(groupColumns_, &QPushButton::clicked, this, [this] { groups_->openColumns(*groupColumns_); });
    connect(groups_, &GroupTable::choiceChanged, this, &ComparePanel::stateChanged);
    connect(groups_, &GroupTable::baselineRequested, this,
            [this](const QString& run) { context().selection->setBaseline(run); });
    return box;
}

void ComparePanel::refreshFinalMetrics() {
    if (runs_.size() < 2) return;
    const auto choice = static_cast<ValueChoice>(values_->currentData().toInt());
    const RunGrouping& grouping = chart_->grouping();
    finalMetrics_->setCurrentIndex(grouping.isOn() ? 1 : 0);
    groupColumns_->setVisible(grouping.isOn());
    if (!grouping.isOn()) {
        metricModel_->setRuns(runs_, *context().engine, choice);
        against_->setText(QStringLiteral("▲▼ vs. %1 (B: change baseline)").arg(runs_.front().title));
        return;
    }
    groups_->setGroups(runs_, grouping, metricValues(runs_, *context().engine, choice),
                       context().selection->hiddenRuns());
    const auto* base = grouping.groupOf(0);
    const QString means = QStringLiteral("mean ± 95 % CI");
    against_->setText(base == nullptr || grouping.groups().size() < 2
                          ? means
                          : means + QStringLiteral(", ▲▼≈ vs. %1 (B: change baseline)").arg(base->title));
}

}  // namespace kurve::views
