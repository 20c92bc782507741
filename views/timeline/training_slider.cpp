#include "views/timeline/training_slider.h"

#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

#include "views/common/data/run_catalog.h"
#include "views/common/data/trace_owner.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

TrainingSlider::TrainingSlider(const StudioContext& context, QWidget* scope)
    : QWidget(scope),
      context_(context),
      slider_(describe(new QSlider(Qt::Horizontal), "timeline.train", tr("Training step of the trace"),
                       tr("Trace of the same prompt at each evaluation (Alt+← Alt+→)"))),
      where_(describe(new QLabel, "timeline.train_where")),
      follow_(describe(new QToolButton, "timeline.follow", tr("Follow new traces"),
                       tr("Show the newest trace, also while training records more (Alt+End)"),
                       {.text = tr("Follow"), .role = "quiet", .checkable = true})) {
    describe(this, "timeline.train_bar", {.role = "bar", .filled = true});
    auto* caption = describe(new QLabel(tr("Training step")), {.role = "caption"});
    slider_->setTickPosition(QSlider::TicksBelow);
    slider_->setTickInterval(1);
    slider_->setPageStep(1);
    where_->setMinimumWidth(px(190));
    hboxIn(this, {caption, {slider_, 1}, where_, follow_},
           {.margins = {space::kMedium, 2}, .spacing = space::kSmall});
    addCommands(scope);
    hide();
    connect(slider_, &QSlider::valueChanged, this, &TrainingSlider::goTo);
    connect(follow_, &QToolButton::clicked, this, &TrainingSlider::setFollowing);
    connect(context.selection, &Selection::traceChanged, this, &TrainingSlider::traceChanged);
    connect(context.playhead, &Playhead::trainStepChanged, this, &TrainingSlider::playheadMoved);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::dataChanged, this, &TrainingSlider::dataChanged);
    traceChanged();
}

void TrainingSlider::addCommands(QWidget* scope) {
    const CommandGroup add(context_.commands, tr("Playhead"), scope, "timeline.");
    add("train_back", tr("Previous trace"), Qt::ALT | Qt::Key_Left,
        tr("The same prompt at the previous evaluation"), [this] { stepBy(-1); });
    add("train_forward", tr("Next trace"), Qt::ALT | Qt::Key_Right,
        tr("The same prompt at the next evaluation"), [this] { stepBy(1); });
    add("train_first", tr("First trace"), Qt::ALT | Qt::Key_Home,
        tr("The same prompt at the first evaluation"), [this] { goTo(0); });
    add("train_follow", tr("Follow newest trace"), Qt::ALT | Qt::Key_End,
        tr("The same prompt at the newest evaluation, also while training records more"),
        [this] { setFollowing(true); });
}

void TrainingSlider::refresh() {
    const auto trace = context_.selection->trace();
    const QString run = context_.selection->primaryRun();
    const auto data = context_.catalog != nullptr ? context_.catalog->data(run) : nullptr;
    run_ = run;
    traces_ = trace != nullptr && data != nullptr ? tracesOf(*data, run, *trace) : std::vector<RunTrace>{};
    setVisible(traces_.size() > 1);
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, std::max(0, static_cast<int>(traces_.size()) - 1));
}

void TrainingSlider::show(int index) {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(index);
    follow_->setChecked(following_);
    const auto at = static_cast<std::size_t>(index);
    where_->setText(
        tr("<b>%1</b> steps, %2 of %3").arg(countText(traces_[at].step)).arg(index + 1).arg(traces_.size()));
}

void TrainingSlider::traceChanged() {
    refresh();
    const auto trace = context_.selection->trace();
    requested_ = trace != nullptr ? trainedSteps(*trace) : -1;
    if (traces_.size() < 2 || requested_ < 0) return;
    // A trace opened from a list moves the playhead as well.
    const int shown = traceAt(traces_, requested_);
    following_ = following_ && shown + 1 == static_cast<int>(traces_.size());
    if (traceAt(traces_, context_.playhead->trainStep()) != shown)
        context_.playhead->setTrainStep(traces_[static_cast<std::size_t>(shown)].step);
    show(shown);
}

void TrainingSlider::dataChanged(const QString& runId) {
    if (runId != context_.selection->primaryRun()) return;
    const auto before = traces_;
    refresh();
    if (traces_ == before || traces_.size() < 2) return;
    if (following_) return goTo(static_cast<int>(traces_.size()) - 1);
    // Another run was selected and its traces are known now: show that of the playhead.
    if (before.empty()) return request(std::max(0, traceAt(traces_, context_.playhead->trainStep())));
    show(std::max(0, traceAt(traces_, requested_)));
}

void TrainingSlider::playheadMoved() {
    // The playhead is of another run.
    if (traces_.size() < 2 || run_.isEmpty() || context_.selection->primaryRun() != run_) return;
    const int at = traceAt(traces_, context_.playhead->trainStep());
    // A live run moves the playhead; the trace follows only on request.
    if (context_.playhead->carried() && !following_) return;
    if (at + 1 < static_cast<int>(traces_.size())) following_ = false;
    request(at);
}

void TrainingSlider::request(int index) {
    const RunTrace& trace = traces_[static_cast<std::size_t>(index)];
    show(index);
    if (trace.step == requested_) return;
    requested_ = trace.step;
    context_.ask<Traces>().replace(context_.selection->primaryRun(), trace.file);
}

void TrainingSlider::goTo(int index) {
    if (traces_.size() < 2) return;
    index = std::clamp(index, 0, static_cast<int>(traces_.size()) - 1);
    context_.playhead->setTrainStep(traces_[static_cast<std::size_t>(index)].step);
    request(index);  // also if the playhead did not move
}

void TrainingSlider::stepBy(int traces) {
    goTo(slider_->value() + traces);
}

void TrainingSlider::setFollowing(bool on) {
    following_ = on;
    if (on) goTo(static_cast<int>(traces_.size()) - 1);
    follow_->setChecked(following_);
}

}  // namespace kurve::views
