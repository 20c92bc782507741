#include "views/machines/machines_window.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <utility>

#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/machines/check_view.h"
#include "views/machines/machine_form.h"
#include "views/machines/machine_runs.h"

namespace kurve::views {

namespace {

constexpr int kWidth = 760, kHeight = 460, kListWidth = 240;

}  // namespace

MachinesWindow::MachinesWindow(const StudioContext& context, QWidget* parent)
    : QDialog(parent),
      context_(context),
      machines_(context.ask<Machines>()),
      empty_(new EmptyState),
      problem_(describe(new QLabel, "machines.file_problem", tr("Error in machines.toml"),
                        {.role = "error", .wraps = true, .selectable = true})),
      list_(describe(new QListWidget, "machines.list_of", tr("Machines"), {.wraps = true})),
      add_(describe(new QPushButton, "machines.add", tr("Add a machine"), {.text = tr("Add")})),
      remove_(describe(new QPushButton, "machines.remove", tr("Remove the machine"))),
      tabs_(describe(new QTabWidget, "machines.tabs")),
      form_(new MachineForm),
      check_(new CheckView),
      runs_(new MachineRuns([this](const QString& run) { return stateHere(run); })) {
    setObjectName(QStringLiteral("machines"));
    setWindowTitle(tr("Machines"));
    empty_->setTexts(tr("No other machine"),
                     tr("A machine that ssh reaches can train for this project; its runs appear here.\n"
                        "1. “ssh user@host” works there without a password: ssh-copy-id user@host\n"
                        "2. The same version of Kurve is installed there\n"
                        "3. Add the machine, and check it"),
                     tr("Add machine"));
    content_ = new ContentOrEmpty(buildContent(), empty_);
    vboxIn(this, {problem_, {content_, 1}});
    connectParts();
    refresh();
    resize(px(kWidth), px(kHeight));
}

QWidget* MachinesWindow::buildContent() {
    tabs_->setDocumentMode(true);
    tabs_->addTab(form_, tr("Settings"));
    tabs_->addTab(check_, tr("Check"));
    tabs_->addTab(runs_, tr("Runs there"));
    auto* parts = splitBox(Qt::Horizontal, {buildList(), {tabs_, 1}});
    parts->setSizes({px(kListWidth), px(kWidth - kListWidth)});
    return parts;
}

QWidget* MachinesWindow::buildList() {
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return boxed(vbox({{list_, 1}, wrapBox({add_, remove_})}, {.margins = 0}));
}

void MachinesWindow::connectParts() {
    connect(empty_, &EmptyState::clicked, this, &MachinesWindow::add);
    connect(add_, &QPushButton::clicked, this, &MachinesWindow::add);
    connect(remove_, &QPushButton::clicked, this, &MachinesWindow::removeOrRestore);
    connect(list_, &QListWidget::currentRowChanged, this, [this] {
        removed_.reset();
        showSelected();
    });
    connect(form_, &MachineForm::saveRequested, this, &MachinesWindow::save);
    connect(check_, &CheckView::checkRequested, this, [this] { machines_.check(selected()); });
    connect(runs_, &MachineRuns::listRequested, this, [this] { machines_.listRuns(selected()); });
    connect(runs_, &MachineRuns::followRequested, this,
            [this](const QString& run) { machines_.follow(run, selected()); });
    connect(&machines_, &Machines::changed, this, &MachinesWindow::refresh);
    connect(&context_.ask<Trainings>(), &Trainings::changed, this, &MachinesWindow::showAnswers);
    connect(context_.catalog, &RunCatalog::runsChanged, this, &MachinesWindow::showAnswers);
}

QString MachinesWindow::selected() const {
    const QListWidgetItem* item = adding_ ? nullptr : list_->currentItem();
    return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
}

void MachinesWindow::select(const QString& machine) {
    for (int row = 0; row < list_->count(); ++row)
        if (list_->item(row)->data(Qt::UserRole).toString() == machine) list_->setCurrentRow(row);
}

void MachinesWindow::refresh() {
    showText(*problem_, machines_.problem());
    add_->setEnabled(machines_.problem().isEmpty());
    empty_->button()->setEnabled(machines_.problem().isEmpty());
    fillList();
    // What is being typed stays, whatever else changes.
    if (!adding_ && (!form_->isChanged() || form_->savedName() != selected())) return showSelected();
    showAnswers();
}

void MachinesWindow::fillList() {
    const auto machines = machines_.list();
    const QString before =
        list_->currentItem() ? list_->currentItem()->data(Qt::UserRole).toString() : QString();
    const QSignalBlocker quiet(list_);
    list_->clear();
    for (const remote::Machine& machine : machines) {
        const QString name = qt(machine.name), state = CheckView::summary(machines_.checkOf(name));
        auto* item = new QListWidgetItem(QStringLiteral("%1\n%2").arg(name, state), list_);
        item->setData(Qt::UserRole, name);
        item->setData(Qt::AccessibleTextRole, QStringLiteral("%1, %2").arg(name, state));
        item->setToolTip(qt(machine.host) + QLatin1Char('\n') + state);
        if (name == before) list_->setCurrentItem(item);
    }
    if (list_->currentRow() < 0 && list_->count() > 0 && !adding_ && !removed_) list_->setCurrentRow(0);
    content_->setEmpty(list_->count() == 0 && !adding_ && !removed_);
}

void MachinesWindow::showSelected() {
    adding_ = false;
    const QString name = selected(), folder = context_.project
                                                  ? qt(remote::defaultFolder(context_.project->folder()))
                                                  : QString();
    remote::Machine shown;
    for (const remote::Machine& machine : machines_.list())
        if (qt(machine.name) == name) shown = machine;
    form_->setMachine(shown, folder);
    showAnswers();
}

void MachinesWindow::showAnswers() {
    const QString name = selected();
    for (int tab : {1, 2}) tabs_->setTabEnabled(tab, !name.isEmpty());
    remove_->setText(removed_ ? tr("Restore %1").arg(qt(removed_->name)) : tr("Remove"));
    remove_->setEnabled(removed_ || !name.isEmpty());
    check_->show(machines_.checkOf(name));
    runs_->show(machines_.runsOf(name));
}

void MachinesWindow::add() {
    removed_.reset();
    adding_ = true;
    const QSignalBlocker quiet(list_);
    list_->setCurrentRow(-1);
    content_->setEmpty(false);
    form_->setMachine({},
                      context_.project ? qt(remote::defaultFolder(context_.project->folder())) : QString());
    tabs_->setCurrentWidget(form_);
    showAnswers();
    form_->focusName();
}

/// A new machine is checked at once: that is what tells whether the settings are right.
void MachinesWindow::save(const remote::Machine& machine) {
    const Status saved = machines_.put(machine, form_->savedName());
    form_->showResult(saved);
    if (!saved) return;
    removed_.reset();
    adding_ = false;
    fillList();
    select(qt(machine.name));
    showSelected();
    tabs_->setCurrentWidget(check_);
    machines_.check(qt(machine.name));
}

void MachinesWindow::removeOrRestore() {
    const std::optional<remote::Machine> restored = std::exchange(removed_, std::nullopt);
    const QString name = restored ? qt(restored->name) : selected();
    for (const remote::Machine& machine : machines_.list())
        if (!restored && qt(machine.name) == name) removed_ = machine;
    const Status done = restored ? machines_.put(*restored, {}) : machines_.remove(name);
    if (!done) removed_ = restored;
    refresh();
    if (restored) select(name);
    form_->showResult(done);
}

QString MachinesWindow::stateHere(const QString& run) const {
    const store::RunSummary* known = context_.catalog->run(run);
    if (context_.ask<Trainings>().isLive(run)) return tr("followed");
    return known == nullptr ? QString() : stateStyle(known->state).text;
}

}  // namespace kurve::views
