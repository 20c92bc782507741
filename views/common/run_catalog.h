#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/store/project.h"
#include "core/store/run_reader.h"

namespace kurve::views {

/// A run's data as far as it has been read; immutable snapshot shared with the GUI thread.
struct RunData {
    store::RunSummary summary;
    std::map<std::string, std::string> values;  ///< run(key, value): config, environment
    std::map<std::string, std::shared_ptr<const store::Series>> series;
    std::vector<store::EventRow> events;
    std::vector<store::EventRow> log;
    std::vector<store::SampleRow> samples;
    std::vector<store::CheckpointRow> checkpoints;
    std::vector<store::TraceRow> traces;
    std::vector<store::HistogramRow> lossByLogSnr;
};

/// The runs of a project and their data, kept fresh by one worker thread that polls data_version by cursor; signals
/// arrive on the GUI thread, at most every 40 ms. All public members: GUI thread.
class RunCatalog : public QObject {
    Q_OBJECT
public:
    explicit RunCatalog(const store::Project& project, QObject* parent = nullptr);
    ~RunCatalog() override;

    [[nodiscard]] const std::vector<store::RunSummary>& runs() const;
    [[nodiscard]] const store::RunSummary* run(const QString& id) const;
    /// Asks that this run's data be loaded and kept fresh (reference counted by unwatch).
    void watch(const QString& id);
    void unwatch(const QString& id);
    [[nodiscard]] std::shared_ptr<const RunData> data(const QString& id) const;  ///< null until loaded

    /// Edits go to the worker and come back as runsChanged().
    void rename(const QString& id, const QString& name);
    void setTags(const QString& id, const QStringList& tags);
    void setNotes(const QString& id, const QString& notes);
    void setStarred(const QString& id, bool on);
    void setTrashed(const QString& id, bool on);

Q_SIGNALS:
    void runsChanged();
    void dataChanged(const QString& id);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kurve::views
