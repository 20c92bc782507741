#pragma once

#include <QFileSystemWatcher>
#include <QLabel>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "views/common/background.h"

namespace kurve::views {

/// What became of the corpora of a run since it was trained.
struct DataVerdict {
    std::vector<std::string> changed, missing;  ///< files, relative to the project
    /// Of an older record, which has one fingerprint of all its files: `changed` names all of them.
    bool together = false;
    bool known = false;  ///< there was something to compare with
    [[nodiscard]] bool isFine() const { return known && changed.empty() && missing.empty(); }
    friend bool operator==(const DataVerdict&, const DataVerdict&) = default;
};

/// What a run recorded of its data.
struct DataRecord {
    std::filesystem::path project;
    std::map<std::string, std::string> corpora;  ///< SHA-256 by file, relative to the project
    /// Of an older run, which has no hash of each file.
    std::string fingerprint, sourceTokenizer, targetTokenizer;
    std::optional<RunConfig> config;
    friend bool operator==(const DataRecord& a, const DataRecord& b) {
        return a.project == b.project && a.corpora == b.corpora && a.fingerprint == b.fingerprint &&
               a.config.has_value() == b.config.has_value();
    }
};

/// Compares the files with the record. A file is read again only if its size or time has changed since it was
/// read last. Any thread but the GUI's.
[[nodiscard]] DataVerdict judgeData(const DataRecord& record);

/// Says in red which corpus of the shown run is another one now, or is gone; away while all are as they were.
/// Looks on a worker, and again when a file changes.
class DataBadge : public QLabel {
    Q_OBJECT
public:
    explicit DataBadge(QWidget* parent = nullptr);
    void setRecord(const DataRecord& record);
    [[nodiscard]] const DataVerdict& verdict() const { return verdict_; }

Q_SIGNALS:
    void judged();  ///< verdict() is another one

private:
    void look();
    void show(const DataVerdict& verdict);

    DataRecord record_;
    DataVerdict verdict_;
    QFileSystemWatcher files_;
    Background reading_;
};

}  // namespace kurve::views
