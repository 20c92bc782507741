#include "app/studio/panels.h"

#include <QCoreApplication>

#include "views/launch/launch_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/samples/samples_panel.h"

namespace kurve::studio {

namespace {
template <class T>
views::Panel* make(const views::StudioContext& context) {
    return new T(context);
}
QString tr(const char* text) {
    return QCoreApplication::translate("panels", text);
}
}  // namespace

QString workspaceName(WorkspaceId id) {
    static const QString kNames[] = {QStringLiteral("train"), QStringLiteral("inspect"),
                                     QStringLiteral("compare"), QStringLiteral("data")};
    return kNames[static_cast<int>(id)];
}

QString workspaceTitle(WorkspaceId id) {
    static const char* const kTitles[] = {"Train", "Inspect", "Compare", "Data & Schedule"};
    return tr(kTitles[static_cast<int>(id)]);
}

const std::vector<PanelKind>& panelKinds() {
    using W = WorkspaceId;
    static const std::vector<PanelKind> kinds{
        {"launch", tr("Launch"), W::Train, Place::First, {}, 0, make<views::LaunchPanel>},
        {"monitor", tr("Monitor"), W::Train, Place::Right, "launch", 62, make<views::MonitorPanel>},
        {"samples", tr("Samples"), W::Train, Place::Below, "monitor", 30, make<views::SamplesPanel>},
    };
    return kinds;
}

}  // namespace kurve::studio
