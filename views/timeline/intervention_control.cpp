#include "views/timeline/intervention_control.h"

#include <QAction>
#include <QCursor>
#include <QLabel>
#include <QMenu>
#include <QTimer>
#include <QToolButton>
#include <nlohmann/json.hpp>

#include "core/trace/vocabulary.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/theme/theme.h"
#include "views/timeline/branch_tree.h"
#include "views/timeline/intervention_menu.h"
#include "views/timeline/trace_export.h"

namespace kurve::views {
namespace {

/// Every token as it is shown, and with its word mark; sorted without case. Reads a file: for a worker.
std::vector<std::string> tokenNames(const std::filesystem::path& file) {
    QStringList names;
    for (const auto& [id, token] : trace::readTokens(file))
        names << QString::fromStdString(token) << QString::fromStdString(inspect::tokenText(token).text);
    names.sort(Qt::CaseInsensitive);
    names.removeDuplicates();
    std::vector<std::string> out;
    for (const QString& name : names) out.push_back(name.toStdString());
    return out;
}

}  // namespace

InterventionControl::InterventionControl(const StudioContext& context, TimelineView& view, QWidget* panel)
    : QObject(panel), context_(context), view_(view), panel_(panel) {
    addCommands();
    buildStrip(panel);
    tree_ = describe(new BranchTree(panel), {.hidden = true});
    connect(tree_, &BranchTree::selected, this, [this](const QString& file) {
        // In the folder of the shown trace, which may be of another run than the selected one.
        const std::filesystem::path path = file.toStdString(), traces = path.parent_path();
        context_.ask<Traces>().open(QString::fromStdString(traces.parent_path().filename().string()),
                                    QString::fromStdString((traces.filename() / path.filename()).string()));
    });
}

void InterventionControl::addCommands() {
    const CommandGroup add(context_.commands, tr("Playhead"), panel_, "intervention.");
    add("menu", tr("Intervention…"), Qt::SHIFT | Qt::Key_F10,
        tr("Pin, force, ban or re-noise the selected position at this step"), [this] {
            if (view_.model() == nullptr) return;
            openMenu(context_.playhead->denoiseStep(),
                     RankFlowView::positionFor(*view_.model(), context_.selection->position()),
                     QCursor::pos());
        });
    add("run", tr("Re-run as branch"), Qt::Key_R, tr("Denoise again with the pending edits"),
        [this] { rerun(); });
    add("drop", tr("Discard pending edits"), Qt::Key_Backspace, tr("Remove all pending edits"), [this] {
        view_.intervention.clear();
        updateStrip();
    });
    add("branches", tr("Show / hide branch tree"), Qt::Key_B, tr("Branches of this trace"), [this] {
        treeToggled_ = true;
        showTree(tree_->isHidden());
    });
}

void InterventionControl::buildStrip(QWidget* panel) {
    strip_ = describe(new QWidget(panel), {.role = "bar"});
    line_ = describe(new QLabel(strip_), "intervention.edits", {.shrinks = true});
    auto* row = hboxIn(strip_, {{line_, 1}}, {.margins = {space::kMedium, 2}});
    const auto button = [&](const char* command) {
        QAction* action = context_.commands->action(QLatin1String(command));
        auto* made = describe(new QToolButton(strip_), command, action->text());
        made->setDefaultAction(action);
        made->setFocusPolicy(Qt::NoFocus);
        row->addWidget(made);
        return made;
    };
    run_ = button("intervention.run");
    discard_ = button("intervention.drop");
    strip_->hide();
}

void InterventionControl::traceChanged() {
    const auto trace = view_.model() != nullptr ? context_.selection->trace() : nullptr;
    view_.intervention.setTrace(trace);
    readParent();
    readVocabulary();
    if (!treeToggled_ && trace && !trace->metaText("branch_parent").empty()) tree_->show();
    showTree(tree_->isVisibleTo(panel_));
    updateStrip();
}

void InterventionControl::showTree(bool on) {
    tree_->setVisible(on);
    const auto& trace = view_.intervention.trace();
    if (on) tree_->follow(trace ? trace->file : std::filesystem::path());
}

void InterventionControl::readParent() {
    const auto& trace = view_.intervention.trace();
    const std::string name = trace ? trace->metaText("branch_parent") : std::string();
    if (name.empty() || trace->file.empty()) return reading_.drop();
    // Traces are in a folder of the run's folder.
    const std::filesystem::path folder = trace->file.parent_path().parent_path();
    reading_.run([folder, name] { return trace::readRunTrace(folder, name); },
                 [this](Result<trace::Trace> read) {
                     if (!read) return;  // the parent was deleted
                     view_.intervention.setParent(std::make_shared<const trace::Trace>(std::move(*read)));
                     updateStrip();
                 });
}

/// The tokens that can be typed: those of the trace's tokenizer.
void InterventionControl::readVocabulary() {
    const auto& trace = view_.intervention.trace();
    const auto file = trace && context_.project != nullptr
                          ? trace::vocabularySourceOf(*context_.project, *trace).tokenTable
                          : std::filesystem::path();
    if (file == tokenFile_) return;
    tokenFile_ = file;
    view_.intervention.setVocabulary({});
    vocabularyReading_.run(
        [file] { return tokenNames(file); },
        [this](std::vector<std::string> names) { view_.intervention.setVocabulary(std::move(names)); });
}

void InterventionControl::take(const TimelineIntent& intent) {
    if (intent.menuRequested)  // not while a frame is drawn
        QTimer::singleShot(0, this, [this, intent, at = QCursor::pos()] {
            openMenu(intent.menuStep, intent.menuPosition, at);
        });
    if (intent.candidate < 0 || view_.model() == nullptr) return;
    const auto id = static_cast<std::int32_t>(intent.candidate);
    const std::string text = view_.model()->textOf(static_cast<std::uint32_t>(id)).text;
    const trace::Edit force{trace::EditKind::Force,
                            context_.playhead->denoiseStep(),
                            intent.candidatePosition,
                            false,
                            id,
                            text,
                            {}};
    QTimer::singleShot(0, this, [this, force] { add(force); });
}

/// The canvas suppresses the panel's own menu.
void InterventionControl::openMenu(int step, int position, QPoint at) {
    if (view_.model() == nullptr || position >= view_.model()->positions()) return;
    if (position < 0) {
        auto* plain = describe(new QMenu(panel_), "view.menu");
        plain->setAttribute(Qt::WA_DeleteOnClose);
        addViewActions(*plain, *context_.commands);
        return plain->popup(at);
    }
    context_.selection->setPosition(position);
    context_.playhead->setDenoiseStep(step);
    auto* menu = new InterventionMenu(
        *view_.model(), view_.intervention, {step, position},
        [this](trace::Edit edit) { add(std::move(edit)); }, panel_);
    menu->addSeparator();
    addViewActions(*menu->addMenu(tr("View")), *context_.commands);
    menu->popup(at);
}

void InterventionControl::add(trace::Edit edit) {
    if (!view_.intervention.supports(edit.kind))
        return Q_EMIT statusMessage(tr("Not supported by this model."));
    view_.intervention.add(std::move(edit));
    updateStrip();
}

void InterventionControl::rerun() {
    const auto& trace = view_.intervention.trace();
    if (!trace) return;
    if (view_.intervention.pending().empty())
        return Q_EMIT statusMessage(tr("No edits are pending; right-click a position or press Shift+F10."));
    const int step = view_.intervention.firstStep();
    context_.ask<Prompts>().branch(
        *trace, step, QString::fromStdString(trace::editsToJson(view_.intervention.pending()).dump()));
}

void InterventionControl::updateStrip() {
    const inspect::Intervention& intervention = view_.intervention;
    const bool pending = !intervention.pending().empty();
    const auto& trace = intervention.trace();
    const QString change = trace ? QString::fromStdString(trace->metaText("branch_change")) : QString();
    strip_->setVisible(pending || !change.isEmpty());
    if (pending)
        line_->setText(
            tr("Pending: <b>%1</b>")
                .arg(QString::fromStdString(trace::editsName(intervention.pending())).toHtmlEscaped()));
    else if (!change.isEmpty())
        line_->setText(
            tr("Branch <b>%1</b>: %2 other than in its parent (B: all branches)")
                .arg(change.toHtmlEscaped(), countedText(intervention.changedPositions(), tr("token"))));
    run_->setVisible(pending);
    discard_->setVisible(pending);
    view_.marksChanged();
    Q_EMIT changed();
}

}  // namespace kurve::views
