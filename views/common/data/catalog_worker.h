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
#include "views/common/data/run_catalog.h"

namespace kurve::views::detail {

/// The reading half of RunCatalog, on a thread of its own instead of a Background: its database connections,
/// timers and folder watch live as long as the project is open, and new points wait for no other job.
class CatalogWorker : public QObject {
    Q_OBJECT
public:
    using Edit = std::function<Status(store::ProjectIndex&)>;

    CatalogWorker(store::Project project, double partSeconds)
        : project_(std::move(project)), partSeconds_(partSeconds) {}
    void start();
    void watch(const QString& id);
    void unwatch(const QString& id);
    /// Emits editFailed() with its `number` if it could not be written.
    void edit(const Edit& change, quint64 number);
    /// In parts: other requests to this thread are handled in between.
    void refreshIndex();
    void stopReading();
    void continueReading();
    /// Reads new data of the watched runs.
    void poll();
    /// The minimum time between two deliveries of a growing run.
    void setRest(double seconds) { rest_ = seconds; }

Q_SIGNALS:
    void runsRead(const kurve::store::RunList& runs);
    void dataRead(const QString& id, const std::shared_ptr<const kurve::views::RunData>& data);
    void problem(const QString& text);
    void editFailed(quint64 number, const QString& text);
    void notesStored(quint64 number, const QString& text);
    void noticed(const QString& text);
    void readingChanged(const kurve::views::RunReading& reading);
    void foldersRead();  ///< once: the last list is complete

private:
    /// The data read of a watched run; the published snapshots are copies of it.
    struct Watched {
        std::unique_ptr<store::RunReader> reader;
        std::int64_t version = -1;
        double nextTry = 0, changed = 0;
        std::map<std::string, store::SeriesCursor> cursors;
        bool shadowsKnown = false;
        bool rested = true;                               ///< the reader holds no memory for the next read
        std::filesystem::file_time_type tracesWritten{};  ///< of the folder, when its files were last checked
        std::filesystem::file_time_type samplerWritten{};  ///< sampler.json; min: there is none
        std::set<store::RunFile> missing;                  ///< traces whose files were missing then
        RunData data;
    };
    bool openIndex();
    void readRuns();
    /// True if there is anything new.
    bool pollRun(const std::string& id, Watched& run);
    static void readNew(Watched& run);
    /// Reads the traces that were not deleted or moved to the trash; true if they changed.
    static bool readTraces(const std::filesystem::path& folder, Watched& run, bool grown);
    static void readSamples(Watched& run);
    static void readShadowed(Watched& run);
    /// True if it changed.
    static bool readDefaultSampler(const std::filesystem::path& folder, Watched& run);
    void report(const Error& error);
    void reportReading();
    /// Null where runs_ has no such run.
    [[nodiscard]] const store::RunSummary* listed(const std::string& id) const;
    /// Sets the polling intervals: short while a watched run may write, long otherwise.
    void pace();

    store::Project project_;
    const double partSeconds_;
    std::unique_ptr<store::ProjectIndex> index_;
    store::RunList runs_ = std::make_shared<const std::vector<store::RunSummary>>();  ///< as last sent
    std::map<std::string, Watched> watched_;
    double rest_ = 0, restUntil_ = 0;
    QTimer* pollTimer_ = nullptr;
    QTimer* indexTimer_ = nullptr;
    QTimer* moreTimer_ = nullptr;  ///< active while runs remain to be read
    QString lastProblem_;
    bool complete_ = false;
    RunReading reading_, reportedReading_;
    std::size_t unsent_ = 0;  ///< runs that changed since the last list was sent
};

}  // namespace kurve::views::detail
