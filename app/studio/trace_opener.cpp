#include "app/studio/trace_opener.h"

#include <utility>

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

std::string TraceOpener::newest() const {
    const auto data = session_.catalog.data(session_.selection.primaryRun());
    return !data || data->traces.empty() ? std::string() : newestRecording(data->traces).path.text();
}

std::filesystem::path TraceOpener::folderOf(const QString& runId) const {
    return session_.project().runFolder(runId.toStdString());
}

TraceOpener::TraceOpener(ProjectSession& session) : session_(session) {
    connect(&session.selection, &views::Selection::traceChanged, this, &TraceOpener::claim);
    // One that was asked for earlier is overtaken by whatever else was pinned.
    connect(&session.selection, &views::Selection::referenceChanged, this, [this] { readingBeside_.drop(); });
}

QString TraceOpener::runOfFile(const std::filesystem::path& file) const {
    const auto inside = file.lexically_normal().lexically_relative(session_.project().runsFolder());
    const bool lies = !inside.empty() && *inside.begin() != ".." && *inside.begin() != ".";
    return lies ? QString::fromStdString(inside.begin()->string()) : QString();
}

QString TraceOpener::runOf(const trace::Trace& trace) const {
    const QString run = runOfFile(trace.file);
    return run.isEmpty() ? QString::fromStdString(trace.metaText("run")) : run;
}

bool TraceOpener::isOf(const trace::Trace& trace, const QString& run) const {
    const QString its = runOf(trace);
    return its.isEmpty() || its == run;
}

/// The run whose denoising is looked at is the one that is selected: the prompt bar asks that one.
void TraceOpener::claim() {
    const auto shown = session_.selection.trace();
    if (shown == nullptr || isOf(*shown, session_.selection.primaryRun())) return;
    if (const QString run = runOf(*shown); session_.catalog.run(run) != nullptr)
        session_.selection.setPrimary(run);
}

void TraceOpener::follow(bool seen) {
    const QString run = session_.selection.primaryRun();
    if (run.isEmpty() || run == std::exchange(followed_, run)) return;
    if (const auto shown = session_.selection.trace(); shown != nullptr && isOf(*shown, run)) return;
    awaited_.clear();
    reading_.drop();
    busy_ = false;
    const std::string name = newest();
    if (seen && !name.empty()) return read(folderOf(run), name, Wish::Unasked, [] {});
    asked_ = false;
    session_.selection.setTrace(nullptr);
    session_.playhead.setDenoiseSteps(0);
}

void TraceOpener::goOn() {
    if (awaited_.isEmpty() || !session_.catalog.data(awaited_)) return;
    if (std::exchange(awaited_, {}) == session_.selection.primaryRun()) openNewest();
}

void TraceOpener::open(const QString& runId, const QString& file) {
    read(folderOf(runId), file.toStdString(), Wish::Asked, [this] { Q_EMIT opened(); });
}

void TraceOpener::replace(const QString& runId, const QString& file) {
    const int slot = session_.selection.slot(), step = session_.playhead.denoiseStep();
    const int last = session_.playhead.denoiseSteps() - 1;
    read(folderOf(runId), file.toStdString(), Wish::Asked, [=, this] {
        const int now = session_.playhead.denoiseSteps() - 1;
        session_.selection.setSlot(slot);
        session_.playhead.setDenoiseStep(last > 0 ? (step * now + last / 2) / last : now);
    });
}

void TraceOpener::openBeside(const QString& runId, const QString& file) {
    readingBeside_.run(
        [folder = folderOf(runId), name = file.toStdString()] { return trace::readRecording(folder, name); },
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
    if (name.empty())
        return Q_EMIT said(tr("This run has recorded no denoising yet; run a prompt, or sample now (F7)."));
    read(folderOf(run), name, Wish::Asked, [this] { Q_EMIT opened(); });
}

void TraceOpener::fill() {
    if (session_.selection.trace() || busy_) return;
    const QString run = session_.selection.primaryRun();
    if (const std::string name = newest(); !name.empty()) read(folderOf(run), name, Wish::Unasked, [] {});
}

void TraceOpener::restore(const std::filesystem::path& file, int slot, int step) {
    const QString run = runOfFile(file), selected = session_.selection.primaryRun();
    if (!run.isEmpty() && !selected.isEmpty() && run != selected) return;
    const auto traces = file.parent_path();
    const std::string name = (traces.filename() / file.filename()).string();
    read(traces.parent_path(), name, Wish::Unasked, [=, this] {
        session_.selection.setSlot(slot);
        session_.playhead.setDenoiseStep(step);
    });
}

void TraceOpener::read(const std::filesystem::path& run, const std::string& name, Wish wish,
                       const std::function<void()>& then) {
    busy_ = true;
    reading_.run([run, name] { return trace::readRecording(run, name); },
                 [this, wish, then](Result<trace::Trace> result) {
                     busy_ = false;
                     if (!result) {
                         backToShown();
                         return Q_EMIT said(QString::fromStdString(result.error().text()));
                     }
                     asked_ = wish == Wish::Asked;
                     const int step = views::openingStep(*result);
                     put(std::make_shared<const trace::Trace>(std::move(*result)), step);
                     then();
                 });
}

/// The training playhead went where the wish was; what is shown is of another step, or of another run.
void TraceOpener::backToShown() {
    const auto shown = session_.selection.trace();
    const bool ofRun = shown != nullptr && isOf(*shown, session_.selection.primaryRun());
    if (!ofRun) session_.selection.setTrace(nullptr);
    const qint64 step = ofRun ? views::trainedSteps(*shown) : -1;
    if (step >= 0) session_.playhead.setTrainStep(step);
}

void TraceOpener::show(std::shared_ptr<const trace::Trace> trace) {
    if (const QString run = runOf(*trace); !isOf(*trace, session_.selection.primaryRun())) {
        const store::RunSummary* known = session_.catalog.run(run);
        return Q_EMIT said(tr("The prompt is answered and recorded; select %1 to see it.")
                               .arg(known ? QString::fromStdString(known->name) : run));
    }
    asked_ = true;
    const int step = views::openingStep(*trace);
    put(std::move(trace), step);
}

void TraceOpener::grow(std::shared_ptr<const trace::Trace> trace) {
    if (!isOf(*trace, session_.selection.primaryRun())) return;
    asked_ = true;
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
