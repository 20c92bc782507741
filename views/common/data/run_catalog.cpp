#include "views/common/data/run_catalog.h"

#include <time.h>

#include <QThread>
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/clock.h"
#include "views/common/data/catalog_worker.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

std::shared_ptr<const store::Series> RunData::find(const std::string& metric) const {
    const auto found = series.find(metric);
    return found == series.end() ? nullptr : found->second;
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

struct RunCatalog::Impl {
    QThread thread;
    detail::CatalogWorker* worker = nullptr;
    store::RunList runs = std::make_shared<const std::vector<store::RunSummary>>();
    std::unordered_map<std::string_view, const store::RunSummary*> byId;  ///< into `runs`, built on demand
    bool loaded = false, complete = false;
    RunReading reading;
    /// At the last delivery: the time, the processor seconds of this thread, and those it may still use.
    double paced = steadySeconds(), spent = threadSeconds(), credit = kMostCredit;
    QString problem;
    quint64 lastEdit = 0;
    std::map<QString, int> watchers;
    std::map<QString, std::shared_ptr<const RunData>> data;

    template <class F>
    void post(F&& call) {
        QMetaObject::invokeMethod(worker, std::forward<F>(call), Qt::QueuedConnection);
    }
    /// The work of this thread since the last delivery determines the time of the next one.
    void pace() {
        const double now = steadySeconds(), spentNow = threadSeconds();
        credit = std::min(credit + kCpuFraction * (now - std::exchange(paced, now)), kMostCredit);
        credit -= spentNow - std::exchange(spent, spentNow);
        credit = std::max(credit, -kCpuFraction * kMostRest);
        post([w = worker, rest = std::max(-credit, 0.0) / kCpuFraction] { w->setRest(rest); });
    }
    void edit(detail::CatalogWorker::Edit change) {
        post([w = worker, change = std::move(change), number = ++lastEdit] { w->edit(change, number); });
    }
};

RunCatalog::RunCatalog(const store::Project& project, QObject* parent, double partSeconds)
    : QObject(parent), impl_(std::make_unique<Impl>()) {
    using detail::CatalogWorker;
    impl_->worker = new CatalogWorker(project, partSeconds);
    impl_->worker->moveToThread(&impl_->thread);
    connect(&impl_->thread, &QThread::finished, impl_->worker, &QObject::deleteLater);
    connect(impl_->worker, &CatalogWorker::runsRead, this, [this](const store::RunList& runs) {
        store::RunList before = std::exchange(impl_->runs, runs);
        impl_->byId.clear();
        impl_->loaded = true;
        QHash<QString, int> styles;
        for (const auto& run : *runs)
            if (run.style >= 0) styles.insert(QString::fromStdString(run.id), run.style);
        setRunStyles(styles);
        Q_EMIT runsChanged();
        // Thousands of runs are destroyed on the worker, now that no view holds them.
        impl_->post([before = std::move(before)] {});
    });
    connect(impl_->worker, &CatalogWorker::dataRead, this,
            [this](const QString& id, const std::shared_ptr<const RunData>& data) {
                if (!impl_->watchers.count(id)) return;
                impl_->data[id] = data;
                impl_->pace();
                Q_EMIT dataChanged(id);
            });
    connect(impl_->worker, &CatalogWorker::problem, this, [this](const QString& text) {
        impl_->problem = text;
        Q_EMIT problemChanged(text);
    });
    connect(impl_->worker, &CatalogWorker::readingChanged, this, [this](const RunReading& reading) {
        impl_->reading = reading;
        Q_EMIT readingChanged();
    });
    connect(impl_->worker, &CatalogWorker::foldersRead, this, [this] {
        impl_->complete = true;
        Q_EMIT completed();
    });
    connect(impl_->worker, &CatalogWorker::editFailed, this, &RunCatalog::editFailed);
    connect(impl_->worker, &CatalogWorker::notesStored, this, &RunCatalog::notesStored);
    connect(impl_->worker, &CatalogWorker::noticed, this, &RunCatalog::noticed);
    impl_->thread.setObjectName(QStringLiteral("catalog"));
    impl_->thread.start();
    impl_->post([w = impl_->worker] { w->start(); });
}

RunCatalog::~RunCatalog() {
    impl_->post([thread = &impl_->thread] { thread->quit(); });  // after the pending edits
    impl_->thread.wait();
}

const std::vector<store::RunSummary>& RunCatalog::runs() const {
    return *impl_->runs;
}
const store::RunList& RunCatalog::list() const {
    return impl_->runs;
}
bool RunCatalog::loaded() const {
    return impl_->loaded;
}
bool RunCatalog::complete() const {
    return impl_->complete;
}
const RunReading& RunCatalog::reading() const {
    return impl_->reading;
}
void RunCatalog::stopReading() {
    impl_->post([w = impl_->worker] { w->stopReading(); });
}
void RunCatalog::continueReading() {
    impl_->post([w = impl_->worker] { w->continueReading(); });
}
QString RunCatalog::problem() const {
    return impl_->problem;
}

const store::RunSummary* RunCatalog::run(const QString& id) const {
    auto& byId = impl_->byId;
    if (byId.empty()) {
        byId.reserve(impl_->runs->size());
        for (const auto& run : *impl_->runs) byId.emplace(run.id, &run);
    }
    const auto found = byId.find(id.toStdString());
    return found == byId.end() ? nullptr : found->second;
}

void RunCatalog::watch(const QString& id) {
    if (id.isEmpty() || impl_->watchers[id]++ > 0) return;
    impl_->post([w = impl_->worker, id] { w->watch(id); });
}

void RunCatalog::unwatch(const QString& id) {
    const auto found = impl_->watchers.find(id);
    if (found == impl_->watchers.end() || --found->second > 0) return;
    impl_->watchers.erase(found);
    impl_->data.erase(id);
    impl_->post([w = impl_->worker, id] { w->unwatch(id); });
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
    const auto found = impl_->data.find(id);
    return found == impl_->data.end() ? nullptr : found->second;
}

void RunCatalog::rename(const QString& id, const QString& name) {
    impl_->edit(
        [id = id.toStdString(), name = name.toStdString()](auto& index) { return index.setName(id, name); });
}
void RunCatalog::changeTags(const QString& id, const QStringList& added, const QStringList& removed) {
    impl_->edit([id = id.toStdString(), added = textsOf(added), removed = textsOf(removed)](auto& index) {
        return index.changeTags(id, added, removed);
    });
}
void RunCatalog::setNotes(const QString& id, const QString& notes, const QString& read) {
    impl_->edit([w = impl_->worker, number = impl_->lastEdit + 1, id = id.toStdString(),
                 notes = notes.toStdString(), read = read.toStdString()](auto& index) -> Status {
        KURVE_TRY(const std::string stands, index.setNotes(id, notes, read));
        Q_EMIT w->notesStored(number, QString::fromStdString(stands));
        return {};
    });
}
void RunCatalog::setStarred(const QString& id, bool on) {
    impl_->edit([id = id.toStdString(), on](auto& index) { return index.setStarred(id, on); });
}
void RunCatalog::setTrashed(const QString& id, bool on) {
    impl_->edit([id = id.toStdString(), on](auto& index) { return index.setTrashed(id, on); });
}
void RunCatalog::assignFirstStyles(const QStringList& ids) {
    impl_->edit([ids = textsOf(ids)](auto& index) { return index.assignFirstStyles(ids); });
}
quint64 RunCatalog::lastEdit() const {
    return impl_->lastEdit;
}
void RunCatalog::refreshSoon() {
    impl_->post([w = impl_->worker] {
        w->refreshIndex();
        w->poll();
    });
}

}  // namespace kurve::views
