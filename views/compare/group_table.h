#pragma once

#include <QJsonObject>
#include <QStringList>
#include <vector>

#include "views/common/table/frozen_table.h"
#include "views/common/table/view_table.h"
#include "views/compare/group_rows.h"

class QSortFilterProxyModel;

namespace kurve::views {

class ChoiceList;

/// A table of groups (GroupRow) with the columns that were chosen, sorted by any of them. A right click (or
/// the menu key) makes a group the baseline.
class GroupTable : public FrozenTable, public Exported {
    Q_OBJECT
public:
    explicit GroupTable(QWidget* parent = nullptr);
    /// `values`: the available columns; by default scores of evaluations and of validation.
    void setGroups(const std::vector<ComparedRun>& runs, const RunGrouping& grouping,
                   std::vector<MetricValue> values, const QStringList& hidden);
    /// A list of the values below a widget, to be switched on and off.
    void openColumns(const QWidget& under);
    /// A run of the current row; empty without one.
    [[nodiscard]] QString currentMember() const;
    [[nodiscard]] QStringList shownValues() const;              ///< ids of the values, in their order
    [[nodiscard]] QString titleOf(const QString& value) const;  ///< of one of them
    [[nodiscard]] std::vector<ViewTable> tables() const override { return {groupTable(rows_, shown_)}; }
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void baselineRequested(const QString& run);
    void choiceChanged();

protected:
    [[nodiscard]] int sizeHintForColumn(int column) const override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void renew();
    [[nodiscard]] const MetricValue* find(const QString& id) const;
    [[nodiscard]] int columnOf(const QString& id) const;  ///< -1: there is none such
    void setShown(const QString& id, bool on);
    [[nodiscard]] QStringList defaultValues() const;

    CellTableModel* model_;
    QSortFilterProxyModel* sorted_;
    ChoiceList* list_;
    std::vector<ComparedRun> runs_;
    RunGrouping grouping_;
    std::vector<MetricValue> values_, shown_;
    std::vector<GroupRow> rows_;
    QStringList hidden_,
        wanted_;        ///< wanted_: as chosen, whether it is there or not; empty: the default ones
    QString sortedBy_;  ///< a column's id, whether it is there or not; empty: by title
    bool range_ = false;
};

}  // namespace kurve::views
