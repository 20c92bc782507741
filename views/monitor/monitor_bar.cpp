#include "views/monitor/monitor_bar.h"

#include <QPushButton>
#include <utility>

#include "views/common/chart/smoothing_control.h"
#include "views/common/form/choice_list.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kFirstSmoothing = 94;
const QString kStepAxis = QStringLiteral("step");

QPushButton* toggle(const char* id, const QString& text, const QString& tip) {
    return describe(new QPushButton(text), id, {}, tip, {.role = "quiet", .checkable = true});
}

}  // namespace

MonitorBar::MonitorBar(QWidget* parent)
    : QWidget(parent),
      axis_(new ChoiceBox(QStringLiteral("monitor.axis"), tr("X axis"))),
      smoothing_(new SmoothingControl(QStringLiteral("monitor"), kFirstSmoothing)),
      link_(toggle("monitor.link", tr("Link zoom"), tr("Share the x range between all charts"))),
      earlier_(toggle("monitor.earlier", tr("Earlier attempts"),
                      tr("Values logged before a resume from an older checkpoint, dotted and faint"))),
      add_(describe(new QPushButton(tr("Add chart…")), "monitor.add", {},
                    tr("Add a chart of any metric of the selected runs"), {.role = "quiet"})),
      metrics_(new ChoiceList(ChoiceList::Kind::Single, QStringLiteral("monitor.metrics"),
                              tr("Metrics without a chart"), this)),
      shownAxis_(kStepAxis) {
    axis_->setMinimumContentsLength(9);
    axis_->addItem(tr("by step"), kStepAxis);
    link_->setChecked(true);
    wrapBoxIn(this, {axis_, smoothing_, link_, earlier_, add_}, {.margins = {space::kSmall, space::kTight}});
    connect(axis_, &QComboBox::activated, this, [this] { chooseAxis(axis_->currentData().toString()); });
    connect(smoothing_, &SmoothingControl::changed, this, &MonitorBar::smoothingChanged);
    connect(link_, &QPushButton::toggled, this, &MonitorBar::linkChanged);
    connect(earlier_, &QPushButton::toggled, this, &MonitorBar::earlierChanged);
    connect(add_, &QPushButton::clicked, this, &MonitorBar::openChartList);
    connect(metrics_, &ChoiceList::chosen, this, &MonitorBar::chartWanted);
}

void MonitorBar::openChartList() {
    Q_EMIT chartListOpening();
    metrics_->popUp(*add_);
}

void MonitorBar::chooseAxis(const QString& id) {
    if (std::exchange(shownAxis_, id) != id) Q_EMIT axisChanged();
}

void MonitorBar::offerAxes(const BoxChoices& axes) {
    if (axes.isEmpty()) return;
    BoxChoices titled;
    for (const auto& [id, title] : axes) titled.append({id, tr("by %1").arg(title)});
    axis_->offer(titled);
    chooseAxis(axis_->currentData().toString());
}

void MonitorBar::offerMetrics(std::vector<Choice> metrics) {
    metrics_->setChoices(std::move(metrics));
}

void MonitorBar::offerEarlier(bool there) {
    earlier_->setVisible(there);
}

QString MonitorBar::axis() const {
    return shownAxis_;
}
series::Smoothing MonitorBar::smoothing() const {
    return smoothing_->smoothing();
}
bool MonitorBar::isLinked() const {
    return link_->isChecked();
}
bool MonitorBar::showsEarlier() const {
    return earlier_->isChecked();
}

QJsonObject MonitorBar::save() const {
    return {{QStringLiteral("axis"), axis_->wanted()},
            {QStringLiteral("smoothing"), smoothing_->save()},
            {QStringLiteral("linked"), isLinked()},
            {QStringLiteral("earlier"), showsEarlier()}};
}

void MonitorBar::restore(const QJsonObject& saved) {
    axis_->want(saved.value(QStringLiteral("axis")).toString(kStepAxis));
    smoothing_->restore(saved.value(QStringLiteral("smoothing")));
    link_->setChecked(saved.value(QStringLiteral("linked")).toBool(true));
    earlier_->setChecked(saved.value(QStringLiteral("earlier")).toBool());
    chooseAxis(axis_->currentData().toString());
}

}  // namespace kurve::views
