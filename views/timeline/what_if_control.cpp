#include "views/timeline/what_if_control.h"

#include <QAction>
#include <QCursor>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QTimer>
#include <QToolButton>
#include <nlohmann/json.hpp>

#include "views/common/command_registry.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/timeline/branch_tree.h"
#include "views/timeline/what_if_menu.h"

namespace kurve::views {

WhatIfControl::WhatIfControl(const StudioContext& context, TimelineView& view, QWidget* panel)
    : QObject(panel), context_(context), view_(view), panel_(panel) {
    addCommands();
    buildStrip(panel);
    tree_ = new BranchTree(panel);
    tree_->hide();
    connect(tree_, &BranchTree::opened, this, &WhatIfControl::traceWanted);
}

void WhatIfControl::addCommands() {
    const auto add = [this](const char* id, const QString& title, const QKeySequence& keys,
                            const QString& help, std::function<void()> run) {
        context_.commands->add(
            {QLatin1String("timeline.") + QLatin1String(id), title, tr("Playhead"), keys, help},
            std::move(run), panel_);
    };
    add("what_if", tr("What if…"), Qt::SHIFT | Qt::Key_F10,
        tr("Pin, force, ban or re-noise the selected slot at this step"), [this] {
            if (view_.model() == nullptr) return;
            openMenu(view_.step, RankFlowView::slotFor(*view_.model(), view_.slot), QCursor::pos());
        });
    add("branch", tr("Run again as a branch"), Qt::Key_R, tr("Denoise again with the waiting edits"),
        [this] { runAgain(); });
    add("drop_edits", tr("Drop the waiting edits"), Qt::Key_Backspace, tr("Forget the edits that wait"),
        [this] {
            view_.whatIf.clear();
            say();
        });
    add("branches", tr("Tree of branches"), Qt::Key_B, tr("Show or hide the branches of this recording"),
        [this] {
            treeAsked_ = true;
            showTree(tree_->isHidden());
        });
}

void WhatIfControl::buildStrip(QWidget* panel) {
    strip_ = new QWidget(panel);
    strip_->setProperty("role", "bar");
    auto* row = new QHBoxLayout(strip_);
    row->setContentsMargins(px(space::kMedium), px(2), px(space::kMedium), px(2));
    line_ = new QLabel(strip_);
    line_->setObjectName(QStringLiteral("timeline.edits"));
    line_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(line_, 1);
    const auto button = [&](const char* command) {
        auto* made = new QToolButton(strip_);
        made->setDefaultAction(context_.commands->action(QLatin1String(command)));
        made->setObjectName(QLatin1String(command));
        made->setAccessibleName(made->defaultAction()->text());
        made->setFocusPolicy(Qt::NoFocus);
        row->addWidget(made);
        return made;
    };
    run_ = button("timeline.branch");
    drop_ = button("timeline.drop_edits");
    strip_->hide();
}

void WhatIfControl::traceChanged() {
    const auto trace = view_.model() != nullptr ? context_.selection->trace() : nullptr;
    view_.whatIf.setTrace(trace);
    readParent();
    if (!treeAsked_ && trace && !trace->metaText("branch_parent").empty()) tree_->show();
    showTree(tree_->isVisibleTo(panel_));
    say();
}

void WhatIfControl::showTree(bool on) {
    tree_->setVisible(on);
    const auto& trace = view_.whatIf.trace();
    if (on) tree_->follow(trace ? trace->file : std::filesystem::path());
}

void WhatIfControl::readParent() {
    const auto& trace = view_.whatIf.trace();
    const std::string name = trace ? trace->metaText("branch_parent") : std::string();
    if (name.empty() || trace->file.empty()) return reading_.drop();
    // The run's folder holds the folder of traces.
    const std::filesystem::path folder = trace->file.parent_path().parent_path();
    reading_.run([folder, name] { return trace::readRecording(folder, name); },
                 [this](Result<trace::Trace> read) {
                     if (!read) return;  // a parent that was deleted is no fault of the branch
                     view_.whatIf.setParent(std::make_shared<const trace::Trace>(std::move(*read)));
                     say();
                 });
}

void WhatIfControl::take(const TimelineIntent& intent) {
    if (intent.menuWanted)  // not while a frame is drawn
        QTimer::singleShot(
            0, this, [this, intent, at = QCursor::pos()] { openMenu(intent.menuStep, intent.menuSlot, at); });
    if (intent.candidate < 0 || view_.model() == nullptr) return;
    const auto id = static_cast<std::int32_t>(intent.candidate);
    const std::string text = view_.model()->piece(static_cast<std::uint32_t>(id)).text;
    const trace::Edit force{trace::EditKind::Force, view_.step, intent.candidateSlot, false, id, text, {}};
    QTimer::singleShot(0, this, [this, force] { add(force); });
}

/// What every view's menu offers; the canvas keeps the panel's own menu away.
void WhatIfControl::addViewActions(QMenu& menu) const {
    for (const char* id : {"view.export", "view.copy_image", "view.copy_data"})
        if (QAction* action = context_.commands->action(QLatin1String(id))) menu.addAction(action);
}

void WhatIfControl::openMenu(int step, int slot, QPoint at) {
    if (view_.model() == nullptr || slot >= view_.model()->slots()) return;
    if (slot < 0) {
        auto* plain = new QMenu(panel_);
        plain->setObjectName(QStringLiteral("view.menu"));
        plain->setAttribute(Qt::WA_DeleteOnClose);
        addViewActions(*plain);
        return plain->popup(at);
    }
    context_.selection->setSlot(slot);
    context_.playhead->setDenoiseStep(step);
    auto* menu = new WhatIfMenu(
        *view_.model(), view_.whatIf, {step, slot}, [this](trace::Edit edit) { add(std::move(edit)); },
        panel_);
    menu->addSeparator();
    addViewActions(*menu->addMenu(tr("This view")));
    menu->popup(at);
}

void WhatIfControl::add(trace::Edit edit) {
    if (!view_.whatIf.can(edit.kind))
        return Q_EMIT said(tr("The model of this recording cannot do that to a slot."));
    view_.whatIf.add(std::move(edit));
    say();
}

void WhatIfControl::runAgain() {
    const auto& trace = view_.whatIf.trace();
    if (!trace) return;
    if (view_.whatIf.pending().empty())
        return Q_EMIT said(tr("Nothing would change: right-click a slot first, or press Shift+F10."));
    if (trace->file.empty())
        return Q_EMIT said(tr("This denoising is in no file; run the prompt again and branch from that."));
    const int step = view_.whatIf.firstStep();
    Q_EMIT branchRequested(trace, step,
                           QString::fromStdString(trace::editsToJson(view_.whatIf.pending()).dump()));
}

void WhatIfControl::say() {
    const WhatIf& whatIf = view_.whatIf;
    const bool waits = !whatIf.pending().empty();
    const auto& trace = whatIf.trace();
    const QString change = trace ? QString::fromStdString(trace->metaText("branch_change")) : QString();
    strip_->setVisible(waits || !change.isEmpty());
    if (waits)
        line_->setText(tr("Waiting: <b>%1</b>")
                           .arg(QString::fromStdString(trace::editsName(whatIf.pending())).toHtmlEscaped()));
    else if (!change.isEmpty())
        line_->setText(tr("Branch <b>%1</b>: %n word(s) of the text differ from its parent (B: all branches)",
                          nullptr, whatIf.changedSlots())
                           .arg(change.toHtmlEscaped()));
    run_->setVisible(waits);
    drop_->setVisible(waits);
    view_.marksChanged();
    Q_EMIT changed();
}

}  // namespace kurve::views
