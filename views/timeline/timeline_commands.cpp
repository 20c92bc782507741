// The timeline's commands and saved state.
#include <QComboBox>
#include <QToolButton>
#include <algorithm>

#include "views/common/form/saved_choice.h"
#include "views/common/form/saved_controls.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/timeline/compare_control.h"
#include "views/timeline/level_box.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::views {

namespace {

constexpr ChoiceIds<3> kLinkIds{"step", "noise", "fraction"};

}  // namespace

void TimelinePanel::addCommands() {
    const CommandGroup add(context().commands, tr("Playhead"), this, "timeline.");
    Playhead* head = context().playhead;
    add("first", tr("First denoising step"), Qt::Key_Home, tr("Go to the first denoising step"),
        [head] { head->setDenoiseStep(0); });
    add("back", tr("Step back"), Qt::Key_Left, tr("One denoising step back"), [this] { stepBy(-1); });
    add("play", tr("Play or pause"), Qt::Key_Space, tr("Play the denoising steps"),
        [this] { setPlaying(!playing()); });
    add("forward", tr("Step forward"), Qt::Key_Right, tr("One denoising step forward"),
        [this] { stepBy(1); });
    add("last", tr("Last denoising step"), Qt::Key_End, tr("Go to the last denoising step"),
        [head] { head->setDenoiseStep(head->denoiseSteps() - 1); });
    add("back10", tr("Ten steps back"), Qt::SHIFT | Qt::Key_Left, tr("Ten denoising steps back"),
        [this] { stepBy(-10); });
    add("forward10", tr("Ten steps forward"), Qt::SHIFT | Qt::Key_Right, tr("Ten denoising steps forward"),
        [this] { stepBy(10); });
    add("position_up", tr("Previous position"), Qt::Key_Up, tr("Select the previous position"),
        [this] { movePosition(-1); });
    add("position_down", tr("Next position"), Qt::Key_Down, tr("Select the next position"),
        [this] { movePosition(1); });
    add("next_edit", tr("Next change"), Qt::Key_E,
        tr("Go to the next step with a change (of the selected position)"), [this] { goToEdit(true); });
    add("previous_edit", tr("Previous change"), Qt::SHIFT | Qt::Key_E,
        tr("Go to the previous step with a change"), [this] { goToEdit(false); });
    add("measure", tr("Next measure"), Qt::Key_M, tr("Show confidence, margin, entropy or latent norm"),
        [this] { nextMeasure(); });
    add("grid", tr("Text as grid"), Qt::Key_G, tr("Show the text as a sentence or in cells of one size"),
        [this] {
            state_.grid = !state_.grid;
            canvas_->requestFrame();
            Q_EMIT stateChanged();
        });
    add("open_unit", tr("Open unit"), Qt::Key_O, tr("Show the tokens of the selected chunk or sentence"),
        [this] { levels_->openUnit(); });
    add("close_unit", tr("Close unit"), Qt::SHIFT | Qt::Key_O, tr("Show the chunks or sentences again"),
        [this] { levels_->closeUnit(); });
    add("loop_from", tr("Loop from here"), Qt::Key_BracketLeft, tr("Start the loop at this step"),
        [this] { setLoopEnd(false); });
    add("loop_to", tr("Loop to here"), Qt::Key_BracketRight, tr("End the loop at this step"),
        [this] { setLoopEnd(true); });
    for (int i = 0; i < static_cast<int>(kSpeeds.size()); ++i)
        add(QStringLiteral("speed%1").arg(i + 1), tr("Speed %1x").arg(kSpeeds[static_cast<std::size_t>(i)]),
            QKeySequence(Qt::Key_1 + i), tr("Play at this speed"), [this, i] { speed_->setCurrentIndex(i); });
}

void TimelinePanel::stepBy(int steps) {
    context().playhead->setDenoiseStep(context().playhead->denoiseStep() + steps);
}

void TimelinePanel::movePosition(int by) {
    const inspect::TimelineModel* model = view_.model();
    if (model == nullptr) return;
    const int now = context().selection->position();
    const int start = by > 0 ? -1 : model->positions();
    context().selection->setPosition(std::clamp((now < 0 ? start : now) + by, 0, model->positions() - 1));
}

void TimelinePanel::goToEdit(bool forward) {
    const inspect::TimelineModel* model = view_.model();
    if (model == nullptr) return;
    const auto edit = model->findEdit(state_.step, context().selection->position(), forward);
    if (edit) return context().playhead->setDenoiseStep(edit->step);
    Q_EMIT statusMessage(forward ? tr("No later change.") : tr("No earlier change."));
}

QJsonObject TimelinePanel::saveState() const {
    QJsonObject saved = saveControls({measure_, speed_, loop_});
    saved[QStringLiteral("grid")] = state_.grid;
    saved[QStringLiteral("link")] = savedChoice(kLinkIds, static_cast<int>(context().selection->linkBy()));
    for (const char* key : {"loop_of", "loop_from", "loop_to"})  // of a trace that is not shown yet
        if (const auto value = savedLoop_.value(QLatin1String(key)); !value.isUndefined())
            saved[QLatin1String(key)] = value;
    const auto trace = context().selection->trace();
    if (trace == nullptr || trace->file.empty() || (state_.loopFrom == 0 && state_.loopTo < 0)) return saved;
    saved[QStringLiteral("loop_of")] = QString::fromStdString(trace->file.filename().string());
    saved[QStringLiteral("loop_from")] = state_.loopFrom;
    saved[QStringLiteral("loop_to")] = state_.loopTo;
    return saved;
}

void TimelinePanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    restoreControls({measure_, speed_, loop_}, saved);
    state_.grid = saved.value(QStringLiteral("grid")).toBool();
    context().selection->setLinkBy(
        static_cast<inspect::LinkBy>(choiceOf(kLinkIds, saved.value(QStringLiteral("link")))));
    savedLoop_ = saved;
    restoreLoop();
    canvas_->requestFrame();
}

/// The loop's ends belong to one trace and are restored with it.
void TimelinePanel::restoreLoop() {
    const auto trace = context().selection->trace();
    const QString of = savedLoop_.value(QStringLiteral("loop_of")).toString();
    if (trace == nullptr || of.isEmpty() || of != QString::fromStdString(trace->file.filename().string()))
        return;
    const int from = savedLoop_.value(QStringLiteral("loop_from")).toInt(),
              to = savedLoop_.value(QStringLiteral("loop_to")).toInt(-1);
    savedLoop_ = {};
    if (from < 0 || to >= trace->steps || (to >= 0 && to <= from)) return;
    state_.loopFrom = from;
    state_.loopTo = to;
}

}  // namespace kurve::views
