#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/base/result.h"
#include "views/common/run_catalog.h"

namespace kurve::views::detail {

/// The reading half of RunCatalog. Lives in the worker thread; only its signals leave it.
class CatalogWorker : public QObject {
    Q_OBJECT
public:
    using Edit = std::function<Status(store::ProjectIndex&)>;

    CatalogWorker(store::Project project, double partSeconds)
        : project_(std::move(project)), partSeconds_(partSeconds) {}
    void start();
    void watch(const QString& id);
    void unwatch(const QString& id);
    /// editFailed() with its `number` where it could not be written.
    void edit(const Edit& change, quint64 number);
    /// In parts: after each, the rest waits behind what else is asked of this thread.
    void refreshIndex();
    void stopReading();
    void goOnReading();
    /// Looks for what is new in the watched runs.
    void poll();
    /// At least so long between two deliveries of a run that grows.
    void setRest(double seconds) { rest_ = seconds; }

Q_SIGNALS:
    void runsRead(const kurve::store::RunList& runs);
    void dataRead(const QString& id, const std::shared_ptr<const kurve::views::RunData>& data);
    void problem(const QString& text);
    void editFailed(quint64 number, const QString& text);
    void notesStand(quint64 number, const QString& text);
    void noticed(const QString& text);
    void readingChanged(const kurve::views::RunReading& reading);
    void foldersRead();  ///< once: what was sent holds every run there is

private:
    /// What has been read of one watched run; the published snapshots are copies of it.
    struct Watched {
        std::unique_ptr<store::RunReader> reader;
        std::int64_t version = -1;
        double nextTry = 0, changed = 0;
        std::map<std::string, store::SeriesCursor> cursors;
        bool shadowsKnown = false;
        std::filesystem::file_time_type tracesWritten{};   ///< the folder, when its files were last looked at
        std::filesystem::file_time_type samplerWritten{};  ///< sampler.json; min: there is none
        std::set<store::RunFile> gone;                     ///< recordings whose files were missing then
        RunData data;
    };
    bool openIndex();
    void readRuns();
    bool pollRun(const std::string& id, Watched& run);
    static void readNew(Watched& run);
    /// The recordings but those that were deleted or moved to the trash; whether others are there than
    /// before.
    static bool readTraces(const std::filesystem::path& folder, Watched& run, bool grown);
    static void readSamples(Watched& run);
    static void readShadowed(Watched& run);
    /// Whether it is another than before.
    static bool readDefaultSampler(const std::filesystem::path& folder, Watched& run);
    void report(const Error& error);
    void tellReading();
    /// Null where runs_ has no such run.
    [[nodiscard]] const store::RunSummary* listed(const std::string& id) const;
    /// Reads often while something that is watched may write, and hardly ever while nothing does.
    void pace();

    store::Project project_;
    const double partSeconds_;
    std::unique_ptr<store::ProjectIndex> index_;
    store::RunList runs_ = std::make_shared<const std::vector<store::RunSummary>>();  ///< as last sent
    std::map<std::string, Watched> watched_;
    double rest_ = 0, restUntil_ = 0;
    QTimer* pollTimer_ = nullptr;
    QTimer* indexTimer_ = nullptr;
    QTimer* moreTimer_ = nullptr;  ///< runs while a reading is not at its end
    QString lastProblem_;
    bool complete_ = false;
    RunReading reading_, toldReading_;
    std::size_t unsent_ = 0;  ///< runs that changed since the last list was sent
};

}  // namespace kurve::views::detail
