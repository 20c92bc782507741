#pragma once

#include <QFileSystemWatcher>
#include <QLabel>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "views/common/data/background.h"

namespace kurve::views {

/// The state of a run's corpora since it was trained.
struct DataCheck {
    std::vector<std::string> changed, missing;  ///< files, relative to the project
    bool known = false;                         ///< the run recorded hashes to compare with
    [[nodiscard]] bool isFine() const { return known && changed.empty() && missing.empty(); }
    friend bool operator==(const DataCheck&, const DataCheck&) = default;
};

/// The hashes that a run recorded of its corpora.
struct DataRecord {
    std::filesystem::path project;
    std::map<std::string, std::string> corpora;  ///< SHA-256 by file, relative to the project
    friend bool operator==(const DataRecord&, const DataRecord&) = default;
};

/// Compares the files with the record. A file is hashed again only if its size or time has changed. Any
/// thread but the GUI's.
[[nodiscard]] DataCheck checkData(const DataRecord& record);

/// Names in red the corpora of the shown run that changed or are missing; hidden while there are none. Checks
/// on a worker, and again when a file changes.
class DataBadge : public QLabel {
    Q_OBJECT
public:
    explicit DataBadge(QWidget* parent = nullptr);
    void setRecord(const DataRecord& record);
    [[nodiscard]] const DataCheck& result() const { return result_; }

Q_SIGNALS:
    void checked();  ///< result() changed

private:
    void check();
    void show(const DataCheck& result);

    DataRecord record_;
    DataCheck result_;
    QFileSystemWatcher files_;
    Background reading_{JobKind::Later};
};

}  // namespace kurve::views
