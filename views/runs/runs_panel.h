#pragma once

#include "views/common/panel.h"

class QLabel;
class QModelIndex;
class QPushButton;
class QTableView;

namespace kurve::views {

class ContentOrEmpty;
class ElidedLabel;
class EmptyState;
class FilterBox;
class PurgeButton;
class ColumnChooser;
class RunEdits;
class RunFilterModel;
class RunTable;
class RunTableModel;

/// The list of runs: filter, sort, rename, star, tags, hide, archive, trash and delete; its selection is the
/// window's selection.
class RunsPanel : public Panel {
    Q_OBJECT
public:
    /// `edits` outlives the panel.
    RunsPanel(const StudioContext& context, RunEdits& edits, QWidget* parent = nullptr);
    ~RunsPanel() override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] QString filterText() const;
    void setFilterText(const QString& text);
    void setSavedFilters(const QStringList& filters);
    void selectRun(const QString& id);
    void engineInfoChanged() override;
    [[nodiscard]] QTableView* table() const;
    [[nodiscard]] RunFilterModel* filterModel() const { return filter_; }
    /// Column widths and order, for the session file.
    [[nodiscard]] QByteArray headerState() const;
    void restoreHeaderState(const QByteArray& state);

Q_SIGNALS:
    void compareRequested();
    void startRequested();
    void tagsRequested();
    void notesRequested();
    void filterChanged(const QString& text);
    void savedFiltersChanged(const QStringList& filters);
    void purgeRequested(const QStringList& ids);  ///< delete these trashed runs permanently

private:
    [[nodiscard]] QWidget* buildHead();
    [[nodiscard]] QWidget* buildFoot();
    void connectParts();
    void registerCommands();
    void registerVisibilityCommands();
    void registerEditCommands();
    void showUndo();
    void updateRuns();
    void selectDefault();
    void applyFilter();
    void restoreSelection();
    void publishSelection();
    void fold(const QModelIndex& group);
    void publish();
    void updateSelection();
    void followSelection();
    void updateFooter();
    [[nodiscard]] QString whyNoneMatches() const;
    void updatePurge();
    void contextMenu(const QPoint& position);
    void hideSelected();
    void registerColumnCommands();
    void connectTable();
    void pinBaseline();
    void updateBaseline();
    [[nodiscard]] int hiddenCount() const;

    RunTableModel* model_;
    RunFilterModel* filter_;
    FilterBox* filterBox_;
    QLabel* filterError_;
    RunTable* table_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
    ElidedLabel* count_;
    QPushButton* trash_;
    PurgeButton* purge_;
    RunEdits* edits_;
    ColumnChooser* columns_;
    bool publishing_ = false;
    QStringList chosen_;   ///< the selection as the user made it, including filtered-out runs
    QStringList visible_;  ///< the part of it under the last filter that matched any run
};

}  // namespace kurve::views
