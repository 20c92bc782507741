#include "views/common/shell/selection.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kurve::views {

void Selection::setRuns(const QStringList& ids) {
    set_ = ids;
    if (std::exchange(runs_, ids) == ids) return;
    Q_EMIT runsChanged(runs_);
}

void Selection::keepRuns(const std::function<bool(const QString&)>& keep) {
    QStringList kept;
    std::copy_if(set_.begin(), set_.end(), std::back_inserter(kept), keep);
    if (std::exchange(runs_, kept) != kept) Q_EMIT runsChanged(runs_);
}

void Selection::setPrimary(const QString& run) {
    if (run == primaryRun()) return;
    QStringList ids = runs_;
    if (ids.removeAll(run) == 0) ids.clear();
    setRuns(QStringList{run} + ids);
}

void Selection::setHiddenRuns(const QStringList& ids) {
    if (std::exchange(hidden_, ids) == ids) return;
    Q_EMIT hiddenChanged(hidden_);
}

void Selection::hideRuns(const QStringList& ids, bool on) {
    QStringList hidden = hidden_;
    for (const QString& id : ids) {
        hidden.removeAll(id);
        if (on) hidden << id;
    }
    setHiddenRuns(hidden);
}

void Selection::setBaseline(const QString& run) {
    if (std::exchange(baseline_, run) == run) return;
    Q_EMIT baselineChanged(baseline_);
}

void Selection::setHoveredRun(const QString& run) {
    if (std::exchange(hovered_, run) == run) return;
    Q_EMIT hoveredRunChanged(hovered_);
}

void Selection::setTrace(std::shared_ptr<const trace::Trace> trace) {
    if (trace == trace_) return;
    trace_ = std::move(trace);
    setPosition(-1);
    setPreview({});
    Q_EMIT traceChanged();
}

void Selection::setReference(std::shared_ptr<const trace::Trace> trace) {
    if (trace == reference_) return;
    reference_ = std::move(trace);
    Q_EMIT referenceChanged();
}

void Selection::setLinkBy(inspect::LinkBy by) {
    if (std::exchange(linkBy_, by) == by) return;
    Q_EMIT linkChanged();
}

void Selection::setPosition(int position) {
    const int positions = trace_ ? trace_->positions : 0;
    if (position < 0 || position >= positions) position = -1;
    if (std::exchange(position_, position) == position) return;
    Q_EMIT positionChanged(position);
}

void Selection::setPreview(const TokenPreview& preview) {
    if (std::exchange(preview_, preview) == preview) return;
    Q_EMIT previewChanged();
}

}  // namespace kurve::views
