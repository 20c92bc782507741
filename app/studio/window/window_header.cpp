#include "app/studio/window/window_header.h"

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

WindowHeader::WindowHeader(const store::Project& project, const CommandRegistry& commands, QWidget* parent)
    : QWidget(parent), commands_(commands), live_(describe(new QLabel, "header.live")) {
    describe(this, {.role = "bar", .filled = true});
    auto* name = new QPushButton(
        QString::fromStdString(project.name()).replace(QLatin1Char('&'), QStringLiteral("&&")));
    describe(name, "header.project",
             tr("Project %1; open another").arg(QString::fromStdString(project.name())),
             tr("%1\nOpen another project").arg(QString::fromStdString(project.folder().string())),
             {.role = "project"});
    connect(name, &QPushButton::clicked, this, &WindowHeader::projectClicked);
    auto* layout = hboxIn(this, {name, Gap{space::kHuge}}, {.margins = {space::kMedium, 0}, .spacing = 0});
    for (int i = 0; i < kWorkspaces; ++i) layout->addWidget(makeTab(static_cast<WorkspaceId>(i)));
    layout->addStretch(1);
    layout->addWidget(makeSearch(), 2);
    layout->addStretch(1);
    layout->addWidget(live_);
    connect(&commands_, &CommandRegistry::keysChanged, this, &WindowHeader::showKeys);
    showKeys();
}

void WindowHeader::showKeys() {
    for (int i = 0; i < kWorkspaces; ++i)
        tabs_[static_cast<std::size_t>(i)]->setToolTip(
            commands_.keyText(QStringLiteral("workspace.") + workspaceName(static_cast<WorkspaceId>(i))));
    search_->setText(tr("Search or command   %1").arg(commands_.keyText(QStringLiteral("palette.open"))));
}

QPushButton* WindowHeader::makeTab(WorkspaceId id) {
    auto* tab =
        describe(new QPushButton(workspaceTitle(id).replace(QLatin1Char('&'), QStringLiteral("&&"))),
                 QStringLiteral("workspace.tab.") + workspaceName(id),
                 tr("Workspace %1").arg(workspaceTitle(id)), {.role = "workspace", .checkable = true});
    connect(tab, &QPushButton::clicked, this, [this, id] { Q_EMIT workspaceChosen(id); });
    tabs_[static_cast<std::size_t>(id)] = tab;
    return tab;
}

QPushButton* WindowHeader::makeSearch() {
    auto* search = search_ = new QPushButton;
    describe(search, "header.search", tr("Open the command palette"), {.role = "search"});
    search->setMinimumWidth(px(48));
    search->setMaximumWidth(px(300));
    search->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(search, &QPushButton::clicked, this, &WindowHeader::searchClicked);
    return search;
}

void WindowHeader::showWorkspace(WorkspaceId id) {
    for (int i = 0; i < kWorkspaces; ++i)
        tabs_[static_cast<std::size_t>(i)]->setChecked(i == static_cast<int>(id));
}

void WindowHeader::showLiveCount(int count) {
    live_->setText(count > 0 ? QStringLiteral("<span style=\"color:%1\">●</span> %2")
                                   .arg(theme().good.name(), tr("%1 live").arg(count))
                             : QString());
}

}  // namespace kurve::studio
