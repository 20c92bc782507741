#include "views/common/shell/selection.h"

namespace kurve::views {

void Selection::setRuns(const QStringList& ids) {
    if (ids == runs_) return;
    runs_ = ids;
    Q_EMIT runsChanged(runs_);
}

void Selection::setPrimary(const QString& run) {
    if (run == primaryRun()) return;
    QStringList ids = runs_;
    if (ids.removeAll(run) == 0) ids.clear();
    setRuns(QStringList{run} + ids);
}

void Selection::setHiddenRuns(const QStringList& ids) {
    if (ids == hidden_) return;
    hidden_ = ids;
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
    if (run == baseline_) return;
    baseline_ = run;
    Q_EMIT baselineChanged(baseline_);
}

void Selection::setHoveredRun(const QString& run) {
    if (run == hovered_) return;
    hovered_ = run;
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
    if (by == linkBy_) return;
    linkBy_ = by;
    Q_EMIT linkChanged();
}

void Selection::setPosition(int position) {
    const int positions = trace_ ? trace_->positions : 0;
    if (position < 0 || position >= positions) position = -1;
    if (position == position_) return;
    position_ = position;
    Q_EMIT positionChanged(position);
}

void Selection::setPreview(const TokenPreview& preview) {
    if (preview == preview_) return;
    preview_ = preview;
    Q_EMIT previewChanged();
}

}  // namespace kurve::views
