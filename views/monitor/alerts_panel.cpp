#include "views/monitor/alerts_panel.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include "views/common/data/engine_info.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/text/counted_text.h"
#include "views/common/theme/theme.h"
#include "views/monitor/alert_rules.h"

namespace kurve::views {

namespace {

using alerts::Action;
using alerts::Kind;
using alerts::Rule;

/// Sensible numbers for a rule that has just become of this kind.
void takeDefaults(Rule& rule) {
    if (alerts::looksAtMetric(rule.kind) && rule.metric.empty()) rule.metric = "loss";
    if (rule.kind == Kind::Spike && rule.value <= 1) rule.value = 3;
    if (rule.kind == Kind::Disk && rule.value <= 0) rule.value = 500;
    if (alerts::countsSteps(rule.kind) && rule.steps < 1) rule.steps = 2000;
}

/// What a rule does stands in the last column: all of them are in sight before any of them is wide. A narrow
/// table scrolls; the panel would have to be that wide.
class RuleTable : public QTableWidget {
public:
    RuleTable() : QTableWidget(0, 5) {}

protected:
    void resizeEvent(QResizeEvent* event) override {
        QTableWidget::resizeEvent(event);
        const int box = px(30), available = std::max(viewport()->width() - box, px(480));
        setColumnWidth(0, box);
        const int percent[] = {26, 22, 29, 23};
        for (int column = 1; column < 5; ++column)
            setColumnWidth(column, available * percent[column - 1] / 100);
    }
};

}  // namespace

AlertsPanel::AlertsPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("alerts"), tr("Alerts"), context, parent),
      table_(describe(new RuleTable, "alerts.table", tr("Alert rules"))),
      about_(new QLabel(tr("Every alert marks the curves and sends a desktop notification, in addition to "
                           "its action. Rules apply to runs started from now on."))),
      problem_(describe(new QLabel, {.role = "error", .wraps = true})),
      add_(describe(new QPushButton(tr("Add rule")), "alerts.add", {.role = "quiet"})),
      remove_(describe(new QPushButton(tr("Remove")), "alerts.remove", {.role = "quiet"})) {
    table_->setHorizontalHeaderLabels({{}, tr("Condition"), tr("Metric"), tr("Threshold"), tr("Action")});
    table_->horizontalHeader()->setMinimumSectionSize(px(30));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(px(30));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setShowGrid(false);
    describe(about_, {.role = "caption", .wraps = true});
    auto* buttons = hbox({add_, remove_, {about_, 1}});
    vboxIn(this, {buttons, problem_, {table_, 1}}, {.margins = {space::kSmall, space::kTight}});
    connect(add_, &QPushButton::clicked, this, &AlertsPanel::addRule);
    connect(remove_, &QPushButton::clicked, this, &AlertsPanel::removeSelected);
    connect(&ask<AlertRules>(), &AlertRules::problemChanged, this, &AlertsPanel::showProblem);
    // Queued: a cell that is being edited is replaced after its own event.
    connect(&ask<AlertRules>(), &AlertRules::rulesChanged, this, &AlertsPanel::fill, Qt::QueuedConnection);
    fill();
    showProblem();
    if (context.commands)
        context.commands->add(
            {"alerts.remove", tr("Remove alert rule"), tr("Run"), QKeySequence(Qt::Key_Delete),
             tr("Remove the selected alert rules")},
            [this] { removeSelected(); }, table_);
}

const std::vector<Rule>& AlertsPanel::rules() const {
    return ask<AlertRules>().rules();
}

void AlertsPanel::fill() {
    table_->setRowCount(static_cast<int>(rules().size()));
    for (int row = 0; row < table_->rowCount(); ++row) fillRow(row);
    remove_->setEnabled(!rules().empty());
}

void AlertsPanel::fillRow(int row) {
    int column = 0;
    const Rule& rule = rules()[static_cast<std::size_t>(row)];
    for (QWidget* widget : {enabledBox(row, rule), kindBox(row, rule), metricBox(row, rule),
                            amountBox(row, rule), actionBox(row, rule)}) {
        const QString header = table_->horizontalHeaderItem(column)->text();
        if (widget) widget->setAccessibleName(header.isEmpty() ? tr("Rule enabled") : header);
        if (widget) widget->setObjectName(QStringLiteral("alerts.%1.%2").arg(row).arg(column));
        table_->removeCellWidget(row, column);
        table_->setCellWidget(row, column++, widget);
    }
    // Without a metric there is room for the whole condition.
    const int columns = table_->cellWidget(row, 2) != nullptr ? 1 : 2;
    if (table_->columnSpan(row, 1) != columns) table_->setSpan(row, 1, 1, columns);
}

void AlertsPanel::changed(int row, const std::function<void(Rule&)>& edit) {
    std::vector<Rule> all = rules();
    if (row >= static_cast<int>(all.size())) return;
    edit(all[static_cast<std::size_t>(row)]);
    ask<AlertRules>().setRules(all);
}

template <class Value>
auto AlertsPanel::setterOf(Value Rule::*part, int row) {
    return [this, part, row](auto value) {
        changed(row, [&](Rule& rule) { rule.*part = static_cast<Value>(value); });
    };
}

QWidget* AlertsPanel::enabledBox(int row, const Rule& rule) {
    auto* box = new QCheckBox;
    box->setChecked(rule.enabled);
    connect(box, &QCheckBox::toggled, this, setterOf(&Rule::enabled, row));
    return box;
}

QWidget* AlertsPanel::kindBox(int row, const Rule& rule) {
    auto* box = new QComboBox;
    // In the order of alerts::Kind.
    box->addItems({tr("non-finite step"), tr("spike in"), tr("no improvement in"), tr("rises above"),
                   tr("falls below"), tr("disk nearly full"), tr("run ended"), tr("the model's own alerts")});
    box->setCurrentIndex(static_cast<int>(rule.kind));
    connect(box, &QComboBox::activated, this, [this, row](int kind) {
        changed(row, [kind](Rule& other) {
            other.kind = static_cast<Kind>(kind);
            takeDefaults(other);
        });
        // Other cells belong to another kind; not before this box has done with its own event.
        QMetaObject::invokeMethod(this, &AlertsPanel::fill, Qt::QueuedConnection);
    });
    return box;
}

QWidget* AlertsPanel::metricBox(int row, const Rule& rule) {
    if (!alerts::looksAtMetric(rule.kind)) return nullptr;
    auto* box = new QComboBox;
    box->setEditable(true);
    for (const char* metric : {"loss", "grad_norm", "update_ratio", "valid_loss", "valid_bleu"})
        box->addItem(QLatin1String(metric));
    box->setCurrentText(QString::fromStdString(rule.metric));
    connect(box, &QComboBox::currentTextChanged, this, [this, row](const QString& text) {
        if (text.trimmed().isEmpty()) return;
        const bool higher = context().engine->metric(text.toStdString()).higherIsBetter;
        changed(row, [&](Rule& other) {
            other.metric = text.trimmed().toStdString();
            other.higherIsBetter = higher;
        });
    });
    return box;
}

QWidget* AlertsPanel::amountBox(int row, const Rule& rule) {
    if (alerts::countsSteps(rule.kind)) {
        auto* steps = new QSpinBox;
        steps->setRange(1, 1000000000);
        steps->setValue(static_cast<int>(rule.steps));
        steps->setPrefix(tr("for "));
        setCountSuffix(*steps, tr("step"));
        connect(steps, &QSpinBox::valueChanged, this, setterOf(&Rule::steps, row));
        return steps;
    }
    if (!alerts::looksAtMetric(rule.kind) && rule.kind != Kind::Disk) return nullptr;
    auto* value = new QDoubleSpinBox;
    value->setDecimals(rule.kind == Kind::Above || rule.kind == Kind::Below ? 6 : 2);
    value->setRange(rule.kind == Kind::Spike ? 1.01 : -1e9, 1e9);
    value->setValue(rule.value);
    if (rule.kind == Kind::Spike) value->setSuffix(tr(" × mean"));
    if (rule.kind == Kind::Disk) value->setSuffix(tr(" MB left"));
    connect(value, &QDoubleSpinBox::valueChanged, this, setterOf(&Rule::value, row));
    return value;
}

QWidget* AlertsPanel::actionBox(int row, const Rule& rule) {
    auto* box = new QComboBox;
    box->addItems({tr("log only"), tr("save checkpoint"), tr("pause"), tr("stop")});
    box->setCurrentIndex(static_cast<int>(rule.action));
    connect(box, &QComboBox::activated, this, setterOf(&Rule::action, row));
    return box;
}

void AlertsPanel::addRule() {
    std::vector<Rule> all = rules();
    all.push_back({Kind::Spike, Action::Note, "loss", 3, 0, false, true});
    ask<AlertRules>().setRules(all);
    fill();
    table_->selectRow(table_->rowCount() - 1);
}

void AlertsPanel::removeSelected() {
    std::vector<Rule> remaining;
    for (int row = 0; row < table_->rowCount(); ++row)
        if (!table_->selectionModel()->isRowSelected(row, {}))
            remaining.push_back(rules()[static_cast<std::size_t>(row)]);
    if (remaining.size() == rules().size()) return;
    ask<AlertRules>().setRules(remaining);
    fill();
}

/// Rules that could not be read are not edited.
void AlertsPanel::showProblem() {
    const QString& text = ask<AlertRules>().problem();
    showText(*problem_, text);
    for (QWidget* widget : {static_cast<QWidget*>(table_), static_cast<QWidget*>(add_)})
        widget->setEnabled(text.isEmpty());
}

bool AlertsPanel::hasData() const {
    return !rules().empty();
}
QString AlertsPanel::statement() const {
    const auto on = std::ranges::count_if(rules(), &Rule::enabled);
    return tr("%1 of %2 alert rules are enabled for runs started from now on.").arg(on).arg(rules().size());
}

}  // namespace kurve::views
