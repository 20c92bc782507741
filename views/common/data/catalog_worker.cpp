#include "views/common/data/catalog_worker.h"

#include <QFileSystemWatcher>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/clock.h"
#include "core/store/default_sampler.h"
#include "views/common/data/series_growth.h"

namespace kurve::views::detail {

namespace {
constexpr int kPollMilliseconds = 40, kIdlePollMilliseconds = 1000;
constexpr int kIndexMilliseconds = 1000, kIdleIndexMilliseconds = 5000;
constexpr double kRetrySeconds = 0.25;
constexpr double kRestSeconds = 3;         // after the last change of a run that is not known to be live
constexpr double kFirstPartSeconds = 0.1;  // first part of a long scan: lists some runs immediately
constexpr std::size_t kMostUnsent = 1000;

bool isLive(const store::RunSummary& run) {
    return run.state.empty() || run.state == "running" || run.state == "paused" || run.state == "stopping";
}

void setPace(QTimer* timer, int milliseconds) {
    if (timer && timer->interval() != milliseconds) timer->start(milliseconds);
}
}  // namespace

void CatalogWorker::start() {
    pollTimer_ = new QTimer(this);
    pollTimer_->setTimerType(Qt::PreciseTimer);
    indexTimer_ = new QTimer(this);
    moreTimer_ = new QTimer(this);
    moreTimer_->setSingleShot(true);
    connect(pollTimer_, &QTimer::timeout, this, &CatalogWorker::poll);
    connect(indexTimer_, &QTimer::timeout, this, &CatalogWorker::refreshIndex);
    connect(moreTimer_, &QTimer::timeout, this, &CatalogWorker::refreshIndex);
    if (openIndex()) readRuns();
    refreshIndex();
    // A new run creates a folder: it is detected immediately.
    auto* folders = new QFileSystemWatcher(this);
    folders->addPath(QString::fromStdString(project_.runsFolder().string()));
    connect(folders, &QFileSystemWatcher::directoryChanged, this, &CatalogWorker::refreshIndex);
    pace();
}

void CatalogWorker::pace() {
    const double now = steadySeconds();
    const bool writing = std::any_of(watched_.begin(), watched_.end(), [now](const auto& entry) {
        const Watched& run = entry.second;
        return !run.reader || isLive(run.data.summary) || now < run.changed + kRestSeconds;
    });
    const bool live = std::any_of(runs_->begin(), runs_->end(), [](const auto& run) { return isLive(run); });
    // Not before the next delivery is due.
    const int rest = static_cast<int>(std::ceil(1e3 * (restUntil_ - now)));
    setPace(pollTimer_, writing ? std::max(kPollMilliseconds, rest) : kIdlePollMilliseconds);
    setPace(indexTimer_, live || writing ? kIndexMilliseconds : kIdleIndexMilliseconds);
}

bool CatalogWorker::openIndex() {
    auto opened = store::ProjectIndex::openRepaired(project_);
    if (!opened) {
        report(opened.error());
        return false;
    }
    index_ = std::move(*opened);
    if (!index_->notice().empty()) Q_EMIT noticed(QString::fromStdString(index_->notice()));
    return true;
}

void CatalogWorker::report(const Error& error) {
    const QString text = QString::fromStdString(error.text());
    if (std::exchange(lastProblem_, text) == text) return;
    Q_EMIT problem(text);
}

void CatalogWorker::refreshIndex() {
    if (!index_ && !openIndex()) return;
    const auto part =
        index_->refreshFor(reading_.read == 0 ? std::min(kFirstPartSeconds, partSeconds_) : partSeconds_);
    if (!part) return report(part.error());
    reading_.read += part->changed.size();
    reading_.waiting = part->waiting;
    unsent_ += part->changed.size();
    // The views process the whole list each time: it is sent when twice as many runs have been read, and
    // before there are so many new ones that the window would freeze.
    const bool due = part->waiting == 0 || 2 * unsent_ >= reading_.read || unsent_ >= kMostUnsent;
    if ((due && unsent_ > 0) || runs_->empty()) readRuns();
    reportReading();
    if (part->waiting > 0) return moreTimer_->start();
    reading_ = {.left = reading_.left};
    reportReading();
    if (!std::exchange(complete_, true)) Q_EMIT foldersRead();
    if (!lastProblem_.isEmpty()) {
        lastProblem_.clear();
        Q_EMIT problem({});
    }
}

void CatalogWorker::reportReading() {
    // A scan that finished at once is not reported.
    const RunReading now = reading_.waiting > 0 || reading_.left > 0 ? reading_ : RunReading();
    if (std::exchange(reportedReading_, now) != now) Q_EMIT readingChanged(now);
}

void CatalogWorker::stopReading() {
    if (!index_ || reading_.waiting == 0) return;
    reading_.left = index_->leaveWaiting();
    refreshIndex();
}

void CatalogWorker::continueReading() {
    if (!index_ || reading_.left == 0) return;
    index_->takeAll();
    reading_ = {};
    refreshIndex();
}

void CatalogWorker::readRuns() {
    auto read = index_->runs();
    if (!read) return report(read.error());
    unsent_ = 0;
    std::stable_sort(read->begin(), read->end(),
                     [](const auto& a, const auto& b) { return a.started < b.started; });
    runs_ = std::make_shared<const std::vector<store::RunSummary>>(std::move(*read));
    for (auto& [id, run] : watched_) {
        const store::RunSummary* found = listed(id);
        if (found == nullptr) continue;
        // An ended run writes no more: nothing else would deliver its last state.
        const bool other = run.reader != nullptr && run.data.summary.state != found->state;
        run.data.summary = *found;
        if (other) Q_EMIT dataRead(QString::fromStdString(id), std::make_shared<const RunData>(run.data));
    }
    pace();
    Q_EMIT runsRead(runs_);
}

const store::RunSummary* CatalogWorker::listed(const std::string& id) const {
    const auto found =
        std::find_if(runs_->begin(), runs_->end(), [&](const auto& run) { return run.id == id; });
    return found == runs_->end() ? nullptr : &*found;
}

void CatalogWorker::edit(const Edit& change, quint64 number) {
    if (!index_ && !openIndex()) return Q_EMIT editFailed(number, lastProblem_);
    if (const auto status = change(*index_); !status)
        Q_EMIT editFailed(number, QString::fromStdString(status.error().text()));
    readRuns();
}

void CatalogWorker::watch(const QString& id) {
    Watched& run = watched_[id.toStdString()];
    run.data.summary.id = id.toStdString();
    if (const auto* found = listed(id.toStdString())) run.data.summary = *found;
    if (pollRun(id.toStdString(), run)) Q_EMIT dataRead(id, std::make_shared<const RunData>(run.data));
    pace();
}

void CatalogWorker::unwatch(const QString& id) {
    watched_.erase(id.toStdString());
}

void CatalogWorker::poll() {
    const double now = steadySeconds();
    if (now < restUntil_) return pace();
    for (auto& [id, run] : watched_) {
        if (!pollRun(id, run)) continue;
        restUntil_ = now + rest_;
        Q_EMIT dataRead(QString::fromStdString(id), std::make_shared<const RunData>(run.data));
    }
    pace();
}

bool CatalogWorker::pollRun(const std::string& id, Watched& run) {
    if (!run.reader) {
        // A run that was just started has no run.db yet: try again soon, and say why only once.
        if (steadySeconds() < run.nextTry) return false;
        run.nextTry = steadySeconds() + kRetrySeconds;
        auto opened = store::RunReader::open(project_.runFolder(id));
        if (!opened) {
            const QString text = QString::fromStdString(opened.error().text());
            return std::exchange(run.data.error, text) != text;
        }
        run.reader = std::move(*opened);
    }
    const std::int64_t version = run.reader->dataVersion();
    const bool grown = version != run.version;
    if (grown) {
        run.version = version;
        run.changed = steadySeconds();
        run.rested = false;
        run.reader->together([&] { readNew(run); });
        const auto status = run.reader->lastError();
        run.data.error = status ? QString() : QString::fromStdString(status.error().text());
    } else if (!run.rested && steadySeconds() > run.changed + kRestSeconds) {
        run.reader->release();
        run.rested = true;
    }
    const bool samplerChanged = readDefaultSampler(project_.runFolder(id), run);
    return readTraces(project_.runFolder(id), run, grown) || samplerChanged || grown;
}

bool CatalogWorker::readDefaultSampler(const std::filesystem::path& folder, Watched& run) {
    std::error_code none;
    auto written = std::filesystem::last_write_time(store::defaultSamplerFile(folder), none);
    if (none) written = {};
    if (std::exchange(run.samplerWritten, written) == written) return false;
    const auto settings = store::defaultSampler(folder);
    run.data.defaultSampler = settings ? *settings : store::SamplerSettings();
    run.data.defaultSamplerProblem = settings ? QString() : QString::fromStdString(settings.error().text());
    return true;
}

bool CatalogWorker::readTraces(const std::filesystem::path& folder, Watched& run, bool grown) {
    std::error_code failed;
    const auto written = std::filesystem::last_write_time(folder / "traces", failed);
    const bool moved = !failed && written != run.tracesWritten;
    if (!moved && !grown) return false;  // no files were added or removed
    auto rows = run.reader->traces();
    if (moved) {
        run.tracesWritten = written;
        run.missing.clear();
        for (const auto& row : rows)
            if (!row.path.isIn(folder)) run.missing.insert(row.path);
    }
    std::erase_if(rows, [&run](const store::TraceRow& row) { return run.missing.contains(row.path); });
    const bool changed = !std::equal(rows.begin(), rows.end(), run.data.traces.begin(), run.data.traces.end(),
                                     [](const auto& a, const auto& b) { return a.path == b.path; });
    run.data.traces = std::move(rows);
    return changed;
}

void CatalogWorker::readNew(Watched& run) {
    const store::RunReader& reader = *run.reader;
    RunData& data = run.data;
    data.values = reader.values();
    auto segments = reader.segments();
    if (segments.size() != data.segments.size() && !data.segments.empty()) {
        // A new attempt shadows points that were read before: start over.
        run.cursors.clear();
        data.series.clear();
        data.histograms.clear();
        data.lossByLogSnr.clear();
        data.samples.clear();
    }
    run.shadowsKnown = run.shadowsKnown && segments.size() == data.segments.size();
    data.segments = std::move(segments);
    const auto append = [](auto& list, const auto& more) { list.append(more.begin(), more.end()); };
    SeriesGrowth growth;
    for (const std::string& metric : reader.metrics()) {
        store::Series fresh;
        reader.points(metric, run.cursors[metric], fresh);
        auto& shared = data.series[metric];
        if (shared && fresh.size() == 0) continue;
        shared = growth.extended(shared, std::move(fresh));
    }
    readShadowed(run);
    append(data.events, reader.events(data.events.empty() ? 0 : data.events.back().id));
    append(data.log, reader.log(data.log.empty() ? 0 : data.log.back().id));
    readSamples(run);
    data.checkpoints = reader.checkpoints();
    append(data.lossByLogSnr,
           reader.histograms("loss", data.lossByLogSnr.empty() ? -1 : data.lossByLogSnr.back().step));
    for (const std::string& name : reader.histogramNames()) {
        if (name == "loss") continue;
        auto& rows = data.histograms[name];
        append(rows, reader.histograms(name, rows.empty() ? -1 : rows.back().step));
    }
}

// Those of the newest step may be incomplete, and prompts may be sampled there again.
void CatalogWorker::readSamples(Watched& run) {
    auto& known = run.data.samples;
    const auto fresh = run.reader->samples(known.empty() ? 0 : known.back().step);
    auto same = known.end();
    while (same != known.begin() && (same - 1)->step == known.back().step) --same;
    const auto [end, from] =
        std::mismatch(same, known.end(), fresh.begin(), fresh.end(), [](const auto& a, const auto& b) {
            return a.prompt == b.prompt && a.input == b.input && a.output == b.output &&
                   a.traceFile == b.traceFile;
        });
    while (known.end() != end) known.pop_back();
    known.append(from, fresh.end());
}

// The ends of abandoned attempts, which do not grow.
void CatalogWorker::readShadowed(Watched& run) {
    if (std::exchange(run.shadowsKnown, true)) return;
    RunData& data = run.data;
    data.shadowed.clear();
    for (std::size_t i = 0; i + 1 < data.segments.size(); ++i) {
        std::int64_t from = data.segments[i + 1].startStep;
        for (std::size_t k = i + 2; k < data.segments.size(); ++k)
            from = std::min(from, data.segments[k].startStep);
        for (const std::string& metric : run.reader->metrics()) {
            const store::Series whole = run.reader->attempt(metric, data.segments[i].id);
            store::Series end;
            for (std::size_t p = 0; p < whole.size(); ++p) {
                if (whole.step[p] < from) continue;
                end.step.push_back(whole.step[p]);
                end.wall.push_back(whole.wall[p]);
                end.value.push_back(whole.value[p]);
            }
            if (end.size() > 0) data.shadowed[metric].push_back(std::move(end));
        }
    }
}

}  // namespace kurve::views::detail
