#include "views/compare/final_metrics.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/saved_choice.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme.h"
#include "views/compare/metric_table_item_model.h"
#include "views/compare/run_columns_table.h"

namespace kurve::views {

namespace {

constexpr ChoiceIds<3> kValueIds{"last", "best", "both"};  // of ValueChoice

}  // namespace

FinalMetrics::FinalMetrics(const StudioContext& context)
    : context_(context),
      model_(new MetricTableItemModel(this)),
      table_(new RunColumnsTable(model_, QStringLiteral("compare.metrics"),
                                 QStringLiteral("Final metrics of the runs"))),
      groups_(new GroupTable),
      shown_(new QStackedWidget),
      against_(new ElidedLabel("caption")),
      values_(describe(new QComboBox, "compare.values", QStringLiteral("Value of each metric"),
                       QStringLiteral("Last or best value; both extremes for a metric without a direction"))),
      columns_(describe(new QPushButton(QStringLiteral("Columns…")), "compare.columns", {.role = "quiet"})) {
    shown_->addWidget(table_);
    shown_->addWidget(groups_);
    for (const char* id : kValueIds)
        values_->addItem(id == kValueIds.back() ? QStringLiteral("last and best") : QLatin1String(id),
                         QLatin1String(id));
    values_->setMaximumWidth(px(130));
    leaveOutOfFigures({values_, columns_});
    auto* title = describe(new QLabel(QStringLiteral("Final metrics")), {.role = "title"});
    vboxIn(this, {hbox({title, {against_, 1}, values_, columns_}), {shown_, 1}},
           {.margins = {space::kSmall, space::kTight}, .spacing = space::kTight});
    connect(values_, &QComboBox::activated, this, [this] {
        Q_EMIT valuesChosen();
        Q_EMIT choiceChanged();
    });
    connect(columns_, &QPushButton::clicked, this, [this] { groups_->openColumns(*columns_); });
    connect(groups_, &GroupTable::choiceChanged, this, &FinalMetrics::choiceChanged);
    connect(groups_, &GroupTable::baselineRequested, context_.selection, &Selection::setBaseline);
}

void FinalMetrics::setRuns(const std::vector<ComparedRun>& runs, const RunGrouping& grouping) {
    const auto choice = static_cast<ValueChoice>(values_->currentIndex());
    shown_->setCurrentIndex(grouping.isOn() ? 1 : 0);
    columns_->setVisible(grouping.isOn());
    if (!grouping.isOn()) {
        model_->setRuns(runs, *context_.engine, choice);
        against_->setText(QStringLiteral("▲▼ vs. %1 (B: change baseline)").arg(runs.front().title));
        return;
    }
    groups_->setGroups(runs, grouping, metricValues(runs, *context_.engine, choice),
                       context_.selection->hiddenRuns());
    const auto* base = grouping.groupOf(0);
    const QString means = QStringLiteral("mean ± 95 % CI");
    against_->setText(base == nullptr || grouping.groups().size() < 2
                          ? means
                          : means + QStringLiteral(", ▲▼≈ vs. %1 (B: change baseline)").arg(base->title));
}

QJsonObject FinalMetrics::save() const {
    return {{QStringLiteral("values"), savedChoice(kValueIds, values_->currentIndex())},
            {QStringLiteral("groups"), groups_->save()}};
}

void FinalMetrics::restore(const QJsonObject& saved) {
    values_->setCurrentIndex(choiceOf(kValueIds, saved.value(QStringLiteral("values"))));
    groups_->restore(saved.value(QStringLiteral("groups")).toObject());
}

}  // namespace kurve::views
