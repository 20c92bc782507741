#pragma once

#include <QWidget>
#include <functional>

#include "views/common/run_catalog.h"

class QLabel;
class QModelIndex;
class QTabWidget;
class QTableView;

namespace kurve::views {

class AskedList;
class CommandRegistry;
class TraceTableModel;

/// What a run has recorded: its fixed prompts by evaluations, and what was asked for by hand, in a list each;
/// a line in their place while there is neither. Files are relative to the run's folder.
class RecordedLists : public QWidget {
    Q_OBJECT
public:
    explicit RecordedLists(CommandRegistry& commands, QWidget* parent = nullptr);
    /// `data` null: none is selected, or it is not read yet. `folder`: the run's.
    void setRun(const RunData* data, const std::filesystem::path& folder);
    /// Which recording the window shows: its cell becomes the current one, unless somebody walks the cells.
    /// Empty: none that was read from a file.
    void setShown(const std::filesystem::path& file);
    void setHint(const QString& text);  ///< the line in place of the lists
    [[nodiscard]] TraceTableModel* recorded() const { return model_; }
    [[nodiscard]] int askedCount() const;
    [[nodiscard]] bool hasData() const;
    void openNewest();  ///< as a click on it; says so if there is none

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
    AskedList* asked_;
    QLabel* none_;
    QTabWidget* lists_;
};

}  // namespace kurve::views
