// The timeline's commands, and what of it is kept for another session.
#include <QComboBox>
#include <QToolButton>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/timeline/compare_control.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::views {

void TimelinePanel::add(const char* id, const char* title, const QKeySequence& keys, const char* help,
                        std::function<void()> run) {
    context().commands->add(
        {QLatin1String("timeline.") + QLatin1String(id), tr(title), tr("Playhead"), keys, tr(help)},
        std::move(run), this);
}

void TimelinePanel::addCommands() {
    Playhead* head = context().playhead;
    add("first", "First denoising step", Qt::Key_Home, "Go to the noisiest step",
        [head] { head->setDenoiseStep(0); });
    add("back", "Step back", Qt::Key_Left, "One denoising step back", [this] { stepBy(-1); });
    add("play", "Play or pause", Qt::Key_Space, "Play the denoising", [this] { setPlaying(!playing()); });
    add("forward", "Step forward", Qt::Key_Right, "One denoising step forward", [this] { stepBy(1); });
    add("last", "Last denoising step", Qt::Key_End, "Go to the finished text",
        [head] { head->setDenoiseStep(head->denoiseSteps() - 1); });
    add("back10", "Ten steps back", Qt::SHIFT | Qt::Key_Left, "Ten denoising steps back",
        [this] { stepBy(-10); });
    add("forward10", "Ten steps forward", Qt::SHIFT | Qt::Key_Right, "Ten denoising steps forward",
        [this] { stepBy(10); });
    add("slot_up", "Slot before", Qt::Key_Up, "Select the slot before", [this] { moveSlot(-1); });
    add("slot_down", "Slot after", Qt::Key_Down, "Select the slot after", [this] { moveSlot(1); });
    add("next_edit", "Next change", Qt::Key_E,
        "Go to the next step where a token (of the selected slot) changes", [this] { goToEdit(true); });
    add("previous_edit", "Previous change", Qt::SHIFT | Qt::Key_E, "Go to the step of the change before",
        [this] { goToEdit(false); });
    add("measure", "Next measure", Qt::Key_M, "Show confidence, margin, entropy or the points' length",
        [this] { nextMeasure(); });
    add("grid", "Text as a grid", Qt::Key_G, "The text flowing like a sentence, or in cells of one size",
        [this] {
            view_.grid = !view_.grid;
            canvas_->requestFrame();
            Q_EMIT choiceChanged();
        });
    add("loop_from", "Loop from here", Qt::Key_BracketLeft, "The loop begins at this step",
        [this] { setLoopEnd(false); });
    add("loop_to", "Loop to here", Qt::Key_BracketRight, "The loop ends at this step",
        [this] { setLoopEnd(true); });
    for (int i = 0; i < static_cast<int>(kSpeeds.size()); ++i)
        context().commands->add(
            {QStringLiteral("timeline.speed%1").arg(i + 1),
             tr("Speed %1x").arg(kSpeeds[static_cast<std::size_t>(i)]), tr("Playhead"),
             QKeySequence(Qt::Key_1 + i), tr("Play at this speed")},
            [this, i] { speed_->setCurrentIndex(i); }, this);
}

QJsonObject TimelinePanel::save() const {
    QJsonObject kept{{QStringLiteral("measure"), static_cast<int>(view_.measure)},
                     {QStringLiteral("grid"), view_.grid},
                     {QStringLiteral("speed"), speed_->currentIndex()},
                     {QStringLiteral("loop"), loop_->isChecked()},
                     {QStringLiteral("link"), static_cast<int>(context().selection->linkBy())}};
    for (const char* key : {"loop_of", "loop_from", "loop_to"})  // that recording is not shown yet
        if (const auto value = keptLoop_.value(QLatin1String(key)); !value.isUndefined())
            kept[QLatin1String(key)] = value;
    const auto trace = context().selection->trace();
    if (trace == nullptr || trace->file.empty() || (loopFrom_ == 0 && loopTo_ < 0)) return kept;
    kept[QStringLiteral("loop_of")] = QString::fromStdString(trace->file.filename().string());
    kept[QStringLiteral("loop_from")] = loopFrom_;
    kept[QStringLiteral("loop_to")] = loopTo_;
    return kept;
}

void TimelinePanel::restore(const QJsonObject& kept) {
    if (kept.isEmpty()) return;
    setMeasure(kept.value(QStringLiteral("measure")).toInt());
    view_.grid = kept.value(QStringLiteral("grid")).toBool();
    speed_->setCurrentIndex(std::clamp(kept.value(QStringLiteral("speed")).toInt(1), 0, speed_->count() - 1));
    loop_->setChecked(kept.value(QStringLiteral("loop")).toBool(true));
    context().selection->setLinkBy(
        static_cast<LinkBy>(std::clamp(kept.value(QStringLiteral("link")).toInt(), 0, 2)));
    keptLoop_ = kept;
    keepLoop();
    canvas_->requestFrame();
}

/// The loop's ends belong to one recording: they come back with it.
void TimelinePanel::keepLoop() {
    const auto trace = context().selection->trace();
    const QString of = keptLoop_.value(QStringLiteral("loop_of")).toString();
    if (trace == nullptr || of.isEmpty() || of != QString::fromStdString(trace->file.filename().string()))
        return;
    const int from = keptLoop_.value(QStringLiteral("loop_from")).toInt(),
              to = keptLoop_.value(QStringLiteral("loop_to")).toInt(-1);
    keptLoop_ = {};
    if (from < 0 || to >= trace->steps || (to >= 0 && to <= from)) return;
    loopFrom_ = from;
    loopTo_ = to;
}

}  // namespace kurve::views
