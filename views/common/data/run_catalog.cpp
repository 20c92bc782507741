#include "views/common/data/run_catalog.h"

#include <ctime>

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/interop/import_run.h"
#include "views/common/data/catalog_worker.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

std::shared_ptr<const store::Series> RunData::find(const std::string& metric) const {
    const auto found = series.find(metric);
    return found == series.end() ? nullptr : found->second;
}

std::string RunData::value(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
}

QString runName(const store::RunSummary& run) {
    return QString::fromStdString(run.name.empty() ? run.id : run.name);
}

bool isImported(const RunData& data) {
    return data.summary.family == interop::kImportedFamily;
}

namespace {

/// The fraction of a core that this thread may use while runs grow, the seconds of work it may use at once
/// (occasional points are drawn immediately), and the longest wait after that.
constexpr double kCpuFraction = 0.02, kMostCredit = 0.3, kMostRest = 1;

std::vector<std::string> textsOf(const QStringList& list) {
    std::vector<std::string> texts;
    for (const QString& text : list) texts.push_back(text.toStdString());
    return texts;
}

double threadSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

template <class F>
void RunCatalog::post(F&& call) {
    QMetaObject::invokeMethod(worker_, std::forward<F>(call), Qt::QueuedConnection);
}

void RunCatalog::edit(std::function<Status(store::ProjectIndex&)> change) {
    post([w = worker_, change = std::move(change), number = ++lastEdit_] { w->edit(change, number); });
}

void RunCatalog::pace() {
    const double now = steadySeconds(), spentNow = threadSeconds();
    credit_ = std::min(credit_ + kCpuFraction * (now - std::exchange(paced_, now)), kMostCredit);
    credit_ -= spentNow - std::exchange(spent_, spentNow);
    credit_ = std::max(credit_, -kCpuFraction * kMostRest);
    post([w = worker_, rest = std::max(-credit_, 0.0) / kCpuFraction] { w->setRest(rest); });
}

RunCatalog::RunCatalog(const store::Project& project, QObject* parent, double partSeconds)
    : QObject(parent),
      worker_(new detail::CatalogWorker(project, partSeconds)),
      paced_(steadySeconds()),
      spent_(threadSeconds()),
      credit_(kMostCredit) {
    using detail::CatalogWorker;
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    connect(worker_, &CatalogWorker::runsRead, this, [this](const store::RunList& runs) {
        store::RunList before = std::exchange(runs_, runs);
        byId_.clear();
        loaded_ = true;
        QHash<QString, int> styles;
        for (const auto& run : *runs)
            if (run.style >= 0) styles.insert(QString::fromStdString(run.id), run.style);
        setRunStyles(styles);
        Q_EMIT runsChanged();
        // Thousands of runs are destroyed on the worker, now that no view holds them.
        post([before = std::move(before)] {});
    });
    connect(worker_, &CatalogWorker::dataRead, this,
            [this](const QString& id, const std::shared_ptr<const RunData>& data) {
                if (!watchers_.contains(id)) return;
                data_[id] = data;
                pace();
                Q_EMIT dataChanged(id);
            });
    connect(worker_, &CatalogWorker::problem, this, [this](const QString& text) {
        problem_ = text;
        Q_EMIT problemChanged(text);
    });
    connect(worker_, &CatalogWorker::readingChanged, this, [this](const RunReading& reading) {
        reading_ = reading;
        Q_EMIT readingChanged();
    });
    connect(worker_, &CatalogWorker::foldersRead, this, [this] {
        complete_ = true;
        Q_EMIT completed();
    });
    connect(worker_, &CatalogWorker::editFailed, this, &RunCatalog::editFailed);
    connect(worker_, &CatalogWorker::notesStored, this, &RunCatalog::notesStored);
    connect(worker_, &CatalogWorker::noticed, this, &RunCatalog::noticed);
    thread_.setObjectName(QStringLiteral("catalog"));
    thread_.start();
    post([w = worker_] { w->start(); });
}

RunCatalog::~RunCatalog() {
    post([thread = &thread_] { thread->quit(); });  // after the pending edits
    thread_.wait();
}

void RunCatalog::stopReading() {
    post([w = worker_] { w->stopReading(); });
}
void RunCatalog::continueReading() {
    post([w = worker_] { w->continueReading(); });
}

QString RunCatalog::nameOf(const QString& id) const {
    const store::RunSummary* known = run(id);
    return known == nullptr ? id : runName(*known);
}

const store::RunSummary* RunCatalog::run(const QString& id) const {
    if (byId_.empty()) {
        byId_.reserve(runs_->size());
        for (const auto& run : *runs_) byId_.emplace(run.id, &run);
    }
    const auto found = byId_.find(id.toStdString());
    return found == byId_.end() ? nullptr : found->second;
}

void RunCatalog::watch(const QString& id) {
    if (id.isEmpty() || watchers_[id]++ > 0) return;
    post([w = worker_, id] { w->watch(id); });
}

void RunCatalog::unwatch(const QString& id) {
    const auto found = watchers_.find(id);
    if (found == watchers_.end() || --found->second > 0) return;
    watchers_.erase(found);
    data_.erase(id);
    post([w = worker_, id] { w->unwatch(id); });
}

WatchedRuns::WatchedRuns(RunCatalog* maybeCatalog, const QStringList& ids) : catalog_(maybeCatalog) {
    set(ids);
}

WatchedRuns::~WatchedRuns() {
    set({});
}

bool WatchedRuns::set(QStringList ids) {
    ids.removeAll(QString());
    if (ids == ids_) return false;
    // The new ones first: a run of both keeps its data.
    for (const QString& id : ids)
        if (catalog_) catalog_->watch(id);
    for (const QString& id : std::exchange(ids_, ids))
        if (catalog_) catalog_->unwatch(id);
    return true;
}

std::shared_ptr<const RunData> RunCatalog::data(const QString& id) const {
    const auto found = data_.find(id);
    return found == data_.end() ? nullptr : found->second;
}

void RunCatalog::rename(const QString& id, const QString& name) {
    edit([id = id.toStdString(), name = name.toStdString()](auto& index) { return index.setName(id, name); });
}
void RunCatalog::changeTags(const QString& id, const QStringList& added, const QStringList& removed) {
    edit([id = id.toStdString(), added = textsOf(added), removed = textsOf(removed)](auto& index) {
        return index.changeTags(id, added, removed);
    });
}
void RunCatalog::setNotes(const QString& id, const QString& notes, const QString& read) {
    edit([w = worker_, number = lastEdit_ + 1, id = id.toStdString(), notes = notes.toStdString(),
          read = read.toStdString()](auto& index) -> Status {
        KURVE_TRY(const std::string stands, index.setNotes(id, notes, read));
        Q_EMIT w->notesStored(number, QString::fromStdString(stands));
        return {};
    });
}
void RunCatalog::setStarred(const QString& id, bool on) {
    edit([id = id.toStdString(), on](auto& index) { return index.setStarred(id, on); });
}
void RunCatalog::setTrashed(const QString& id, bool on) {
    edit([id = id.toStdString(), on](auto& index) { return index.setTrashed(id, on); });
}
void RunCatalog::assignFirstStyles(const QStringList& ids) {
    edit([ids = textsOf(ids)](auto& index) { return index.assignFirstStyles(ids); });
}
void RunCatalog::refreshSoon() {
    post([w = worker_] {
        w->refreshIndex();
        w->poll();
    });
}

}  // namespace kurve::views
