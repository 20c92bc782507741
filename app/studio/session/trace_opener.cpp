#include "app/studio/session/trace_opener.h"

#include <utility>

#include "core/inspect/intervention.h"
#include "core/trace/trace.h"
#include "views/common/data/trace_owner.h"

namespace kurve::studio {

const store::TraceRow& newestTrace(const std::vector<store::TraceRow>& traces) {
    const store::TraceRow* best = &traces.back();
    for (const store::TraceRow& row : traces)
        if (best->prompt > 0 && row.step == best->step && row.prompt >= 0 && row.prompt < best->prompt)
            best = &row;
    return *best;
}

std::string TraceOpener::newest() const {
    const auto data = session_.catalog.data(session_.selection.primaryRun());
    return !data || data->traces.empty() ? std::string() : newestTrace(data->traces).path.text();
}

std::filesystem::path TraceOpener::folderOf(const QString& runId) const {
    return session_.project().runFolder(runId.toStdString());
}

TraceOpener::TraceOpener(ProjectSession& session) : session_(session) {
    connect(&session.selection, &views::Selection::traceChanged, this, &TraceOpener::selectRunOfTrace);
    // A newly pinned reference cancels one that is being read.
    connect(&session.selection, &views::Selection::referenceChanged, this, [this] { readingBeside_.drop(); });
}

QString TraceOpener::runOfFile(const std::filesystem::path& file) const {
    const auto inside = file.lexically_normal().lexically_relative(session_.project().runsFolder());
    const bool isInside = !inside.empty() && *inside.begin() != ".." && *inside.begin() != ".";
    return isInside ? QString::fromStdString(inside.begin()->string()) : QString();
}

QString TraceOpener::runOf(const trace::Trace& trace) const {
    const QString run = runOfFile(trace.file);
    return run.isEmpty() ? QString::fromStdString(trace.metaText("run")) : run;
}

bool TraceOpener::isOf(const trace::Trace& trace, const QString& run) const {
    const QString its = runOf(trace);
    return its.isEmpty() || its == run;
}

/// The run of the shown trace is selected, so that the prompt bar uses it.
void TraceOpener::selectRunOfTrace() {
    const auto shown = session_.selection.trace();
    if (shown == nullptr || isOf(*shown, session_.selection.primaryRun())) return;
    if (const QString run = runOf(*shown); session_.catalog.run(run) != nullptr)
        session_.selection.setPrimary(run);
}

void TraceOpener::follow(bool visible) {
    const QString run = session_.selection.primaryRun();
    if (run.isEmpty() || run == std::exchange(followed_, run)) return;
    if (const auto shown = session_.selection.trace(); shown != nullptr && isOf(*shown, run)) return;
    awaited_.clear();
    reading_.drop();
    busy_ = false;
    const std::string name = newest();
    if (visible && !name.empty()) return read(folderOf(run), name, Request::Automatic, [] {});
    requested_ = false;
    session_.selection.setTrace(nullptr);
    session_.playhead.setDenoiseSteps(0);
}

void TraceOpener::openAwaited() {
    if (awaited_.isEmpty() || !session_.catalog.data(awaited_)) return;
    if (std::exchange(awaited_, {}) == session_.selection.primaryRun()) openNewest();
}

void TraceOpener::open(const QString& runId, const QString& file) {
    read(folderOf(runId), file.toStdString(), Request::Explicit, [this] { Q_EMIT opened(); });
}

void TraceOpener::replace(const QString& runId, const QString& file) {
    const int position = session_.selection.position(), step = session_.playhead.denoiseStep();
    const int last = session_.playhead.denoiseSteps() - 1;
    read(folderOf(runId), file.toStdString(), Request::Explicit, [=, this] {
        const int now = session_.playhead.denoiseSteps() - 1;
        session_.selection.setPosition(position);
        session_.playhead.setDenoiseStep(last > 0 ? (step * now + last / 2) / last : now);
    });
}

void TraceOpener::openBeside(const QString& runId, const QString& file) {
    readingBeside_.run(
        [folder = folderOf(runId), name = file.toStdString()] { return trace::readRunTrace(folder, name); },
        [this](Result<trace::Trace> result) {
            if (!result) return Q_EMIT said(QString::fromStdString(result.error().text()));
            session_.selection.setReference(std::make_shared<const trace::Trace>(std::move(*result)));
            Q_EMIT opened();
        });
}

void TraceOpener::openNewest() {
    const QString run = session_.selection.primaryRun();
    if (!run.isEmpty() && !session_.catalog.data(run)) {
        awaited_ = run;
        return;
    }
    const std::string name = newest();
    if (name.empty()) return Q_EMIT said(tr("This run has no traces; run a prompt or press F7 to sample."));
    read(folderOf(run), name, Request::Explicit, [this] { Q_EMIT opened(); });
}

void TraceOpener::trash(const QString& runId, const QString& file) {
    store::TraceFile trashed{runId.toStdString(),
                             store::RunFile::parse(file.toStdString()).value_or(store::RunFile()), 0};
    if (const auto data = session_.catalog.data(runId))
        for (const auto& row : data->traces)
            if (row.path == trashed.file) trashed.bytes = row.bytes;
    session_.edits.trashTraces({trashed}, true);
}

void TraceOpener::fill() {
    if (session_.selection.trace() || busy_) return;
    const QString run = session_.selection.primaryRun();
    if (const std::string name = newest(); !name.empty())
        read(folderOf(run), name, Request::Automatic, [] {});
}

void TraceOpener::restore(const std::filesystem::path& file, int position, int step) {
    const QString run = runOfFile(file), selected = session_.selection.primaryRun();
    if (!run.isEmpty() && !selected.isEmpty() && run != selected) return;
    const auto traces = file.parent_path();
    const std::string name = (traces.filename() / file.filename()).string();
    read(traces.parent_path(), name, Request::Automatic, [=, this] {
        session_.selection.setPosition(position);
        session_.playhead.setDenoiseStep(step);
    });
}

void TraceOpener::read(const std::filesystem::path& run, const std::string& name, Request request,
                       const std::function<void()>& then) {
    busy_ = true;
    reading_.run([run, name] { return trace::readRunTrace(run, name); },
                 [this, request, then](Result<trace::Trace> result) {
                     busy_ = false;
                     if (!result) {
                         restorePlayhead();
                         return Q_EMIT said(QString::fromStdString(result.error().text()));
                     }
                     requested_ = request == Request::Explicit;
                     const int step = inspect::openingStep(*result);
                     put(std::make_shared<const trace::Trace>(std::move(*result)), step);
                     then();
                 });
}

/// After a trace could not be read: back to the training step of the shown one.
void TraceOpener::restorePlayhead() {
    const auto shown = session_.selection.trace();
    const bool ofRun = shown != nullptr && isOf(*shown, session_.selection.primaryRun());
    if (!ofRun) session_.selection.setTrace(nullptr);
    const qint64 step = ofRun ? views::trainedSteps(*shown) : -1;
    if (step >= 0) session_.playhead.setTrainStep(step);
}

void TraceOpener::show(std::shared_ptr<const trace::Trace> trace) {
    if (!isOf(*trace, session_.selection.primaryRun()))
        return Q_EMIT said(
            tr("Trace saved; select %1 to see it.").arg(session_.catalog.nameOf(runOf(*trace))));
    requested_ = true;
    const int step = inspect::openingStep(*trace);
    put(std::move(trace), step);
}

void TraceOpener::extend(std::shared_ptr<const trace::Trace> trace) {
    if (!isOf(*trace, session_.selection.primaryRun())) return;
    requested_ = true;
    const int last = trace->steps - 1;
    put(std::move(trace), last);
}

void TraceOpener::put(std::shared_ptr<const trace::Trace> trace, int step) {
    views::Playhead& head = session_.playhead;
    const auto shown = session_.selection.trace();
    const bool grown = shown != nullptr && !shown->metaText("planned_steps").empty() &&
                       shown->steps <= trace->steps && shown->metaText("prompt") == trace->metaText("prompt");
    const bool wentBack = grown && head.denoiseStep() < head.denoiseSteps() - 1;
    const int there = head.denoiseStep(), position = session_.selection.position(), steps = trace->steps;
    session_.selection.setTrace(std::move(trace));
    if (grown) session_.selection.setPosition(position);
    head.setDenoiseSteps(steps);
    head.setDenoiseStep(wentBack ? there : step);
}

}  // namespace kurve::studio
