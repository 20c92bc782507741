#pragma once

#include <QTreeWidget>
#include <filesystem>
#include <map>
#include <vector>

#include "core/store/run_reader.h"
#include "views/common/background.h"

namespace kurve::views {

/// A recording that somebody asked for: a prompt, a branch of another one, or one more with its layers.
struct AskedRecording {
    QString file;  ///< relative to the run's folder
    QString text, kind;
    qint64 step = 0;  ///< training step of the weights
    double when = 0;  ///< seconds since the epoch
    friend bool operator==(const AskedRecording&, const AskedRecording&) = default;
};
using AskedRecordings = std::map<std::string, AskedRecording>;  ///< by file
/// Reads what each file says of itself; those in `known` are not read again. For a worker. A file that is
/// gone is left out.
[[nodiscard]] AskedRecordings readAsked(const std::vector<store::TraceRow>& rows,
                                        const std::filesystem::path& runFolder, const AskedRecordings& known);

/// The recordings of a run that were asked for by hand, the newest first: text, kind, training step, when.
class AskedList : public QTreeWidget {
    Q_OBJECT
public:
    explicit AskedList(QWidget* parent = nullptr);
    /// The traces of a run; those of its evaluations are left out. Shows them when a worker has read them.
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
    std::vector<std::string> wanted_;  ///< files, the newest first
    AskedRecordings known_;
    Background reading_;
};

}  // namespace kurve::views
