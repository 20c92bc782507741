#include "views/launch/launch_foot.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/panel.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/theme/theme_listener.h"
#include "views/launch/draft/draft_actions.h"
#include "views/launch/draft_file.h"
#include "views/launch/plan_bar.h"

namespace kurve::views {

LaunchFoot::LaunchFoot(const StudioContext& context, DraftActions& actions)
    : project_(context.project ? QString::fromStdString(context.project->folder().string()) : QString()),
      details_(new QWidget),
      problem_(describe(new QLabel, {.role = "error", .wraps = true, .hidden = true})),
      plan_(new PlanBar),
      command_(describe(new QLineEdit, "launch.command", tr("Equivalent command line"))),
      file_(new DraftFile(context.project ? context.project->folder() / "experiments" : "")) {
    describe(this, {.role = "footer", .filled = true});
    file_->hide();
    vboxIn(details_, {problem_, plan_, buildCommandLine(actions), file_},
           {.margins = 0, .spacing = space::kSmall});
    vboxIn(this, {details_, buildButtons(context)},
           {.margins = {space::kMedium, space::kSmall, space::kMedium, space::kMedium},
            .spacing = space::kSmall});
    connectParts(actions);
}

void LaunchFoot::connectParts(DraftActions& actions) {
    connect(file_, &DraftFile::saved, &actions, &DraftActions::takeExperiment);
    connect(file_, &DraftFile::said, &actions, &DraftActions::said);
    connect(plan_, &PlanBar::drawsChosen, &actions.draft(), &Draft::setDraws);
    connect(plan_, &PlanBar::resultShown, this, [this] { Q_EMIT scrollRequested(plan_); });
    connect(&actions, &DraftActions::measured, plan_, &PlanBar::setMeasured);
    connect(&actions, &DraftActions::notMeasured, plan_, &PlanBar::setProblem);
    connect(&actions, &DraftActions::estimated, plan_, &PlanBar::setMemory);
}

QLayout* LaunchFoot::buildCommandLine(DraftActions& actions) {
    command_->setReadOnly(true);
    command_->setFont(monoFont());
    auto* copy = describe(new QPushButton(tr("Copy")), "launch.copy", {}, tr("Copy the command line"));
    toml_ = describe(new QPushButton(tr("TOML")), "launch.show_toml", {},
                     tr("Show the draft as an experiment file"), {.checkable = true});
    connect(toml_, &QPushButton::toggled, file_, &QWidget::setVisible);
    connect(copy, &QPushButton::clicked, this, [this, &actions] {
        QApplication::clipboard()->setText(command_->text());
        Q_EMIT actions.said(tr("Command line copied."));
    });
    onThemeChange(this, [this] { command_->setFont(monoFont()); });
    return hbox({{command_, 1}, copy, toml_});
}

QLayout* LaunchFoot::buildButtons(const StudioContext& context) const {
    auto* buttons = new WrapLayout;
    for (const QString& name : {QStringLiteral("start"), QStringLiteral("queue"), QStringLiteral("measure"),
                                QStringLiteral("pause"), QStringLiteral("stop"), QStringLiteral("sample")}) {
        QAction* action =
            context.commands ? context.commands->action(QStringLiteral("run.") + name) : nullptr;
        if (!action) continue;
        auto* tool = describe(new QToolButton, QStringLiteral("launch.") + name, action->text());
        tool->setDefaultAction(action);
        tool->ensurePolished();
        // "Pause" and "Resume" have the same width. The longest title is never cut off.
        tool->setMinimumWidth(std::max(px(84), tool->sizeHint().width()));
        if (buttons->count() == 0) tool->setProperty("role", "primary");
        buttons->addWidget(tool);
    }
    return buttons;
}

void LaunchFoot::showDraft(const Draft& draft, bool running) {
    command_->setText(draft.commandLine(project_));
    command_->setCursorPosition(0);
    command_->setToolTip(command_->text());
    plan_->setVisible(!running);
    plan_->setDraft(draft);
    file_->showDraft(draft);
    QStringList problems;
    for (auto it = draft.errors().begin(); it != draft.errors().end(); ++it)
        problems << (it.key().isEmpty() ? it.value() : QStringLiteral("%1: %2").arg(it.key(), it.value()));
    problem_->setText(problems.join(QLatin1Char('\n')));
    problem_->setVisible(!running && !problems.isEmpty());
}

void LaunchFoot::takeDetails() {
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, details_);
}

void LaunchFoot::showFile() {
    toml_->setChecked(true);
    file_->focusName();
    Q_EMIT scrollRequested(file_->focusWidget());
}

}  // namespace kurve::views
