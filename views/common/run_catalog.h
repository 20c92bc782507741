#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/store/project.h"
#include "core/store/run_reader.h"

namespace kurve::views {

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
    /// What later attempts shadow: for each metric the end of every attempt that was abandoned.
    std::map<std::string, std::vector<store::Series>> shadowed;
    /// What it decodes with over its own settings (store::defaultSampler), and why that could not be read.
    std::map<std::string, std::string> defaultSampler;
    QString defaultSamplerProblem;

    /// Null where the run has no such metric.
    [[nodiscard]] std::shared_ptr<const store::Series> find(const std::string& metric) const;
};

/// How far the reading of a project's runs is; runs that the index knows are not read again.
struct RunReading {
    std::size_t read = 0, waiting = 0;
    std::size_t left = 0;  ///< not to be read: stopReading()
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
    [[nodiscard]] const std::vector<store::RunSummary>& runs() const;
    /// runs(), to be kept: never null.
    [[nodiscard]] const store::RunList& list() const;
    [[nodiscard]] const store::RunSummary* run(const QString& id) const;
    /// False until the first listing has arrived.
    [[nodiscard]] bool loaded() const;
    /// False until the folders were looked at: before, the listing may be that of the last time.
    [[nodiscard]] bool complete() const;
    /// Of what runs() does not hold yet.
    [[nodiscard]] const RunReading& reading() const;
    /// Leaves what waits unread until goOnReading(), or until the project is opened again.
    void stopReading();
    void goOnReading();
    /// Why the index could not be opened or read; empty when all is well.
    [[nodiscard]] QString problem() const;
    /// Asks that this run's data be loaded and kept fresh (reference counted by unwatch).
    void watch(const QString& id);
    void unwatch(const QString& id);
    [[nodiscard]] std::shared_ptr<const RunData> data(const QString& id) const;  ///< null until loaded

    /// Edits go to the worker and come back as runsChanged(), or first as editFailed().
    void rename(const QString& id, const QString& name);
    void changeTags(const QString& id, const QStringList& added, const QStringList& removed);
    /// `read` is what stood there when they were written; notesStand() comes before runsChanged().
    void setNotes(const QString& id, const QString& notes, const QString& read);
    void setStarred(const QString& id, bool on);
    void setTrashed(const QString& id, bool on);
    void giveFirstLooks(const QStringList& ids);  ///< store::ProjectIndex::giveFirstLooks()
    /// The number of the last one; the first is 1.
    [[nodiscard]] quint64 lastEdit() const;
    /// Looks for new and changed runs at once instead of at the next second.
    void refreshSoon();

Q_SIGNALS:
    void runsChanged();
    void dataChanged(const QString& id);
    void problemChanged(const QString& text);
    void editFailed(quint64 number, const QString& text);  ///< nothing of it was kept
    /// Notes were written; `text` is there now: they, merged with what others wrote meanwhile.
    void notesStand(quint64 number, const QString& text);
    void completed();  ///< once
    void readingChanged();
    void noticed(const QString& text);  ///< what people are to know about where the index lies

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kurve::views
