#include "views/prompt/checkpoint_box.h"

#include <algorithm>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {
bool isAverage(const QString& id) {
    return id.startsWith(QLatin1String("avg"));
}
}  // namespace

CheckpointBox::CheckpointBox(QWidget* parent) : QComboBox(parent) {
    describe(this, "prompt.checkpoint", tr("Checkpoint"),
             tr("Weights for the prompt; while the run trains also the live model"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(this, &QComboBox::activated, this, [this] {
        chosen_ = id();
        Q_EMIT chosen();
    });
    fill();
}

void CheckpointBox::begin(const QString& saved) {
    chosen_ = saved;
    steps_.clear();
    live_.reset();
    fill();
}

void CheckpointBox::setSteps(std::vector<std::int64_t> steps) {
    if (steps == steps_) return;
    steps_ = std::move(steps);
    fill();
}

void CheckpointBox::setLive(const std::optional<LiveModel>& live) {
    if (live == live_) return;
    const bool ended = !live && id() == QLatin1String(kLiveModel);
    live_ = live;
    if (ended && chosen_ == QLatin1String(kLiveModel)) chosen_.clear();
    fill();
    if (ended) Q_EMIT liveEnded();
}

bool CheckpointBox::choose(const QString& id) {
    if (findData(id) < 0 && !isAverage(id)) return false;
    chosen_ = id;
    fill();
    return true;
}

void CheckpointBox::keepRequested() {
    if (id() == QLatin1String(kLiveModel)) chosen_ = id();
}

/// The user's choice if offered, else the default.
QString CheckpointBox::choiceOf(const BoxChoices& all) const {
    if (std::ranges::find(all, chosen_, &BoxChoices::value_type::first) != all.end()) return chosen_;
    const bool live = live_ && (live_->paused || steps_.empty());
    return live ? QString::fromLatin1(kLiveModel) : QStringLiteral("last");
}

void CheckpointBox::fill() {
    BoxChoices all{{QStringLiteral("last"), tr("last")}, {QStringLiteral("best"), tr("best")}};
    for (const std::int64_t step : steps_)
        all.append({QString::number(step), tr("step %1").arg(countText(step))});
    if (isAverage(chosen_)) all.append({chosen_, chosen_});
    if (live_)
        all.prepend({QLatin1String(kLiveModel),
                     live_->paused ? tr("live model (step %1, paused)").arg(countText(live_->step))
                                   : tr("live model (training)")});
    offerItems(*this, all, choiceOf(all));
    if (live_)
        setItemData(0, tr("The model in memory, between two training steps; training waits while it answers"),
                    Qt::ToolTipRole);
}

}  // namespace kurve::views
