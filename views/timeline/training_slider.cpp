#include "views/timeline/training_slider.h"
#include "views/common/recording_owner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/format.h"
#include "views/common/playhead.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"

namespace kurve::views {

TrainingSlider::TrainingSlider(const StudioContext& context, QWidget* scope)
    : QWidget(scope),
      context_(context),
      slider_(new QSlider(Qt::Horizontal)),
      where_(new QLabel),
      follow_(new QToolButton) {
    setProperty("role", "bar");
    setAttribute(Qt::WA_StyledBackground);
    setObjectName(QStringLiteral("timeline.train_bar"));
    auto* caption = new QLabel(tr("After training"));
    caption->setProperty("role", "caption");
    slider_->setObjectName(QStringLiteral("timeline.train"));
    slider_->setAccessibleName(tr("Training step of the recording"));
    slider_->setToolTip(tr("The same prompt at each evaluation (Alt+← Alt+→)"));
    slider_->setTickPosition(QSlider::TicksBelow);
    slider_->setTickInterval(1);
    slider_->setPageStep(1);
    where_->setObjectName(QStringLiteral("timeline.train_where"));
    where_->setMinimumWidth(px(190));
    follow_->setText(tr("Follow"));
    follow_->setCheckable(true);
    follow_->setObjectName(QStringLiteral("timeline.follow"));
    follow_->setAccessibleName(tr("Follow new recordings"));
    follow_->setToolTip(tr("Show the newest recording, also while training records more (Alt+End)"));
    follow_->setProperty("role", "quiet");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(space::kMedium), px(2), px(space::kMedium), px(2));
    row->setSpacing(px(space::kSmall));
    row->addWidget(caption);
    row->addWidget(slider_, 1);
    row->addWidget(where_);
    row->addWidget(follow_);
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
    const auto add = [&](const char* id, const QString& title, const QKeySequence& keys, const QString& help,
                         std::function<void()> run) {
        context_.commands->add(
            {QLatin1String("timeline.") + QLatin1String(id), title, tr("Playhead"), keys, help},
            std::move(run), scope);
    };
    add("train_back", tr("Recording before"), Qt::ALT | Qt::Key_Left,
        tr("The same prompt at the evaluation before"), [this] { stepBy(-1); });
    add("train_forward", tr("Recording after"), Qt::ALT | Qt::Key_Right,
        tr("The same prompt at the evaluation after"), [this] { stepBy(1); });
    add("train_first", tr("First recording"), Qt::ALT | Qt::Key_Home,
        tr("The same prompt at the first evaluation"), [this] { goTo(0); });
    add("train_follow", tr("Newest recording, and follow"), Qt::ALT | Qt::Key_End,
        tr("The same prompt at the newest evaluation, also while training records more"),
        [this] { setFollowing(true); });
}

void TrainingSlider::refresh() {
    const auto trace = context_.selection->trace();
    const QString run = context_.selection->primaryRun();
    const auto data = context_.catalog != nullptr ? context_.catalog->data(run) : nullptr;
    run_ = run;
    recordings_ =
        trace != nullptr && data != nullptr ? recordingsOf(*data, run, *trace) : std::vector<Recording>{};
    setVisible(recordings_.size() > 1);
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, std::max(0, static_cast<int>(recordings_.size()) - 1));
}

void TrainingSlider::show(int recording) {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(recording);
    follow_->setChecked(following_);
    const auto at = static_cast<std::size_t>(recording);
    where_->setText(tr("<b>%1</b> steps, %2 of %3")
                        .arg(countText(recordings_[at].step))
                        .arg(recording + 1)
                        .arg(recordings_.size()));
}

void TrainingSlider::traceChanged() {
    refresh();
    const auto trace = context_.selection->trace();
    wanted_ = trace != nullptr ? trainedSteps(*trace) : -1;
    if (recordings_.size() < 2 || wanted_ < 0) return;
    // One playhead for all: what was opened from a list moves it as well.
    const int shown = recordingAt(recordings_, wanted_);
    following_ = following_ && shown + 1 == static_cast<int>(recordings_.size());
    if (recordingAt(recordings_, context_.playhead->trainStep()) != shown)
        context_.playhead->setTrainStep(recordings_[static_cast<std::size_t>(shown)].step);
    show(shown);
}

void TrainingSlider::dataChanged(const QString& runId) {
    if (runId != context_.selection->primaryRun()) return;
    const auto before = recordings_;
    refresh();
    if (recordings_ == before || recordings_.size() < 2) return;
    if (following_) return goTo(static_cast<int>(recordings_.size()) - 1);
    // Another run was chosen, and only now its recordings are known: the one that belongs to the playhead is
    // shown.
    if (before.empty()) return want(std::max(0, recordingAt(recordings_, context_.playhead->trainStep())));
    show(std::max(0, recordingAt(recordings_, wanted_)));
}

void TrainingSlider::playheadMoved() {
    // Without their run the playhead stands at no step of these recordings.
    if (recordings_.size() < 2 || run_.isEmpty() || context_.selection->primaryRun() != run_) return;
    const int at = recordingAt(recordings_, context_.playhead->trainStep());
    // A live run carries the window's playhead along; the recording comes along only where that is wished.
    if (context_.playhead->carried() && !following_) return;
    if (at + 1 < static_cast<int>(recordings_.size())) following_ = false;
    want(at);
}

void TrainingSlider::want(int recording) {
    const Recording& wished = recordings_[static_cast<std::size_t>(recording)];
    show(recording);
    if (wished.step == wanted_) return;
    wanted_ = wished.step;
    Q_EMIT recordingWanted(context_.selection->primaryRun(), wished.file);
}

void TrainingSlider::goTo(int recording) {
    if (recordings_.size() < 2) return;
    recording = std::clamp(recording, 0, static_cast<int>(recordings_.size()) - 1);
    context_.playhead->setTrainStep(recordings_[static_cast<std::size_t>(recording)].step);
    want(recording);  // also where the playhead was there already
}

void TrainingSlider::stepBy(int recordings) {
    goTo(slider_->value() + recordings);
}

void TrainingSlider::setFollowing(bool on) {
    following_ = on;
    if (on) goTo(static_cast<int>(recordings_.size()) - 1);
    follow_->setChecked(following_);
}

}  // namespace kurve::views
