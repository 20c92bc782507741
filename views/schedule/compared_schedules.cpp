#include "views/schedule/compared_schedules.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/chart/plot_card.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme_listener.h"
#include "views/schedule/schedule_charts.h"

namespace kurve::views {

ComparedSchedules::ComparedSchedules(QWidget* parent)
    : QWidget(parent),
      add_(new QPushButton(tr("Add"))),
      menu_(new QMenu(add_)),
      column_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("schedule.compared"));
    auto* title = describe(new QLabel(tr("Compare with")), {.role = "title"});
    describe(add_, "schedule.compared.add", tr("Add a schedule to the comparison"));
    add_->setMenu(menu_);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(px(space::kTight));
    column_->addLayout(hbox({title, Stretch{1}, add_}));
    connect(menu_, &QMenu::aboutToShow, this, &ComparedSchedules::fillMenu);
    onThemeChange(this, &ComparedSchedules::rebuild);
    rebuild();
}

QString ComparedSchedules::labelOf(const schedule::LabSchedule& schedule) {
    if (!schedule.file.empty()) return QString::fromStdString(schedule.file);
    QString label = QString::fromStdString(schedule.kind);
    const auto* kind = schedule::findScheduleKind(schedule.kind);
    if (kind == nullptr) return label;
    if (schedule.drawn()) label += QLatin1Char(' ') + tr("of %1 points").arg(schedule.curve().points.size());
    const auto values = schedule.parameters();
    for (const FieldSpec& field : kind->fields) {
        const auto found = values.find(field.key);
        if (found == values.end() || found->second == fieldValueText(field.fallback)) continue;
        QString key = QString::fromStdString(field.key).replace(QLatin1Char('_'), QLatin1Char(' '));
        label += QLatin1Char(' ') + key;
        if (field.type != FieldType::Flag) label += QLatin1Char(' ') + QString::fromStdString(found->second);
    }
    return label;
}

void ComparedSchedules::fillMenu() {
    menu_->clear();
    connect(menu_->addAction(tr("Schedule A as it is")), &QAction::triggered, this,
            &ComparedSchedules::currentWanted);
    menu_->addSeparator();
    for (const auto& kind : schedule::scheduleKinds()) {
        if (kind.drawn) continue;  // its first points are no schedule of anybody
        QAction* entry = menu_->addAction(QString::fromStdString(kind.title));
        entry->setObjectName(QStringLiteral("schedule.compared.add.") + QString::fromStdString(kind.id));
        connect(entry, &QAction::triggered, this, [this, id = kind.id] {
            schedule::LabSchedule schedule;
            schedule.kind = id;
            add(schedule);
        });
    }
    if (!files_.isEmpty()) menu_->addSeparator();
    for (const QString& name : files_)
        connect(menu_->addAction(QStringLiteral("schedules/") + name), &QAction::triggered, this,
                [this, name] { Q_EMIT fileChosen(name); });
}

void ComparedSchedules::setFiles(const QStringList& names) {
    files_ = names;
}

void ComparedSchedules::setSchedules(std::vector<schedule::LabSchedule> schedules) {
    if (schedules.size() > kMost) schedules.resize(kMost);
    if (schedules == schedules_) return;
    schedules_ = std::move(schedules);
    rebuild();
}

void ComparedSchedules::add(const schedule::LabSchedule& schedule) {
    if (schedules_.size() >= kMost)
        return Q_EMIT problem(tr("At most %1 further schedules; remove one first.").arg(kMost));
    const bool there =
        std::any_of(schedules_.begin(), schedules_.end(), [&](const schedule::LabSchedule& other) {
            return other.kind == schedule.kind && other.parameters() == schedule.parameters() &&
                   (!schedule.drawn() || other.curve() == schedule.curve());
        });
    if (there) return Q_EMIT problem(tr("%1 is already compared.").arg(labelOf(schedule)));
    schedules_.push_back(schedule);
    rebuild();
    Q_EMIT changed();
}

void ComparedSchedules::remove(std::size_t index) {
    schedules_.erase(schedules_.begin() + static_cast<std::ptrdiff_t>(index));
    add_->setFocus();  // the row disappears
    rebuild();
    Q_EMIT changed();
}

void ComparedSchedules::rebuild() {
    if (rows_ != nullptr) rows_->hide();  // by one of its buttons
    if (rows_ != nullptr) rows_->deleteLater();
    rows_ = new QWidget;
    auto* column = vboxIn(rows_, {}, {.margins = 0, .spacing = 0});
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
        const QString label = labelOf(schedules_[i]);
        const QString key =
            PlotCard::key(ScheduleCharts::colorCompared(i), {}, ScheduleCharts::kComparedGlyph);
        auto* swatch = describe(new QLabel(key), {.format = Qt::RichText});
        auto* name = new ElidedLabel("caption");
        name->setText(label);
        const QString tip = tr("Remove %1 from the comparison").arg(label);
        auto* drop = describe(new QToolButton, QStringLiteral("schedule.compared.remove.%1").arg(i), tip, tip,
                              {.text = QStringLiteral("✕"), .role = "mini"});
        connect(drop, &QToolButton::clicked, this, [this, i] { remove(i); });
        column->addLayout(hbox({swatch, {name, 1}, drop}));
    }
    column_->addWidget(rows_);
    rows_->setVisible(!schedules_.empty());
    const bool full = schedules_.size() >= kMost;
    add_->setToolTip(full ? tr("At most %1 further schedules; remove one first").arg(kMost)
                          : tr("Draw another schedule as a thinner line in the charts"));
}

}  // namespace kurve::views
