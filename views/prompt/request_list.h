#pragma once

#include <QTreeWidget>
#include <filesystem>
#include <map>
#include <vector>

#include "core/store/run_reader.h"
#include "views/common/data/background.h"

namespace kurve::views {

/// A requested trace: of a prompt, a branch, or with captured layers.
struct RequestedTrace {
    QString file;  ///< relative to the run's folder
    QString text, kind;
    qint64 step = 0;  ///< training step of the weights
    double when = 0;  ///< seconds since the epoch
    friend bool operator==(const RequestedTrace&, const RequestedTrace&) = default;
};
using RequestedTraces = std::map<std::string, RequestedTrace>;  ///< by file
/// Reads the metadata of each file, except those in `known`. For a worker. Missing files are left out.
[[nodiscard]] RequestedTraces readRequestedTraces(const std::vector<store::TraceRow>& rows,
                                                  const std::filesystem::path& runFolder,
                                                  const RequestedTraces& known);

/// The requested traces of a run, the newest first: prompt, kind, training step, time.
class RequestList : public QTreeWidget {
    Q_OBJECT
public:
    explicit RequestList(QWidget* parent = nullptr);
    /// The traces of a run, without those of its evaluations. Read on a worker.
    void setRun(const std::filesystem::path& runFolder, const std::vector<store::TraceRow>& traces);
    /// The file of a line; empty for none.
    [[nodiscard]] static QString fileOf(const QTreeWidgetItem* line);
    [[nodiscard]] static qint64 stepOf(const QTreeWidgetItem* line);

Q_SIGNALS:
    void opened(const QString& file, qint64 step);
    void filled();

private:
    void fill();

    std::filesystem::path folder_;
    std::vector<std::string> files_;  ///< the newest first
    RequestedTraces known_;
    Background reading_;
};

}  // namespace kurve::views
