#pragma once

#include <QStringList>
#include <QTreeWidget>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/disk_use.h"

namespace kurve::views {

/// The runs by disk use, with their traces below them. Runs are added and updated one by one; expansion,
/// selection and scroll position are kept.
class DiskRows : public QTreeWidget {
    Q_OBJECT
public:
    explicit DiskRows(QWidget* parent = nullptr);
    /// Adds or updates these; `nameOf` maps the id of a run to its name.
    void put(const std::vector<store::RunDisk>& runs,
             const std::function<QString(const std::string&)>& nameOf);
    /// While filling, rows are in insertion order.
    void setFilling(bool on);
    /// Removes all other runs.
    void keepOnly(const QStringList& runs);
    /// The selected traces that are in the trash, or those that are not.
    [[nodiscard]] std::vector<store::TraceFile> selectedTraces(bool trashed) const;

Q_SIGNALS:
    void runActivated(const QString& id);

private:
    struct Line {
        QTreeWidgetItem* item = nullptr;
        std::vector<store::TraceFile> files;
    };
    struct SelectionState {
        QStringList selected;
        QString current;
    };
    [[nodiscard]] SelectionState selectionIn(QTreeWidgetItem& run) const;
    void restore(QTreeWidgetItem& run, const SelectionState& selection);
    void putFiles(Line& line, const std::vector<store::TraceFile>& files);

    std::unordered_map<std::string, Line> lines_;
};

}  // namespace kurve::views
