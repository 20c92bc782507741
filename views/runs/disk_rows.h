#pragma once

#include <QStringList>
#include <QTreeWidget>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/disk_use.h"

namespace kurve::views {

/// The runs by what they take on disk, their recordings below them. Runs come and change one by one; what is
/// open, chosen and in sight stays so.
class DiskRows : public QTreeWidget {
    Q_OBJECT
public:
    explicit DiskRows(QWidget* parent = nullptr);
    /// Adds these or shows them as they are now; `nameOf` tells the name of a run by its id.
    void put(const std::vector<store::RunDisk>& runs,
             const std::function<QString(const std::string&)>& nameOf);
    /// While rows come they stand in the order in which they come.
    void setFilling(bool on);
    /// Those of runs that are none of these go.
    void keepOnly(const QStringList& runs);
    /// Of the chosen recordings those in the trash, or those that are not.
    [[nodiscard]] std::vector<store::RecordingFile> chosen(bool trashed) const;

Q_SIGNALS:
    void runActivated(const QString& id);

private:
    struct Line {
        QTreeWidgetItem* item = nullptr;
        std::vector<store::RecordingFile> files;
    };
    struct Place {
        QStringList chosen;
        QString current;
    };
    [[nodiscard]] Place placeIn(QTreeWidgetItem& run) const;
    void goTo(QTreeWidgetItem& run, const Place& place);
    void putFiles(Line& line, const std::vector<store::RecordingFile>& files);

    std::unordered_map<std::string, Line> lines_;
};

}  // namespace kurve::views
