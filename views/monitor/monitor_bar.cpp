#include "views/monitor/monitor_bar.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <algorithm>

#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

namespace kurve::views {

namespace {

constexpr int kFirstSmoothing = 94;
const QString kStepAxis = QStringLiteral("step");

QPushButton* toggle(const char* id, const QString& text, const QString& tip) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(id));
    button->setCheckable(true);
    button->setProperty("role", "quiet");
    button->setToolTip(tip);
    return button;
}

MonitorBar::Choices choicesOf(const QComboBox& box, int from) {
    MonitorBar::Choices choices;
    for (int i = from; i < box.count(); ++i) choices.append({box.itemData(i).toString(), box.itemText(i)});
    return choices;
}

void widenList(QComboBox& box) {
    box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + px(24));
}

}  // namespace

MonitorBar::MonitorBar(QWidget* parent)
    : QWidget(parent),
      axis_(new QComboBox),
      add_(new QComboBox),
      smoothing_(new QSlider(Qt::Horizontal)),
      link_(toggle("monitor.link", tr("Link zoom"), tr("All charts show the same stretch"))),
      earlier_(toggle("monitor.earlier", tr("Earlier attempts"),
                      tr("What was logged before a resume from an older checkpoint, dotted and faint"))),
      wantedAxis_(kStepAxis),
      shownAxis_(kStepAxis) {
    for (QComboBox* box : {axis_, add_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(9);
    }
    axis_->setObjectName(QStringLiteral("monitor.axis"));
    axis_->setAccessibleName(tr("Quantity along x"));
    axis_->addItem(tr("by step"), kStepAxis);
    smoothing_->setObjectName(QStringLiteral("monitor.smoothing"));
    smoothing_->setAccessibleName(tr("Smoothing of the curves"));
    smoothing_->setToolTip(tr("Debiased moving average; the raw points stay under it. Left end: none."));
    smoothing_->setRange(0, 99);
    smoothing_->setValue(kFirstSmoothing);
    smoothing_->setFixedWidth(px(96));
    link_->setChecked(true);
    add_->setObjectName(QStringLiteral("monitor.add"));
    add_->setAccessibleName(tr("Add a chart"));
    add_->addItem(tr("Add chart…"));
    auto* label = new QLabel(tr("Smoothing"));
    label->setProperty("role", "caption");
    auto* layout = new WrapLayout(this);
    layout->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kSmall), px(space::kTight));
    for (QWidget* widget :
         {static_cast<QWidget*>(axis_), static_cast<QWidget*>(label), static_cast<QWidget*>(smoothing_),
          static_cast<QWidget*>(link_), static_cast<QWidget*>(earlier_), static_cast<QWidget*>(add_)})
        layout->addWidget(widget);
    connect(axis_, &QComboBox::activated, this, [this](int row) {
        wantedAxis_ = axis_->itemData(row).toString();
        chooseAxis(wantedAxis_);
    });
    connect(smoothing_, &QSlider::valueChanged, this, [this] { Q_EMIT smoothingChanged(smoothing()); });
    connect(link_, &QPushButton::toggled, this, &MonitorBar::linkChanged);
    connect(earlier_, &QPushButton::toggled, this, &MonitorBar::earlierChanged);
    connect(add_, &QComboBox::activated, this, [this](int row) {
        if (row <= 0) return;
        const QString metric = add_->itemData(row).toString();
        add_->setCurrentIndex(0);
        Q_EMIT chartWanted(metric);
    });
}

void MonitorBar::chooseAxis(const QString& id) {
    if (std::exchange(shownAxis_, id) != id) Q_EMIT axisChanged();
}

void MonitorBar::offerAxes(const Choices& axes) {
    if (axes.isEmpty()) return;
    Choices titled;
    for (const auto& [id, title] : axes) titled.append({id, tr("by %1").arg(title)});
    if (titled != choicesOf(*axis_, 0)) {
        axis_->clear();
        for (const auto& [id, title] : titled) axis_->addItem(title, id);
        widenList(*axis_);
    }
    const int wanted = axis_->findData(wantedAxis_);
    axis_->setCurrentIndex(std::max(0, wanted));
    chooseAxis(axis_->currentData().toString());
}

void MonitorBar::offerMetrics(const Choices& metrics) {
    if (metrics == choicesOf(*add_, 1)) return;
    while (add_->count() > 1) add_->removeItem(1);
    for (const auto& [id, title] : metrics) add_->addItem(title, id);
    add_->setEnabled(!metrics.isEmpty());
    widenList(*add_);
}

void MonitorBar::offerEarlier(bool there) {
    earlier_->setVisible(there);
}

QString MonitorBar::axis() const {
    return shownAxis_;
}
double MonitorBar::smoothing() const {
    return smoothing_->value() / 100.0;
}
bool MonitorBar::isLinked() const {
    return link_->isChecked();
}
bool MonitorBar::showsEarlier() const {
    return earlier_->isChecked();
}

QJsonObject MonitorBar::save() const {
    return {{QStringLiteral("axis"), wantedAxis_},
            {QStringLiteral("smoothing"), smoothing_->value()},
            {QStringLiteral("linked"), isLinked()},
            {QStringLiteral("earlier"), showsEarlier()}};
}

void MonitorBar::restore(const QJsonObject& saved) {
    wantedAxis_ = saved.value(QStringLiteral("axis")).toString(kStepAxis);
    smoothing_->setValue(saved.value(QStringLiteral("smoothing")).toInt(kFirstSmoothing));
    link_->setChecked(saved.value(QStringLiteral("linked")).toBool(true));
    earlier_->setChecked(saved.value(QStringLiteral("earlier")).toBool());
    if (const int row = axis_->findData(wantedAxis_); row >= 0) {
        axis_->setCurrentIndex(row);
        chooseAxis(wantedAxis_);
    }
}

}  // namespace kurve::views
