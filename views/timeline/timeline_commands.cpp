// The timeline's commands and saved state.
#include <QComboBox>
#include <QToolButton>
#include <algorithm>

#include "views/common/form/saved_choice.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/timeline/compare_control.h"
#include "views/timeline/level_box.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::views {

namespace {

constexpr ChoiceIds<inspect::kMeasures> kMeasureIds{"confidence", "margin", "entropy", "norm"};
constexpr ChoiceIds<3> kLinkIds{"step", "noise", "fraction"};

}  // namespace

void TimelinePanel::add(const char* id, const char* title, const QKeySequence& keys, const char* help,
                        std::function<void()> run) {
    CommandGroup(context().commands, tr("Playhead"), this, "timeline.")(id, tr(title), keys, tr(help),
                                                                        std::move(run));
}

void TimelinePanel::addCommands() {
    Playhead* head = context().playhead;
    add("first", "First denoising step", Qt::Key_Home, "Go to the first denoising step",
        [head] { head->setDenoiseStep(0); });
    add("back", "Step back", Qt::Key_Left, "One denoising step back", [this] { stepBy(-1); });
    add("play", "Play or pause", Qt::Key_Space, "Play the denoising steps",
        [this] { setPlaying(!playing()); });
    add("forward", "Step forward", Qt::Key_Right, "One denoising step forward", [this] { stepBy(1); });
    add("last", "Last denoising step", Qt::Key_End, "Go to the last denoising step",
        [head] { head->setDenoiseStep(head->denoiseSteps() - 1); });
    add("back10", "Ten steps back", Qt::SHIFT | Qt::Key_Left, "Ten denoising steps back",
        [this] { stepBy(-10); });
    add("forward10", "Ten steps forward", Qt::SHIFT | Qt::Key_Right, "Ten denoising steps forward",
        [this] { stepBy(10); });
    add("position_up", "Previous position", Qt::Key_Up, "Select the previous position",
        [this] { movePosition(-1); });
    add("position_down", "Next position", Qt::Key_Down, "Select the next position",
        [this] { movePosition(1); });
    add("next_edit", "Next change", Qt::Key_E, "Go to the next step with a change (of the selected position)",
        [this] { goToEdit(true); });
    add("previous_edit", "Previous change", Qt::SHIFT | Qt::Key_E, "Go to the previous step with a change",
        [this] { goToEdit(false); });
    add("measure", "Next measure", Qt::Key_M, "Show confidence, margin, entropy or latent norm",
        [this] { nextMeasure(); });
    add("grid", "Text as grid", Qt::Key_G, "Show the text as a sentence or in cells of one size", [this] {
        view_.grid = !view_.grid;
        canvas_->requestFrame();
        Q_EMIT stateChanged();
    });
    add("open_unit", "Open unit", Qt::Key_O, "Show the tokens of the selected chunk or sentence",
        [this] { levels_->openUnit(); });
    add("close_unit", "Close unit", Qt::SHIFT | Qt::Key_O, "Show the chunks or sentences again",
        [this] { levels_->closeUnit(); });
    add("loop_from", "Loop from here", Qt::Key_BracketLeft, "Start the loop at this step",
        [this] { setLoopEnd(false); });
    add("loop_to", "Loop to here", Qt::Key_BracketRight, "End the loop at this step",
        [this] { setLoopEnd(true); });
    for (int i = 0; i < static_cast<int>(kSpeeds.size()); ++i)
        context().commands->add(
            {QStringLiteral("timeline.speed%1").arg(i + 1),
             tr("Speed %1x").arg(kSpeeds[static_cast<std::size_t>(i)]), tr("Playhead"),
             QKeySequence(Qt::Key_1 + i), tr("Play at this speed")},
            [this, i] { speed_->setCurrentIndex(i); }, this);
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
    const auto edit = model->findEdit(view_.step, context().selection->position(), forward);
    if (edit) return context().playhead->setDenoiseStep(edit->step);
    Q_EMIT statusMessage(forward ? tr("No later change.") : tr("No earlier change."));
}

QJsonObject TimelinePanel::saveState() const {
    QJsonObject saved{
        {QStringLiteral("measure"), savedChoice(kMeasureIds, static_cast<int>(view_.measure))},
        {QStringLiteral("grid"), view_.grid},
        {QStringLiteral("speed"), kSpeeds[static_cast<std::size_t>(speed_->currentIndex())]},
        {QStringLiteral("loop"), loop_->isChecked()},
        {QStringLiteral("link"), savedChoice(kLinkIds, static_cast<int>(context().selection->linkBy()))}};
    for (const char* key : {"loop_of", "loop_from", "loop_to"})  // of a trace that is not shown yet
        if (const auto value = savedLoop_.value(QLatin1String(key)); !value.isUndefined())
            saved[QLatin1String(key)] = value;
    const auto trace = context().selection->trace();
    if (trace == nullptr || trace->file.empty() || (loopFrom_ == 0 && loopTo_ < 0)) return saved;
    saved[QStringLiteral("loop_of")] = QString::fromStdString(trace->file.filename().string());
    saved[QStringLiteral("loop_from")] = loopFrom_;
    saved[QStringLiteral("loop_to")] = loopTo_;
    return saved;
}

void TimelinePanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    setMeasure(choiceOf(kMeasureIds, saved.value(QStringLiteral("measure"))));
    view_.grid = saved.value(QStringLiteral("grid")).toBool();
    const auto* speed =
        std::find(kSpeeds.begin(), kSpeeds.end(), saved.value(QStringLiteral("speed")).toDouble());
    speed_->setCurrentIndex(speed == kSpeeds.end() ? 1 : static_cast<int>(speed - kSpeeds.begin()));
    loop_->setChecked(saved.value(QStringLiteral("loop")).toBool(true));
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
    loopFrom_ = from;
    loopTo_ = to;
}

}  // namespace kurve::views
