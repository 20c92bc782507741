// The panels of the window: what they are given, what is kept of them, and the ways to them.
#include <QApplication>

#include "app/studio/tour/guided_tour.h"
#include "app/studio/window/main_window.h"
#include "views/common/services/inference.h"
#include "views/frontier/sweeps.h"

namespace kurve::studio {

using namespace views;

namespace {

const QString kDraftKey = QStringLiteral("draft");

/// Focuses the first control of `area` that takes the focus; false if there is none.
bool focusInside(QWidget& area) {
    for (QWidget* widget : area.findChildren<QWidget*>()) {
        if (!widget->isVisible() || !widget->isEnabled() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
        widget->setFocus(Qt::TabFocusReason);
        return true;
    }
    return false;
}

}  // namespace

StudioContext MainWindow::context() {
    return {&session_.project(),     &commands_, &session_.playhead, &session_.selection, &session_.catalog,
            &session_.engine.info(), services_};
}

void MainWindow::offerServices() {
    services_->offer<Studio>(*this);
    services_->offer<Engine>(session_.engine);
    services_->offer<Trainings>(session_.control);
    services_->offer<Machines>(session_.machines);
    services_->offer<Queue>(session_.queue);
    services_->offer<Traces>(traces_);
    services_->offer<Prompts>(session_.inspect);
    services_->offer<Inference>(session_.inference);
    services_->offer<Samplers>(session_.samplers);
    services_->offer<Sweeps>(session_.sweep);
    services_->offer<Evaluations>(session_.evaluation);
    services_->offer<AlertRules>(alerts_);
    services_->offer<views::RunRequests>(runActions_);
    services_->offer<ProjectFiles>(*exchange_);
    services_->offer(session_.edits);
}

void MainWindow::makeDraft() {
    draft_ = std::make_unique<DraftActions>(context(), session_.draft);
    connect(draft_.get(), &DraftActions::said, this, &MainWindow::say);
    for (const auto described : {&EngineDescription::ready, &EngineDescription::failed})
        connect(&session_.engine, described, draft_.get(), &DraftActions::engineChanged);
    draft_->engineChanged();
    draft_->restore(session_.state().value(kDraftKey).toObject());
    const auto keep = [this] { session_.put(kDraftKey, draft_->save()); };
    connect(&session_.draft, &Draft::changed, draft_.get(), keep);
}

void MainWindow::adopt(Panel& panel) {
    connect(&panel, &Panel::statusMessage, this, &MainWindow::say);
    viewActions_->watch(panel);
    for (const auto described : {&EngineDescription::ready, &EngineDescription::failed})
        connect(&session_.engine, described, &panel, &Panel::engineInfoChanged);
    if (!session_.engine.info().families().empty()) panel.engineInfoChanged();
    panel.restoreState(session_.panelState(panel.panelId()));
    connect(&panel, &Panel::stateChanged, this,
            [this, &panel] { session_.putPanel(panel.panelId(), panel.saveState()); });
}

Panel* MainWindow::panel(const QString& id) const {
    for (Panel* side : {runs_, inspector_})
        if (side->panelId() == id) return side;
    for (const Workspace* space : workspaces_)
        if (Panel* panel = space->panel(id)) return panel;
    return nullptr;
}

void MainWindow::make(const QString& panel) {
    if (const PanelKind* kind = kindOf(panel)) makePanels(kind->workspace);
}

void MainWindow::reveal(const QString& panel) {
    for (const auto& [side, folds] :
         {std::pair(runs_, WindowFrame::Runs), std::pair(inspector_, WindowFrame::Inspector)})
        if (side->panelId() == panel && frame_->isFolded(folds)) toggleSide(folds);
    const PanelKind* kind = kindOf(panel);
    if (kind == nullptr) return;
    openWorkspace(kind->workspace);
    workspace(kind->workspace).reveal(panel);
}

void MainWindow::goTo(const QString& panel) {
    reveal(panel);
    Panel* shown = this->panel(panel);
    if (shown && shown->focusProxy())
        shown->setFocus(Qt::ShortcutFocusReason);
    else if (shown)
        focusInside(*shown);
}

void MainWindow::focusNextArea() {
    std::vector<QWidget*> areas{runs_, centre_->currentWidget(), inspector_, playheadBar_};
    if (tour_ && tour_->isRunning()) areas.push_back(&tour_->card());
    const int count = static_cast<int>(areas.size());
    QWidget* focus = QApplication::focusWidget();
    int now = -1;
    for (int i = 0; i < count; ++i)
        if (focus && areas[static_cast<std::size_t>(i)]->isAncestorOf(focus)) now = i;
    for (int step = 1; step <= count; ++step) {
        QWidget* area = areas[static_cast<std::size_t>((now + step) % count)];
        QWidget* last = area->focusWidget();
        if (last && last != area && last->isVisible() && last->isEnabled())
            return last->setFocus(Qt::TabFocusReason);
        if (focusInside(*area)) return;
    }
}

}  // namespace kurve::studio
