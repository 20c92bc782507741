#include "app/studio/panels.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/autoencoder/autoencoder_panel.h"
#include "views/candidates/candidates_panel.h"
#include "views/compare/compare_panel.h"
#include "views/compare/explore_panel.h"
#include "views/corpus/corpus_panel.h"
#include "views/curve/curve_panel.h"
#include "views/frontier/frontier_panel.h"
#include "views/launch/launch_panel.h"
#include "views/launch/queue_panel.h"
#include "views/monitor/alerts_panel.h"
#include "views/monitor/log_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/prompt/prompt_panel.h"
#include "views/query/query_panel.h"
#include "views/runs/disk_panel.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/runs_panel.h"
#include "views/samples/samples_panel.h"
#include "views/schedule/schedule_panel.h"
#include "views/similarity/similarity_panel.h"
#include "views/spline/spline_panel.h"
#include "views/timeline/timeline_panel.h"

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

std::optional<WorkspaceId> workspaceOf(const QString& name) {
    for (int i = 0; i < kWorkspaces; ++i)
        if (const auto id = static_cast<WorkspaceId>(i); workspaceName(id) == name) return id;
    return {};
}

QString workspaceTitle(WorkspaceId id) {
    static const char* const kTitles[] = {"Train", "Inspect", "Compare", "Data & Schedule"};
    return tr(kTitles[static_cast<int>(id)]);
}

views::Panel* makeRunList(const views::StudioContext& context) {
    return new views::RunsPanel(context);
}

views::Panel* makeInspector(const views::StudioContext& context) {
    return new views::InspectorPanel(context);
}

const std::vector<PanelKind>& panelKinds() {
    using W = WorkspaceId;
    static const std::vector<PanelKind> kinds{
        {"launch", tr("Launch"), W::Train, DockPlacement::First, {}, 0, make<views::LaunchPanel>},
        {"monitor", tr("Monitor"), W::Train, DockPlacement::Right, "launch", 58, make<views::MonitorPanel>},
        {"samples", tr("Samples"), W::Train, DockPlacement::Below, "monitor", 32, make<views::SamplesPanel>},
        {"queue", tr("Queue"), W::Train, DockPlacement::Tab, "samples", 0, make<views::QueuePanel>, false},
        {"log", tr("Log"), W::Train, DockPlacement::Tab, "samples", 0, make<views::LogPanel>},
        {"alerts", tr("Alerts"), W::Train, DockPlacement::Tab, "samples", 0, make<views::AlertsPanel>, false},
        {"prompt", tr("Prompt"), W::Inspect, DockPlacement::Bar, {}, 0, make<views::PromptPanel>},
        {"timeline", tr("Denoising timeline"), W::Inspect, DockPlacement::Below, "prompt", 94,
         make<views::TimelinePanel>},
        {"curve", tr("Sentence curve"), W::Inspect, DockPlacement::Beside, "timeline", 45,
         make<views::CurvePanel>},
        {"similarity", tr("Token similarity"), W::Inspect, DockPlacement::Tab, "curve", 0,
         make<views::SimilarityPanel>, false},
        {"candidates", tr("Candidates"), W::Inspect, DockPlacement::Tab, "similarity", 0,
         make<views::CandidatesPanel>},
        {"compare", tr("Compare"), W::Compare, DockPlacement::First, {}, 0, make<views::ComparePanel>, false},
        {"frontier", tr("Accuracy and diversity"), W::Compare, DockPlacement::Tab, "compare", 0,
         make<views::FrontierPanel>},
        {"explore", tr("Explore"), W::Compare, DockPlacement::Tab, "frontier", 0, make<views::ExplorePanel>},
        {"query", tr("SQL"), W::Compare, DockPlacement::Tab, "explore", 0, make<views::QueryPanel>, false},
        {"schedule", tr("Noise schedule"), W::Data, DockPlacement::First, {}, 0, make<views::SchedulePanel>},
        {"spline", tr("Spline map"), W::Data, DockPlacement::Tab, "schedule", 0, make<views::SplinePanel>},
        {"autoencoder", tr("Autoencoder bench"), W::Data, DockPlacement::Tab, "spline", 0,
         make<views::AutoencoderPanel>, false},
        {"corpus", tr("Corpus and tokenizer"), W::Data, DockPlacement::Tab, "autoencoder", 0,
         make<views::CorpusPanel>},
        {"disk", tr("Disk"), W::Data, DockPlacement::Tab, "corpus", 0, make<views::DiskPanel>, false},
    };
    return kinds;
}

const PanelKind* kindOf(const QString& panel) {
    const auto& kinds = panelKinds();
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.id == panel; });
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace kurve::studio
