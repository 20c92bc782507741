#include "views/launch/queue_panel.h"

#include <QDropEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/content_or_empty.h"
#include "views/common/empty_state.h"
#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

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

/// Tells when rows were dropped between others.
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

StateLook lookOf(State state) {
    switch (state) {
        case State::Waiting:
            return {QObject::tr("waiting"), QStringLiteral("·"), theme().muted};
        case State::Held:
            return {QObject::tr("held"), QStringLiteral("‖"), theme().warn};
        case State::Running:
            return stateLook("running");
        case State::Completed:
            return stateLook("completed");
        case State::Cancelled:
            return stateLook("cancelled");
        case State::Failed:
            return stateLook("failed");
    }
    return {};
}

}  // namespace

QueuePanel::QueuePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("queue"), tr("Queue"), context, parent),
      table_(new QueueTable([this] {
          Q_EMIT edited({Kind::Order, order(), {}, 0});
      })),
      empty_(new EmptyState),
      content_(new ContentOrEmpty(table_, empty_)),
      pause_(new QPushButton(tr("Hold the queue"))),
      tidy_(new QPushButton(tr("Clear ended"))),
      count_(new QLabel) {
    empty_->setTexts(
        tr("The queue is empty"),
        tr("“Add to queue” in the form puts the draft here; runs start one after another, and the "
           "queue is kept when the studio closes."),
        tr("Add the draft  (Ctrl+F5)"));
    buildTable();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildBar());
    layout->addWidget(content_, 1);
    connect(empty_, &EmptyState::clicked, this, &QueuePanel::addRequested);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &QueuePanel::show);
    registerCommands();
    registerWaysOut();
    show();
}

void QueuePanel::buildTable() {
    table_->setObjectName(QStringLiteral("queue.table"));
    table_->setAccessibleName(tr("Queue of trainings"));
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
        if (item && !item->run.isEmpty()) Q_EMIT runRequested(item->run);
    });
}

QWidget* QueuePanel::buildBar() {
    auto* bar = new QWidget;
    pause_->setObjectName(QStringLiteral("queue.pause"));
    pause_->setCheckable(true);
    pause_->setProperty("role", "quiet");
    pause_->setToolTip(tr("Start nothing new; what runs goes on"));
    tidy_->setObjectName(QStringLiteral("queue.tidy"));
    tidy_->setProperty("role", "quiet");
    tidy_->setToolTip(tr("Take what has ended off the list; the runs stay in the project"));
    count_->setProperty("role", "hint");
    auto* layout = new WrapLayout(bar);
    layout->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kSmall), px(space::kTight));
    auto* places = new QWidget;
    places_ = new QHBoxLayout(places);
    places_->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pause_);
    layout->addWidget(tidy_);
    layout->addSpacing(px(space::kSmall));
    layout->addWidget(places);
    layout->addStretch();
    layout->addWidget(count_);
    connect(pause_, &QPushButton::clicked, this, [this](bool on) {
        Q_EMIT edited({Kind::Pause, {}, {}, on ? 1 : 0});
    });
    connect(tidy_, &QPushButton::clicked, this, [this] { send(Kind::Tidy); });
    return bar;
}

void QueuePanel::registerCommands() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const auto add = [&](const char* id, const QString& title, const QKeySequence& keys, const QString& help,
                         std::function<void()> run) {
        commands->add({QLatin1String(id), title, tr("Queue"), keys, help}, std::move(run), table_);
    };
    add("queue.up", tr("Earlier in the queue"), QKeySequence(Qt::ALT | Qt::Key_Up), tr("Move the rows up"),
        [this] { moveSelected(-1); });
    add("queue.down", tr("Later in the queue"), QKeySequence(Qt::ALT | Qt::Key_Down),
        tr("Move the rows down"), [this] { moveSelected(1); });
    add("queue.first", tr("First in the queue"), QKeySequence(Qt::ALT | Qt::Key_Home),
        tr("Before everything that waits"), [this] { moveSelected(-static_cast<int>(state_.items.size())); });
    add("queue.hold", tr("Hold or release"), QKeySequence(Qt::Key_H),
        tr("A held training waits until it is released"), [this] {
            const QueueItem* item = state_.find(selected().value(0));
            const bool stuck =
                item && !state_.waitsFor(*item).isEmpty() && state_.find(item->after)->hasEnded();
            send(item && (item->state == State::Held || stuck) ? Kind::Release : Kind::Hold);
        });
    add("queue.again", tr("Train again"), QKeySequence(Qt::Key_R),
        tr("What has ended waits for another turn, as a new run"), [this] { send(Kind::Again); });
    add("queue.remove", tr("Remove from the queue"), QKeySequence(Qt::Key_Delete),
        tr("The run, if there is one already, stays in the project"), [this] { send(Kind::Remove); });
}

// A paused training holds its place for as long as it likes: whoever waits for it is offered the ways out.
void QueuePanel::registerWaysOut() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const auto add = [&](const char* id, const QString& title, const QString& help,
                         std::function<void(const PlaceHolder&)> run) {
        commands->add({QLatin1String(id), title, tr("Queue"), {}, help}, [this, run = std::move(run)] {
            if (const auto holder = pausedHolder()) run(*holder);
        });
    };
    add("queue.resumeHolder", tr("Resume the paused run that keeps the place"),
        tr("It trains on, and the selected row has its turn when it has ended"),
        [this](const PlaceHolder& holder) { Q_EMIT resumeRequested(holder.run); });
    add("queue.stopHolder", tr("Stop the paused run that keeps the place"),
        tr("It writes a checkpoint and can be resumed later; the selected row begins"),
        [this](const PlaceHolder& holder) { Q_EMIT stopRequested(holder.run); });
    add("queue.oneMore", tr("Allow one more at once on its device"),
        tr("The selected row begins beside the paused run, which stays in memory"),
        [this](const PlaceHolder& holder) {
            Q_EMIT edited({Kind::Parallel, {}, holder.device, state_.parallelOn(holder.device) + 1});
        });
    connect(table_, &QTreeWidget::itemSelectionChanged, this, &QueuePanel::judgeWaysOut);
}

void QueuePanel::judgeWaysOut() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const QString why = locked_          ? tr("Another window runs this queue.")
                        : pausedHolder() ? QString()
                                         : tr("Select a row of the queue that waits for a paused run.");
    for (const char* id : {"queue.resumeHolder", "queue.stopHolder", "queue.oneMore"})
        commands->setRefusal(QLatin1String(id), why);
}

QString QueuePanel::usualDevice() const {
    return QString::fromStdString(context().engine->usualDevice());
}

std::optional<PlaceHolder> QueuePanel::pausedHolder() const {
    const QueueItem* item = state_.find(selected().value(0));
    return item ? state_.pausedBefore(*item, holders_, usualDevice()) : std::nullopt;
}

void QueuePanel::send(Kind kind, const QString& text) {
    Q_EMIT edited({kind, selected(), text, 0});
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
    auto place = std::clamp<qsizetype>(first + by, 0, ids.size());
    for (const QString& id : moving) ids.insert(place++, id);
    Q_EMIT edited({Kind::Order, ids, {}, 0});
}

void QueuePanel::setState(const QueueState& state, bool locked) {
    state_ = state;
    locked_ = locked;
    show();
}

void QueuePanel::setHolders(std::vector<PlaceHolder> holders) {
    holders_ = std::move(holders);
    show();
}

bool QueuePanel::isPaused(const QueueItem& item) const {
    return item.state == State::Running &&
           std::any_of(holders_.begin(), holders_.end(),
                       [&](const PlaceHolder& holder) { return holder.paused && holder.run == item.run; });
}

QString QueuePanel::countsText() const {
    const auto count = [this](auto&& fits) {
        return std::count_if(state_.items.begin(), state_.items.end(), fits);
    };
    const auto paused = count([this](const QueueItem& item) { return isPaused(item); });
    const auto running = count([](const QueueItem& item) { return item.state == State::Running; }) - paused;
    const auto waiting = count(
        [](const QueueItem& item) { return item.state == State::Waiting || item.state == State::Held; });
    return paused > 0 ? tr("%1 running, %2 paused, %3 to come").arg(running).arg(paused).arg(waiting)
                      : tr("%1 running, %2 to come").arg(running).arg(waiting);
}

void QueuePanel::show() {
    const QStringList kept = selected();
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
        row->setSelected(kept.contains(item.id));
        if (item.id == currentId) table_->setCurrentItem(row, 0, QItemSelectionModel::NoUpdate);
    }
    pause_->setChecked(state_.paused);
    pause_->setText(state_.paused ? tr("Let the queue go on") : tr("Hold the queue"));
    tidy_->setEnabled(std::any_of(state_.items.begin(), state_.items.end(),
                                  [](const QueueItem& item) { return item.hasEnded(); }));
    count_->setText(locked_ ? tr("Another window runs this queue.") : countsText());
    for (QWidget* widget : {static_cast<QWidget*>(pause_), static_cast<QWidget*>(table_)})
        widget->setEnabled(!locked_);
    content_->setEmpty(state_.items.empty());
    fillPlaces();
    judgeWaysOut();
}

void QueuePanel::fillRow(QTreeWidgetItem& row, const QueueItem& item) const {
    const StateLook look = isPaused(item) ? stateLook("paused") : lookOf(item.state);
    QString remark = item.reason;
    if (item.state == State::Waiting) remark = state_.whyWaiting(item, holders_, usualDevice());
    if (const store::RunSummary* run = context().catalog->run(item.run);
        run && item.state == State::Running && run->totalSteps > 0)
        remark = run->plannedSeconds > 0
                     ? tr("step %1, planned: %2").arg(countText(run->step), durationText(run->plannedSeconds))
                     : tr("step %1 of %2").arg(countText(run->step), countText(run->totalSteps));
    row.setText(Title, item.title);
    row.setData(Title, Qt::UserRole, item.id);
    row.setToolTip(Title, QStringLiteral("kurve ") + item.words.join(QLatin1Char(' ')));
    row.setText(StateColumn, look.glyph + QLatin1Char(' ') + look.text);
    row.setForeground(StateColumn, look.color);
    row.setText(Device, item.device.isEmpty() ? tr("auto") : item.device);
    const bool behind = state_.pausedBefore(item, holders_, usualDevice()).has_value();
    row.setText(Remark, behind ? tr("behind a paused run") : remark);  // the column is narrow
    row.setData(Remark, Qt::AccessibleTextRole, remark);
    row.setToolTip(Remark, remark);
}

void QueuePanel::engineInfoChanged() {
    while (QLayoutItem* old = places_->takeAt(0)) {
        delete old->widget();
        delete old;
    }
    for (const std::string& device : context().engine->devices()) {
        const QString name = QString::fromStdString(device);
        auto* box = new QSpinBox;
        box->setObjectName(QStringLiteral("queue.places.%1").arg(name));
        box->setAccessibleName(tr("Runs at once on %1").arg(name));
        box->setToolTip(tr("How many trainings may run on %1 at the same time").arg(name));
        box->setRange(1, 64);
        box->setPrefix(tr("%1: ").arg(name));
        box->setSuffix(tr(" at once"));
        connect(box, &QSpinBox::valueChanged, this, [this, name](int count) {
            if (!filling_) Q_EMIT edited({Kind::Parallel, {}, name, count});
        });
        places_->addWidget(box);
    }
    fillPlaces();
}

void QueuePanel::fillPlaces() {
    filling_ = true;
    for (const std::string& device : context().engine->devices()) {
        const QString name = QString::fromStdString(device);
        if (auto* box = findChild<QSpinBox*>(QStringLiteral("queue.places.%1").arg(name)))
            box->setValue(state_.parallelOn(name));
    }
    filling_ = false;
}

void QueuePanel::contextMenu(const QPoint& place) {
    const QStringList ids = selected();
    if (ids.isEmpty()) return;
    QMenu menu(this);
    if (pausedHolder()) {
        for (const char* id : {"queue.resumeHolder", "queue.stopHolder", "queue.oneMore"})
            menu.addAction(context().commands->action(QLatin1String(id)));
        menu.addSeparator();
    }
    for (const char* id :
         {"queue.up", "queue.down", "queue.first", "queue.hold", "queue.again", "queue.remove"})
        if (QAction* action = context().commands->action(QLatin1String(id))) menu.addAction(action);
    QMenu* after = menu.addMenu(tr("Start after"));
    after->addAction(tr("no other"), this, [this] { send(Kind::After); });
    for (const QueueItem& item : state_.items)
        if (!ids.contains(item.id) && !item.hasEnded())
            after->addAction(item.title, this, [this, id = item.id] { send(Kind::After, id); });
    QMenu* devices = menu.addMenu(tr("Device"));
    devices->addAction(tr("auto"), this, [this] { send(Kind::Device); });
    for (const std::string& device : context().engine->devices())
        devices->addAction(QString::fromStdString(device), this,
                           [this, device] { send(Kind::Device, QString::fromStdString(device)); });
    menu.exec(table_->viewport()->mapToGlobal(place));
}

bool QueuePanel::hasData() const {
    return !state_.items.empty();
}
QString QueuePanel::statement() const {
    return count_->text();
}

}  // namespace kurve::views
