#include "views/compare/final_metrics.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <cmath>
#include <functional>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/saved_choice.h"
#include "views/common/shell/selection.h"
#include "views/common/table/view_table.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr ChoiceIds<3> kValueIds{"last", "best", "both"};  // of ValueChoice

CellData cellOf(const QString& text, const QString& tip, const QColor& color) {
    return {{Qt::DisplayRole, text},
            {Qt::ToolTipRole, tip},
            {Qt::ForegroundRole, color},
            {Qt::FontRole, monoFont()}};
}

CellRow rowOf(const QString& title, const QString& tip, const std::vector<ComparedRun>& runs,
              const std::function<QString(const store::RunSummary&)>& textOf) {
    CellRow row{{{Qt::DisplayRole, title}, {Qt::ToolTipRole, tip}}};
    for (const ComparedRun& run : runs)
        row.push_back(cellOf(run.data ? textOf(run.data->summary) : QStringLiteral("–"), tip,
                             run.data ? theme().text : theme().muted));
    return row;
}

/// The difference to the first run's value.
QString deltaText(double delta) {
    if (!std::isfinite(delta)) return {};
    if (delta == 0) return QStringLiteral("   =");
    return QStringLiteral("   %1 %2")
        .arg(delta > 0 ? QStringLiteral("▲") : QStringLiteral("▼"), numberText(std::abs(delta), 3));
}

CellRow rowOf(const MetricValue& value, const std::vector<ComparedRun>& runs) {
    CellRow row{{{Qt::DisplayRole, value.title}, {Qt::ToolTipRole, value.doc}}};
    const auto first = value.of(runs.front());
    for (const ComparedRun& run : runs) {
        const auto number = value.of(run);
        if (!number) {
            row.push_back(cellOf(QStringLiteral("–"), value.doc, theme().muted));
            continue;
        }
        const double delta = first && &run != &runs.front() ? *number - *first : std::nan("");
        const bool ranked = value.ranked && std::isfinite(delta) && delta != 0;
        const QColor color = !std::isfinite(*number)               ? theme().bad  // it diverged
                             : !ranked                             ? theme().text
                             : (delta > 0) == value.higherIsBetter ? theme().good
                                                                   : theme().bad;
        const auto step = value.stepOf(run);
        row.push_back(cellOf(numberText(*number) +
                                 (step ? QStringLiteral(" at %1").arg(countText(*step)) : QString()) +
                                 deltaText(delta),
                             value.doc, color));
        row.back()[kExportRole] = *number;
    }
    return row;
}

std::vector<CellRow> rowsOf(const std::vector<ComparedRun>& runs, const EngineInfo& engine,
                            ValueChoice choice) {
    std::vector<CellRow> rows{rowOf(QStringLiteral("state"), QStringLiteral("state of the run"), runs,
                                    [](const store::RunSummary& run) {
                                        const StateStyle look = stateStyle(run.state);
                                        return look.glyph + QLatin1Char(' ') + look.text;
                                    }),
                              rowOf(QStringLiteral("steps"), QStringLiteral("optimizer steps"), runs,
                                    [](const store::RunSummary& run) { return countText(run.step); }),
                              rowOf(QStringLiteral("time"), QStringLiteral("from start to end"), runs,
                                    [](const store::RunSummary& run) {
                                        return run.ended > run.started ? durationText(run.ended - run.started)
                                                                       : QStringLiteral("–");
                                    })};
    for (const MetricValue& value : metricValues(runs, engine, choice)) rows.push_back(rowOf(value, runs));
    return rows;
}

}  // namespace

FinalMetrics::FinalMetrics(const StudioContext& context)
    : context_(context),
      table_(new RunColumnsTable(QStringLiteral("compare.metrics"),
                                 QStringLiteral("Final metrics of the runs"), QStringLiteral("Value"))),
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
        table_->setRows(runs, rowsOf(runs, *context_.engine, choice));
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
