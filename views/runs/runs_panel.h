#pragma once

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
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
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
    void showSelection();
    void fold(const QModelIndex& group);
    /// Selected runs that are not listed: elsewhere, or before the catalog has them.
    [[nodiscard]] QStringList unlisted() const;
    /// After a change of what is listed: the runs that it hid are not selected until they are listed again.
    void keepListed(const QStringList& unlistedBefore);
    [[nodiscard]] bool isListed(const QString& run) const;
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
};

}  // namespace kurve::views
