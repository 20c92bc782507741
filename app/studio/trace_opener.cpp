#include "app/studio/trace_opener.h"

#include "core/trace/trace.h"
#include "views/common/recording_owner.h"
#include "views/timeline/recordings.h"
#include "views/timeline/what_if.h"

namespace kurve::studio {

const store::TraceRow& newestRecording(const std::vector<store::TraceRow>& traces) {
    const store::TraceRow* best = &traces.back();
    for (const store::TraceRow& row : traces)
        if (best->prompt > 0 && row.step == best->step && row.prompt >= 0 && row.prompt < best->prompt)
            best = &row;
    return *best;
}

std::filesystem::path TraceOpener::newest() const {
    const QString id = session_.selection.primaryRun();
    const auto data = session_.catalog.data(id);
    if (!data || data->traces.empty()) return {};
    return session_.project().runFolder(id.toStdString()) / newestRecording(data->traces).path;
}

void TraceOpener::open(const QString& runId, const QString& file) {
    read(session_.project().runFolder(runId.toStdString()) / file.toStdString(), [this] { Q_EMIT opened(); });
}

void TraceOpener::replace(const QString& runId, const QString& file) {
    const int slot = session_.selection.slot(), step = session_.playhead.denoiseStep();
    const int last = session_.playhead.denoiseSteps() - 1;
    read(session_.project().runFolder(runId.toStdString()) / file.toStdString(), [=, this] {
        const int now = session_.playhead.denoiseSteps() - 1;
        session_.selection.setSlot(slot);
        session_.playhead.setDenoiseStep(last > 0 ? (step * now + last / 2) / last : now);
    });
}

void TraceOpener::openBeside(const QString& runId, const QString& file) {
    const std::filesystem::path path = session_.project().runFolder(runId.toStdString()) / file.toStdString();
    readingBeside_.run(
        [path] { return trace::readTrace(path); },
        [this](Result<trace::Trace> result) {
            if (!result) return Q_EMIT said(QString::fromStdString(result.error().text()));
            session_.selection.setReference(std::make_shared<const trace::Trace>(std::move(*result)));
            Q_EMIT opened();
        });
}

void TraceOpener::openNewest() {
    const std::filesystem::path path = newest();
    if (path.empty())
        return Q_EMIT said(tr("This run has recorded no denoising yet; run a prompt, or sample now (F7)."));
    read(path, [this] { Q_EMIT opened(); });
}

void TraceOpener::fill() {
    if (session_.selection.trace() || busy_) return;
    if (const std::filesystem::path path = newest(); !path.empty()) read(path, [] {});
}

void TraceOpener::restore(const std::filesystem::path& file, int slot, int step) {
    read(file, [=, this] {
        session_.selection.setSlot(slot);
        session_.playhead.setDenoiseStep(step);
    });
}

void TraceOpener::read(const std::filesystem::path& path, const std::function<void()>& then) {
    busy_ = true;
    reading_.run([path] { return trace::readTrace(path); },
                 [this, then](Result<trace::Trace> result) {
                     busy_ = false;
                     if (!result) {
                         backToShown();
                         return Q_EMIT said(QString::fromStdString(result.error().text()));
                     }
                     show(std::make_shared<const trace::Trace>(std::move(*result)));
                     then();
                 });
}

/// The training playhead went where the wish was; what is shown is of another step.
void TraceOpener::backToShown() {
    const auto shown = session_.selection.trace();
    const bool ofRun =
        shown != nullptr && shown->metaText("run") == session_.selection.primaryRun().toStdString();
    const qint64 step = ofRun ? views::trainedSteps(*shown) : -1;
    if (step >= 0) session_.playhead.setTrainStep(step);
}

void TraceOpener::show(std::shared_ptr<const trace::Trace> trace) {
    const int step = views::openingStep(*trace);
    put(std::move(trace), step);
}

void TraceOpener::grow(std::shared_ptr<const trace::Trace> trace) {
    const int last = trace->steps - 1;
    put(std::move(trace), last);
}

void TraceOpener::put(std::shared_ptr<const trace::Trace> trace, int step) {
    views::Playhead& head = session_.playhead;
    const auto shown = session_.selection.trace();
    const bool grown = shown != nullptr && !shown->metaText("planned_steps").empty() &&
                       shown->steps <= trace->steps && shown->metaText("prompt") == trace->metaText("prompt");
    const bool wentBack = grown && head.denoiseStep() < head.denoiseSteps() - 1;
    const int there = head.denoiseStep(), slot = session_.selection.slot(), steps = trace->steps;
    session_.selection.setTrace(std::move(trace));
    if (grown) session_.selection.setSlot(slot);
    head.setDenoiseSteps(steps);
    head.setDenoiseStep(wentBack ? there : step);
}

}  // namespace kurve::studio
