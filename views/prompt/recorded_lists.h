#pragma once

#include <QWidget>
#include <functional>

#include "views/common/data/run_catalog.h"

class QLabel;
class QModelIndex;
class QTabWidget;
class QTableView;

namespace kurve::views {

class RequestList;
class CommandRegistry;
class TraceTableModel;

/// The traces of a run: fixed prompts by evaluations, and requested traces, in a list each; a hint while
/// there is neither. Files are relative to the run's folder.
class RecordedLists : public QWidget {
    Q_OBJECT
public:
    explicit RecordedLists(CommandRegistry& commands, QWidget* parent = nullptr);
    /// `data` null: no run, or not yet read. `folder`: the run's.
    void setRun(const RunData* data, const std::filesystem::path& folder);
    /// The trace of the window: selects its cell, unless the table has the focus. Empty: not from a file.
    void setShown(const std::filesystem::path& file);
    void setHint(const QString& text);  ///< shown while there are no traces
    [[nodiscard]] TraceTableModel* recorded() const { return model_; }
    [[nodiscard]] int requestedCount() const;
    [[nodiscard]] bool hasData() const;
    void openNewest();  ///< a status message without one

Q_SIGNALS:
    void opened(const QString& file, qint64 trainStep);
    void besideRequested(const QString& file);
    void trashRequested(const QString& file);
    void statusMessage(const QString& text);

private:
    void buildRecorded();
    void addActions(const QString& prefix, QWidget* list, const std::function<QString()>& chosen);
    void showLists();
    void followShown();
    void open(const QModelIndex& cell);

    CommandRegistry& commands_;
    std::filesystem::path folder_, shown_;
    TraceTableModel* model_;
    QTableView* table_;
    RequestList* requested_;
    QLabel* hint_;
    QTabWidget* lists_;
};

}  // namespace kurve::views
