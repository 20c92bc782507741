#include "views/states/run_summaries.h"

#include <algorithm>
#include <utility>

#include "views/common/shell/selection.h"

namespace kurve::views {

namespace {

constexpr int kMaxTries = 16;  // traces of one run that are listed with the prompt, and of the others

/// The newest trace of the prompt, else the newest of all.
std::shared_ptr<const trace::Trace> traceOf(const std::vector<std::filesystem::path>& files,
                                            const std::string& prompt, const CancelToken& cancel) {
    std::shared_ptr<const trace::Trace> other;
    for (std::size_t i = 0; i < files.size() && !cancel.requested(); ++i) {
        auto read = trace::readTrace(files[i]);
        if (!read || read->steps < 1 || read->positions < 1) continue;
        auto shared = std::make_shared<const trace::Trace>(std::move(*read));
        if (shared->metaText("prompt") == prompt) return shared;
        if (other == nullptr) other = std::move(shared);
    }
    return other;
}

}  // namespace

int TraceSummary::matchingLayer(const QString& block) const {
    const auto same = blocks.indexOf(block);
    if (same >= 0) return static_cast<int>(same);
    for (int layer = static_cast<int>(numbers.layers.size()) - 1; layer >= 0; --layer)
        if (!numbers.layers[static_cast<std::size_t>(layer)].meanOffDiagonal.empty()) return layer;
    return -1;
}

TraceSummary traceSummary(const inspect::StateSource& source, const QString& run, Overview numbers) {
    TraceSummary summary;
    summary.run = run;
    summary.name = QString::fromStdString(source.title());
    for (const inspect::StateLayer& layer : source.layers()) {
        summary.blocks << QString::fromStdString(layer.block);
        summary.titles << QString::fromStdString(layer.title);
    }
    const trace::Trace& trace = source.trace();
    summary.prompt = QString::fromStdString(trace.metaText("prompt"));
    summary.numbers = std::move(numbers);
    summary.levels.steps = trace.steps;
    summary.levels.t = trace.t;
    summary.levels.logSnr = trace.logSnr;
    return summary;
}

std::vector<TraceSummary> traceSummaries(const TraceSummaryRequest& request, const CancelToken& cancel) {
    std::vector<TraceSummary> out;
    std::string prompt = request.prompt;
    for (const TraceSummaryRequest::Run& run : request.runs) {
        const auto trace = traceOf(run.files, prompt, cancel);
        if (trace == nullptr || cancel.requested()) continue;
        if (prompt.empty()) prompt = trace->metaText("prompt");
        const inspect::StateSource source(trace, run.name.toStdString());
        if (source.layers().empty()) continue;
        out.push_back(traceSummary(source, run.run, overviewOf(source, request.overview, cancel)));
        out.back().otherPrompt = trace->metaText("prompt") != prompt;
    }
    return out;
}

RunSummaries::RunSummaries(const StudioContext& context, Follow follow, QObject* parent)
    : QObject(parent), context_(context), follow_(follow) {
    if (follow == Follow::OtherRuns)
        connect(context.selection, &Selection::runsChanged, this, &RunSummaries::watch);
    connect(context.selection, &Selection::traceChanged, this, &RunSummaries::watch);
    if (context.catalog != nullptr)
        connect(context.catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
            if (watched_.contains(id)) refresh();
        });
}

void RunSummaries::setOn(bool on) {
    if (std::exchange(on_, on) == on) return;
    watch();
}

void RunSummaries::setRuns(const QStringList& runs) {
    if (std::exchange(given_, runs) != runs) watch();
}

void RunSummaries::setRequest(const OverviewRequest& overview) {
    overview_ = overview;
    overview_.pictures = false;
    request_ = {};  // the same files, other statistics
    refresh();
}

void RunSummaries::watch() {
    if (context_.catalog == nullptr) return;
    const auto shown = context_.selection->trace();
    QStringList wanted;
    if (on_ && follow_ == Follow::Given) wanted = given_;
    if (on_ && follow_ == Follow::OtherRuns && shown != nullptr) {
        wanted = context_.selection->runs();
        wanted.removeAll(QString::fromStdString(shown->metaText("run")));
    }
    watched_.set(wanted.mid(0, kMaxRuns));
    refresh();
}

void RunSummaries::refresh() {
    if (context_.catalog == nullptr || context_.project == nullptr) return;
    TraceSummaryRequest request;
    request.overview = overview_;
    const auto shown = context_.selection->trace();
    if (shown != nullptr) request.prompt = shown->metaText("prompt");
    for (const QString& run : watched_.ids()) {
        const auto data = context_.catalog->data(run);
        if (data == nullptr || data->traces.empty()) continue;
        std::vector<store::TraceRow> rows = data->traces;
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return std::pair(a.step, a.recorded) > std::pair(b.step, b.recorded);
        });
        TraceSummaryRequest::Run& files = request.runs.emplace_back(
            TraceSummaryRequest::Run{run, QString::fromStdString(data->summary.name), {}});
        const auto folder = context_.project->runFolder(run.toStdString());
        int same = 0, others = 0;
        for (const auto& row : rows)
            if ((row.text == request.prompt ? same : others)++ < kMaxTries)
                if (const auto file = row.path.in(folder)) files.files.push_back(*file);
    }
    if (request.runs == request_.runs && request.prompt == request_.prompt)
        return;  // the run has new points only
    request_ = request;
    reading_ = true;
    work_.run([request](const CancelToken& cancel) { return traceSummaries(request, cancel); },
              [this](std::vector<TraceSummary> all) {
                  all_ = std::move(all);
                  reading_ = false;
                  Q_EMIT changed();
              });
}

}  // namespace kurve::views
