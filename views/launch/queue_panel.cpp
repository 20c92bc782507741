#include "views/launch/queue_panel.h"

#include <QDropEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <algorithm>

#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/launch/queue.h"

namespace kurve::views {

namespace {

using Kind = QueueEdit::Kind;
using State = QueueItem::State;

enum Column : unsigned char { Title, StateColumn, Device, Remark };

QString idOf(const QTreeWidgetItem& row) {
    return row.data(Title, Qt::UserRole).toString();
}

QStringList selectedIds(const QTreeWidget& table) {
    QStringList ids;
    for (int row = 0; row < table.topLevelItemCount(); ++row)
        if (const QTreeWidgetItem* item = table.topLevelItem(row); item->isSelected()) ids << idOf(*item);
    return ids;
}

/// Calls `dropped` when rows were dropped between others.
class QueueTable : public QTreeWidget {
public:
    explicit QueueTable(std::function<void()> dropped) : dropped_(std::move(dropped)) {}

protected:
    void dropEvent(QDropEvent* event) override {
        const QStringList moved = selectedIds(*this);
        const QString current = currentItem() ? idOf(*currentItem()) : QString();
        QTreeWidget::dropEvent(event);
        for (int row = 0; row < topLevelItemCount(); ++row) {  // they are taken out and put in again
            QTreeWidgetItem* item = topLevelItem(row);
            item->setSelected(moved.contains(idOf(*item)));
            if (idOf(*item) == current) setCurrentItem(item, 0, QItemSelectionModel::NoUpdate);
        }
        dropped_();
    }

private:
    std::function<void()> dropped_;
};

StateStyle styleOf(State state) {
    if (state == State::Waiting) return {QObject::tr("waiting"), QStringLiteral("·"), theme().muted};
    if (state == State::Held) return {QObject::tr("held"), QStringLiteral("‖"), theme().warn};
    return stateStyle(stateId(state));
}

}  // namespace

QueuePanel::QueuePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("queue"), tr("Queue"), context, parent),
      queue_(ask<Queue>()),
      state_(queue_.state()),
      table_(new QueueTable([this] {
          queue_.edit({Kind::Order, order(), {}, 0});
      })),
      empty_(new EmptyState),
      content_(new ContentOrEmpty(table_, empty_)),
      pause_(describe(new QPushButton(tr("Pause queue")), "queue.pause", {},
                      tr("Start no new runs; running ones continue"), {.role = "quiet", .checkable = true})),
      clearEnded_(describe(new QPushButton(tr("Clear ended")), "queue.clear_ended", {},
                           tr("Remove ended entries; their runs stay in the project"), {.role = "quiet"})),
      count_(describe(new QLabel, {.role = "hint"})) {
    empty_->setTexts(
        tr("The queue is empty"),
        tr("Press “Add to queue” in the form. Runs start one after another; the queue is saved with the "
           "project."),
        tr("Add draft  (Ctrl+F5)"));
    buildTable();
    vboxIn(this, {buildBar(), {content_, 1}}, {.margins = 0, .spacing = 0});
    connect(empty_, &EmptyState::clicked, this,
            [this] { this->context().commands->trigger(QStringLiteral("run.queue")); });
    connect(&queue_, &Queue::changed, this, &QueuePanel::show);
    connect(&ask<Trainings>(), &Trainings::changed, this, &QueuePanel::show);
    connect(context.catalog, &RunCatalog::runsChanged, this, &QueuePanel::show);
    onThemeChange(this, &QueuePanel::show);
    registerCommands();
    registerUnblockCommands();
    show();
}

void QueuePanel::buildTable() {
    describe(table_, "queue.table", tr("Training queue"));
    table_->setHeaderLabels({tr("Training"), tr("State"), tr("Device"), tr("Remark")});
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setAllColumnsShowFocus(true);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setDragDropMode(QAbstractItemView::InternalMove);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->header()->setStretchLastSection(true);
    const int widths[] = {200, 104, 60};
    for (int column = 0; column < 3; ++column) table_->setColumnWidth(column, px(widths[column]));
    connect(table_, &QTreeWidget::customContextMenuRequested, this, &QueuePanel::contextMenu);
    connect(table_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* row) {
        const QueueItem* item = state_.find(idOf(*row));
        if (item && !item->run.isEmpty()) context().selection->setRuns({item->run});
    });
}

QWidget* QueuePanel::buildBar() {
    auto* bar = new QWidget;
    auto* limits = new QWidget;
    limits_ = new QHBoxLayout(limits);
    limits_->setContentsMargins(0, 0, 0, 0);
    wrapBoxIn(bar, {pause_, clearEnded_, Gap{space::kSmall}, limits, Stretch{}, count_},
              {.margins = {space::kSmall, space::kTight}});
    connect(pause_, &QPushButton::clicked, this, [this](bool on) {
        queue_.edit({Kind::Pause, {}, {}, on ? 1 : 0});
    });
    connect(clearEnded_, &QPushButton::clicked, this, [this] { send(Kind::ClearEnded); });
    return bar;
}

void QueuePanel::registerCommands() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const CommandGroup add(commands, tr("Queue"), table_);
    add("queue.up", tr("Move up in queue"), QKeySequence(Qt::ALT | Qt::Key_Up),
        tr("Move the selected rows up"), [this] { moveSelected(-1); });
    add("queue.down", tr("Move down in queue"), QKeySequence(Qt::ALT | Qt::Key_Down),
        tr("Move the selected rows down"), [this] { moveSelected(1); });
    add("queue.first", tr("Move to front of queue"), QKeySequence(Qt::ALT | Qt::Key_Home),
        tr("Before all waiting entries"), [this] { moveSelected(-static_cast<int>(state_.items.size())); });
    add("queue.hold", tr("Hold / release"), QKeySequence(Qt::Key_H),
        tr("A held entry waits until it is released"), [this] {
            const QueueItem* item = state_.find(selected().value(0));
            const bool blocked =
                item && !state_.waitsFor(*item).isEmpty() && state_.find(item->after)->hasEnded();
            send(item && (item->state == State::Held || blocked) ? Kind::Release : Kind::Hold);
        });
    add("queue.requeue", tr("Requeue"), QKeySequence(Qt::Key_R), tr("Queue ended entries again, as new runs"),
        [this] { send(Kind::Requeue); });
    add("queue.remove", tr("Remove from queue"), QKeySequence(Qt::Key_Delete),
        tr("Its run stays in the project"), [this] { send(Kind::Remove); });
    for (const char* id : {"queue.hold", "queue.requeue"})
        commands->action(QLatin1String(id))->setAutoRepeat(false);
}

// A paused training occupies its device: commands to unblock the entries that wait for it.
void QueuePanel::registerUnblockCommands() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const auto add = [&](const char* id, const QString& title, const QString& help,
                         std::function<void(const DeviceOccupant&)> run) {
        commands->add({QLatin1String(id), title, tr("Queue"), {}, help}, [this, run = std::move(run)] {
            if (const auto occupant = blockingRunOfSelection()) run(*occupant);
        });
    };
    add("queue.resume_blocking", tr("Resume blocking run"),
        tr("It continues; the selected entry starts when it has ended"),
        [this](const DeviceOccupant& occupant) { ask<Trainings>().resume(occupant.run); });
    add("queue.stop_blocking", tr("Stop blocking run"),
        tr("It writes a checkpoint and can be resumed later; the selected entry starts"),
        [this](const DeviceOccupant& occupant) { ask<Trainings>().stop(occupant.run); });
    add("queue.raise_limit", tr("Allow one more concurrent run"),
        tr("The selected entry starts beside the paused run, which stays in memory"),
        [this](const DeviceOccupant& occupant) {
            queue_.edit({Kind::Parallel, {}, occupant.device, state_.parallelOn(occupant.device) + 1});
        });
    connect(table_, &QTreeWidget::itemSelectionChanged, this, &QueuePanel::updateUnblockCommands);
}

void QueuePanel::updateUnblockCommands() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const QString why = queue_.isElsewhere()       ? tr("Another window runs this queue.")
                        : blockingRunOfSelection() ? QString()
                                                   : tr("Select an entry blocked by a paused run.");
    for (const char* id : {"queue.resume_blocking", "queue.stop_blocking", "queue.raise_limit"})
        commands->setRefusal(QLatin1String(id), why);
}

QString QueuePanel::defaultDevice() const {
    return QString::fromStdString(context().engine->defaultDevice());
}

std::optional<DeviceOccupant> QueuePanel::blockingRunOfSelection() const {
    const QueueItem* item = state_.find(selected().value(0));
    return item ? state_.blockingRun(*item, occupants_, defaultDevice()) : std::nullopt;
}

void QueuePanel::send(Kind kind, const QString& text) {
    queue_.edit({kind, selected(), text, 0});
}

QStringList QueuePanel::selected() const {
    return selectedIds(*table_);
}

QStringList QueuePanel::order() const {
    QStringList ids;
    for (int row = 0; row < table_->topLevelItemCount(); ++row) ids << idOf(*table_->topLevelItem(row));
    return ids;
}

void QueuePanel::moveSelected(int by) {
    QStringList ids = order(), moving = selected();
    if (moving.isEmpty()) return;
    const auto first = ids.indexOf(moving.first());
    for (const QString& id : moving) ids.removeAll(id);
    auto index = std::clamp<qsizetype>(first + by, 0, ids.size());
    for (const QString& id : moving) ids.insert(index++, id);
    queue_.edit({Kind::Order, ids, {}, 0});
}

bool QueuePanel::isPaused(const QueueItem& item) const {
    return item.state == State::Running &&
           std::ranges::any_of(occupants_, [&](const DeviceOccupant& occupant) {
               return occupant.paused && occupant.run == item.run;
           });
}

QString QueuePanel::countsText() const {
    const auto count = [this](auto&& fits) { return std::ranges::count_if(state_.items, fits); };
    const auto paused = count([this](const QueueItem& item) { return isPaused(item); });
    const auto running = count([](const QueueItem& item) { return item.state == State::Running; }) - paused;
    const auto waiting = count(
        [](const QueueItem& item) { return item.state == State::Waiting || item.state == State::Held; });
    return paused > 0 ? tr("%1 running, %2 paused, %3 waiting").arg(running).arg(paused).arg(waiting)
                      : tr("%1 running, %2 waiting").arg(running).arg(waiting);
}

void QueuePanel::show() {
    occupants_ = queue_.occupants();
    const QStringList before = selected();
    const QTreeWidgetItem* current = table_->currentItem();
    const QString currentId = current ? idOf(*current) : QString();
    while (table_->topLevelItemCount() > static_cast<int>(state_.items.size()))
        delete table_->topLevelItem(0);
    while (table_->topLevelItemCount() < static_cast<int>(state_.items.size())) {
        auto* row = new QTreeWidgetItem(table_);
        row->setFlags(row->flags() & ~Qt::ItemIsDropEnabled);  // rows fall between, not into each other
    }
    for (std::size_t i = 0; i < state_.items.size(); ++i) {
        const QueueItem& item = state_.items[i];
        QTreeWidgetItem* row = table_->topLevelItem(static_cast<int>(i));
        fillRow(*row, item);
        row->setSelected(before.contains(item.id));
        if (item.id == currentId) table_->setCurrentItem(row, 0, QItemSelectionModel::NoUpdate);
    }
    pause_->setChecked(state_.paused);
    pause_->setText(state_.paused ? tr("Resume queue") : tr("Pause queue"));
    clearEnded_->setEnabled(std::ranges::any_of(state_.items, &QueueItem::hasEnded));
    count_->setText(queue_.isElsewhere() ? tr("Another window runs this queue.") : countsText());
    for (QWidget* widget : {static_cast<QWidget*>(pause_), static_cast<QWidget*>(table_)})
        widget->setEnabled(!queue_.isElsewhere());
    content_->setEmpty(state_.items.empty());
    fillLimits();
    updateUnblockCommands();
}

void QueuePanel::fillRow(QTreeWidgetItem& row, const QueueItem& item) const {
    const StateStyle style = isPaused(item) ? stateStyle("paused") : styleOf(item.state);
    QString remark = item.reason;
    if (item.state == State::Waiting) remark = state_.whyWaiting(item, occupants_, defaultDevice());
    if (const store::RunSummary* run = context().catalog->run(item.run);
        run && item.state == State::Running && run->totalSteps > 0)
        remark = run->plannedSeconds > 0
                     ? tr("step %1, planned: %2").arg(countText(run->step), durationText(run->plannedSeconds))
                     : tr("step %1 of %2").arg(countText(run->step), countText(run->totalSteps));
    const Trainings::Preparation preparation = ask<Trainings>().preparation(item.run);
    const bool prepares = !preparation.text.isEmpty();
    if (prepares) remark = preparation.text;
    row.setText(Title, item.title);
    row.setData(Title, Qt::UserRole, item.id);
    row.setToolTip(Title, QStringLiteral("kurve ") + item.words.join(QLatin1Char(' ')));
    row.setText(StateColumn, style.glyph + QLatin1Char(' ') + style.text);
    row.setForeground(StateColumn, style.color);
    const QString device = item.device.isEmpty() ? tr("auto") : item.device;
    row.setText(Device, item.machine.isEmpty() ? device : tr("%1 (%2)").arg(item.machine, device));
    const bool blocked = state_.blockingRun(item, occupants_, defaultDevice()).has_value();
    // The column is narrow.
    row.setText(Remark, blocked    ? tr("blocked by a paused run")
                        : prepares ? tr("preparing: %1 %").arg(100 * preparation.fraction, 0, 'f', 0)
                                   : remark);
    row.setData(Remark, Qt::AccessibleTextRole, remark);
    row.setToolTip(Remark, remark);
}

void QueuePanel::engineInfoChanged() {
    while (QLayoutItem* old = limits_->takeAt(0)) {
        delete old->widget();
        delete old;
    }
    for (const std::string& device : context().engine->devices()) {
        const QString name = QString::fromStdString(device);
        auto* box = describe(new QSpinBox, QStringLiteral("queue.limit.%1").arg(name),
                             tr("Concurrent runs on %1").arg(name),
                             tr("Maximum number of concurrent runs on %1").arg(name));
        box->setRange(1, 64);
        box->setPrefix(tr("%1: ").arg(name));
        box->setSuffix(tr(" concurrent"));
        connect(box, &QSpinBox::valueChanged, this, [this, name](int count) {
            if (!filling_) queue_.edit({Kind::Parallel, {}, name, count});
        });
        limits_->addWidget(box);
    }
    fillLimits();
}

void QueuePanel::fillLimits() {
    filling_ = true;
    for (const std::string& device : context().engine->devices()) {
        const QString name = QString::fromStdString(device);
        if (auto* box = findChild<QSpinBox*>(QStringLiteral("queue.limit.%1").arg(name)))
            box->setValue(state_.parallelOn(name));
    }
    filling_ = false;
}

void QueuePanel::contextMenu(const QPoint& position) {
    const QStringList ids = selected();
    if (ids.isEmpty()) return;
    QMenu menu(this);
    if (blockingRunOfSelection()) {
        for (const char* id : {"queue.resume_blocking", "queue.stop_blocking", "queue.raise_limit"})
            menu.addAction(context().commands->action(QLatin1String(id)));
        menu.addSeparator();
    }
    for (const char* id :
         {"queue.up", "queue.down", "queue.first", "queue.hold", "queue.requeue", "queue.remove"})
        if (QAction* action = context().commands->action(QLatin1String(id))) menu.addAction(action);
    QMenu* after = menu.addMenu(tr("Start after"));
    after->addAction(tr("none"), this, [this] { send(Kind::After); });
    for (const QueueItem& item : state_.items)
        if (!ids.contains(item.id) && !item.hasEnded())
            after->addAction(item.title, this, [this, id = item.id] { send(Kind::After, id); });
    QMenu* devices = menu.addMenu(tr("Device"));
    devices->addAction(tr("auto"), this, [this] { send(Kind::Device); });
    for (const std::string& device : context().engine->devices())
        devices->addAction(QString::fromStdString(device), this,
                           [this, device] { send(Kind::Device, QString::fromStdString(device)); });
    menu.exec(table_->viewport()->mapToGlobal(position));
}

bool QueuePanel::hasData() const {
    return !state_.items.empty();
}
QString QueuePanel::statement() const {
    return count_->text();
}

}  // namespace kurve::views
