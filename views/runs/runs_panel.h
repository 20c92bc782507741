#pragma once

#include "views/common/panel.h"

class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;
class QUndoStack;

namespace kurve::views {

class EmptyState;
class FilterBox;
class RunFilterModel;
class RunTableModel;

/// The list of runs: filter, sort, rename, star, tags, trash with undo; its selection is the window's
/// selection.
class RunsPanel : public Panel {
    Q_OBJECT
public:
    explicit RunsPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~RunsPanel() override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] QString filterText() const;
    void setFilterText(const QString& text);
    void setSavedFilters(const QStringList& filters);
    void selectRun(const QString& id);
    [[nodiscard]] QTableView* table() const { return table_; }
    [[nodiscard]] RunFilterModel* filterModel() const { return filter_; }
    /// Column widths and order, for the session file.
    [[nodiscard]] QByteArray headerState() const;
    void restoreHeaderState(const QByteArray& state);

Q_SIGNALS:
    void compareRequested();
    void startRequested();
    void tagsRequested();
    void filterChanged(const QString& text);
    void savedFiltersChanged(const QStringList& filters);
    void purgeRequested(const QStringList& ids);  ///< delete these trashed runs for good

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTable();
    void registerCommands();
    void takeRuns();
    void fitName();
    void applyFilter();
    void publishSelection();
    void followSelection();
    void updateFooter();
    void contextMenu(const QPoint& place);
    [[nodiscard]] QStringList selectedIds() const;
    void trashSelected(bool on);
    void starSelected();
    void archiveSelected();
    void purge();
    [[nodiscard]] QStringList trashedIds(qint64* bytes) const;

    RunTableModel* model_;
    RunFilterModel* filter_;
    FilterBox* filterBox_;
    QLabel* filterError_;
    QTableView* table_;
    EmptyState* empty_;
    QStackedLayout* stack_;
    QLabel* count_;
    QPushButton *trash_, *purge_;
    QUndoStack* undo_;
    bool publishing_ = false, widthsSet_ = false;
    bool nameFollows_ = false, fitting_ = false;  ///< the name's column takes what room the others leave
};

}  // namespace kurve::views
