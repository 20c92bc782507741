#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QThread>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/store/project.h"
#include "core/store/run_reader.h"

namespace kurve::views {

namespace detail {
class CatalogWorker;
}

/// A run's data as far as it has been read; immutable snapshot shared with the GUI thread. What only grows
/// shares its storage with the snapshots before and after.
struct RunData {
    store::RunSummary summary;
    std::map<std::string, std::string> values;  ///< run(key, value): config, environment
    std::map<std::string, std::shared_ptr<const store::Series>> series;
    GrowingList<store::EventRow> events;
    GrowingList<store::EventRow> log;
    GrowingList<store::SampleRow> samples;
    std::vector<store::CheckpointRow> checkpoints;
    std::vector<store::TraceRow> traces;
    GrowingList<store::HistogramRow> lossByLogSnr;
    std::vector<store::SegmentRow> segments;
    QString error;  ///< why the run could not be read; everything else is empty then
    /// Of weights and gradients: "weights/GROUP" to its rows in step order.
    std::map<std::string, GrowingList<store::HistogramRow>> histograms;
    /// Shadowed by later attempts: for each metric the end of every abandoned attempt.
    std::map<std::string, std::vector<store::Series>> shadowed;
    /// Its default sampler, over its own settings (store::defaultSampler), and why that could not be read.
    std::map<std::string, std::string> defaultSampler;
    QString defaultSamplerProblem;

    /// Null where the run has no such metric.
    [[nodiscard]] std::shared_ptr<const store::Series> find(const std::string& metric) const;
    [[nodiscard]] std::string value(const std::string& key) const;  ///< of `values`; empty: it has none
};

/// What a run is called: its name, without one its id.
[[nodiscard]] QString runName(const store::RunSummary& run);

/// The run came from another program (interop::importRuns): it holds curves by that program's names, and
/// neither settings nor a model.
[[nodiscard]] bool isImported(const RunData& data);

/// Progress of reading a project's runs; indexed runs are not read again.
struct RunReading {
    std::size_t read = 0, waiting = 0;
    std::size_t left = 0;  ///< skipped by stopReading()
    bool operator==(const RunReading&) const = default;
};

/// The runs of a project and their data, kept fresh by one worker thread that polls data_version by cursor;
/// signals arrive on the GUI thread, at most every 40 ms. All public members: GUI thread.
class RunCatalog : public QObject {
    Q_OBJECT
public:
    /// Reads the runs in parts that last about `partSeconds` (RunReading).
    explicit RunCatalog(const store::Project& project, QObject* parent = nullptr, double partSeconds = 0.25);
    ~RunCatalog() override;

    /// In order of their start. Trashed runs are included.
    [[nodiscard]] const std::vector<store::RunSummary>& runs() const { return *runs_; }
    /// runs(), shared: never null.
    [[nodiscard]] const store::RunList& list() const { return runs_; }
    [[nodiscard]] const store::RunSummary* run(const QString& id) const;
    [[nodiscard]] QString nameOf(const QString& id) const;  ///< runName(); the id of one that is not there
    /// False until the first listing has arrived.
    [[nodiscard]] bool loaded() const { return loaded_; }
    /// False until the folders were scanned: before, the list may be that of the last session.
    [[nodiscard]] bool complete() const { return complete_; }
    /// Progress of runs that runs() does not contain yet.
    [[nodiscard]] const RunReading& reading() const { return reading_; }
    /// Skips the remaining runs until continueReading(), or until the project is opened again.
    void stopReading();
    void continueReading();
    /// Why the index could not be opened or read; empty when all is well.
    [[nodiscard]] const QString& problem() const { return problem_; }
    /// Null until loaded, and of a run that no WatchedRuns has.
    [[nodiscard]] std::shared_ptr<const RunData> data(const QString& id) const;

    /// Edits go to the worker and come back as runsChanged(), or first as editFailed().
    void rename(const QString& id, const QString& name);
    void changeTags(const QString& id, const QStringList& added, const QStringList& removed);
    /// `read` is the text that they replace; notesStored() comes before runsChanged().
    void setNotes(const QString& id, const QString& notes, const QString& read);
    void setStarred(const QString& id, bool on);
    void setTrashed(const QString& id, bool on);
    void assignFirstStyles(const QStringList& ids);  ///< store::ProjectIndex::assignFirstStyles()
    /// The number of the last one; the first is 1.
    [[nodiscard]] quint64 lastEdit() const { return lastEdit_; }
    /// Scans for new and changed runs now instead of at the next second.
    void refreshSoon();

Q_SIGNALS:
    void runsChanged();
    void dataChanged(const QString& id);
    void problemChanged(const QString& text);
    void editFailed(quint64 number, const QString& text);  ///< nothing of it was written
    /// Notes were written; `text` is stored now: they, merged with concurrent edits.
    void notesStored(quint64 number, const QString& text);
    void completed();  ///< once
    void readingChanged();
    void noticed(const QString& text);  ///< a notice about the location of the index

private:
    friend class WatchedRuns;
    void watch(const QString& id);  ///< reference counted
    void unwatch(const QString& id);

    /// `call` on the worker's thread.
    template <class F>
    void post(F&& call);
    void edit(std::function<Status(store::ProjectIndex&)> change);
    /// The work of this thread since the last delivery determines the time of the next one.
    void pace();

    QThread thread_;
    detail::CatalogWorker* worker_;
    store::RunList runs_ = std::make_shared<const std::vector<store::RunSummary>>();
    mutable std::unordered_map<std::string_view, const store::RunSummary*> byId_;  ///< built on demand
    bool loaded_ = false, complete_ = false;
    RunReading reading_;
    /// At the last delivery: the time, the processor seconds of this thread, and those it may still use.
    double paced_, spent_, credit_;
    QString problem_;
    quint64 lastEdit_ = 0;
    std::map<QString, int> watchers_;
    std::map<QString, std::shared_ptr<const RunData>> data_;
};

/// Loads the data of some runs and keeps them up to date, while it exists. GUI thread.
class WatchedRuns {
public:
    /// Without a catalog it only holds the ids.
    explicit WatchedRuns(RunCatalog* maybeCatalog, const QStringList& ids = {});
    ~WatchedRuns();
    WatchedRuns(const WatchedRuns&) = delete;
    WatchedRuns& operator=(const WatchedRuns&) = delete;
    /// These instead of the former ones; an empty id is no run. True if they are others, or in another order.
    bool set(QStringList ids);
    [[nodiscard]] const QStringList& ids() const { return ids_; }
    [[nodiscard]] bool contains(const QString& id) const { return ids_.contains(id); }

private:
    QPointer<RunCatalog> catalog_;
    QStringList ids_;
};

}  // namespace kurve::views
