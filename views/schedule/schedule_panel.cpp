#include "views/schedule/schedule_panel.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/number_control.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/schedule_form.h"

namespace kurve::views {

SchedulePanel::SchedulePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("schedule"), tr("Noise schedule"), context, parent),
      a_(new ScheduleForm(QStringLiteral("schedule.a"), tr("Schedule A"), ScheduleForm::Optional::No)),
      b_(new ScheduleForm(QStringLiteral("schedule.b"), tr("Schedule B"), ScheduleForm::Optional::Yes)),
      steps_(new NumberControl(QStringLiteral("schedule.steps"), tr("Sampling steps"),
                               {1, 1000, 1, 0, NumberControl::Scale::Linear, 100})),
      facts_(new QLabel),
      charts_(new ScheduleCharts) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    row->setSpacing(px(space::kSmall));
    row->addWidget(buildControls());
    row->addWidget(charts_, 1);
    steps_->setValue(20);
    b_->choose(QStringLiteral("cosine"));
    for (ScheduleForm* form : {a_, b_}) connect(form, &ScheduleForm::changed, this, &SchedulePanel::refresh);
    connect(steps_, &NumberControl::valueChanged, this, &SchedulePanel::refresh);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &SchedulePanel::refresh);
    if (context.selection != nullptr)
        connect(context.selection, &Selection::runsChanged, this, &SchedulePanel::watchRun);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
            if (id == watched_) refreshLoss();
        });
    refresh();
    watchRun();
}

SchedulePanel::~SchedulePanel() {
    if (context().catalog != nullptr && !watched_.isEmpty()) context().catalog->unwatch(watched_);
}

QWidget* SchedulePanel::buildControls() {
    auto* inside = new QWidget;
    inside->setProperty("role", "surface");
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(px(space::kMedium), px(space::kMedium), px(space::kMedium),
                               px(space::kMedium));
    column->setSpacing(px(space::kLarge));
    column->addWidget(a_);
    column->addWidget(b_);
    auto* heading = new QLabel(tr("Sampling"));
    heading->setProperty("role", "title");
    auto* label = new QLabel(tr("Steps"));
    label->setMinimumWidth(px(84));
    label->setBuddy(steps_);
    for (QWidget* part : {static_cast<QWidget*>(label), static_cast<QWidget*>(steps_)})
        part->setToolTip(
            tr("network calls of one generation, spaced evenly in time: the ticks in the charts"));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(px(space::kSmall));
    form->setVerticalSpacing(px(5));
    form->addRow(heading);
    form->addRow(label, steps_);
    column->addLayout(form);
    facts_->setObjectName(QStringLiteral("schedule.facts"));
    facts_->setProperty("role", "caption");
    facts_->setWordWrap(true);
    facts_->setTextFormat(Qt::RichText);
    column->addWidget(facts_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setProperty("role", "card");
    scroll->setWidget(inside);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(px(300));
    scroll->setFrameShape(QFrame::NoFrame);
    return scroll;
}

namespace {

QString factsOf(const ScheduleCurves& curves, const QColor& color) {
    return QObject::tr(
               "<span style='color:%1'>━</span> signal equals noise at s = %2; the largest of %3 steps is %4 "
               "nats")
        .arg(color.name(), numberText(curves.balance, 3), QString::number(curves.stepAt.size()),
             numberText(curves.largestGap, 3));
}

}  // namespace

void SchedulePanel::refresh() {
    a_->setColor(ScheduleCharts::colorA());
    b_->setColor(ScheduleCharts::colorB());
    const int steps = static_cast<int>(steps_->value());
    curves_ = curvesOf(*a_->make(), steps);
    std::optional<ScheduleCurves> other;
    if (const auto schedule = b_->make()) other = curvesOf(*schedule, steps);
    QString facts = factsOf(curves_, ScheduleCharts::colorA());
    if (other) facts += QStringLiteral("<br>") + factsOf(*other, ScheduleCharts::colorB());
    facts_->setText(facts);
    charts_->show(curves_, other);
}

void SchedulePanel::watchRun() {
    RunCatalog* catalog = context().catalog;
    if (context().selection == nullptr || catalog == nullptr) return;
    const QString run = context().selection->primaryRun();
    if (run != watched_) {
        if (!run.isEmpty()) catalog->watch(run);
        if (!watched_.isEmpty()) catalog->unwatch(watched_);
        watched_ = run;
    }
    refreshLoss();
}

void SchedulePanel::refreshLoss() {
    const auto data = watched_.isEmpty() ? nullptr : context().catalog->data(watched_);
    const NoiseLoss loss = data ? noiseLossOf(data->lossByLogSnr) : NoiseLoss();
    // Two colours are taken by the schedules.
    charts_->showLoss(data ? QString::fromStdString(data->summary.name) : QString(), categoryColor(2), loss);
}

QString SchedulePanel::statement() const {
    return tr("%1: signal and noise are equal at s = %2, and %3 sampling steps are at most %4 nats of "
              "log-SNR apart.")
        .arg(QString::fromStdString(curves_.title), numberText(curves_.balance, 3),
             QString::number(curves_.stepAt.size()), numberText(curves_.largestGap, 3));
}

}  // namespace kurve::views
