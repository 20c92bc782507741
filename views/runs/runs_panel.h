#pragma once

#include <QScopedValueRollback>

#include "views/common/services/studio.h"
#include "views/common/shell/panel.h"

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
class RunsPanel : public Panel, public RunList {
    Q_OBJECT
public:
    /// Contract: the services have RunEdits.
    explicit RunsPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~RunsPanel() override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] QString filterText() const;
    void setFilterText(const QString& text) override;
    /// The filter, the saved ones, and the columns: widths, order, and by which one is sorted.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;
    void selectRun(const QString& id);
    void engineInfoChanged() override;
    [[nodiscard]] QTableView* table() const;
    [[nodiscard]] RunFilterModel* filterModel() const { return filter_; }

private:
    [[nodiscard]] QWidget* buildHead();
    [[nodiscard]] QWidget* buildFoot();
    void connectParts();
    void registerCommands();
    void registerEditCommands();
    void showUndo();
    void updateRuns();
    void updateLost();
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
    /// Changes the table or the selection without answering to their signals.
    template <class Change>
    void quietly(Change change) {
        const QScopedValueRollback own(publishing_, true);
        change();
    }

    bool publishing_ = false;
    QStringList chosen_;   ///< the selection as the user made it, including filtered-out runs
    QStringList visible_;  ///< the part of it under the last filter that matched any run
};

}  // namespace kurve::views
