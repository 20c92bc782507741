#pragma once

#include <QMap>
#include <QSet>
#include <QTimer>
#include <vector>

#include "views/common/table/frozen_table.h"
#include "views/runs/run_groups.h"

namespace kurve::views {

class RunFilterModel;
class RunTableModel;

/// The table of runs. By default it shows name, state glyph, step and the best BLEU or loss, without
/// horizontal scrolling at its default width. Star, name and state stay visible while the other columns are
/// scrolled. Columns can be reordered and resized; order and widths are stored by column id, also while a
/// column is hidden.
class RunTable : public FrozenTable {
    Q_OBJECT
public:
    explicit RunTable(RunFilterModel* model, QWidget* parent = nullptr);
    /// Initial widths, once there are runs; widths of a session take precedence.
    void fitColumns();
    /// Ids of the selected rows, the current one first.
    [[nodiscard]] QStringList selectedIds() const;
    /// Those of them that are listed. Rows that the user selects are announced; these are not, nor what a
    /// change of the rows unselects.
    void select(const QStringList& ids);
    /// The columns from the left, by RunTableModel::columnId().
    [[nodiscard]] QStringList columnIds() const;
    [[nodiscard]] bool isShown(const QString& columnId) const { return !hiddenColumns_.contains(columnId); }
    /// Name, state and step; the other fixed columns are hidden until they are chosen.
    [[nodiscard]] static bool isShownByDefault(int fixedColumn);
    void showColumn(const QString& columnId, bool on);
    void setGrouping(RunGroupBy by);
    /// Chosen columns, their order, widths and the sorting, for the session.
    [[nodiscard]] QJsonObject columns() const;
    void restoreColumns(const QJsonObject& state);
    /// Highlights the row of a run that is hovered elsewhere; empty: none.
    void setPointed(const QString& id);

Q_SIGNALS:
    void runsSelected(const QStringList& ids);  ///< by the user, as selectedIds()
    void hovered(const QString& id);            ///< the run under the pointer changed; empty: none
    void headerMenuRequested(const QString& columnId, const QPoint& globalPosition);

protected:
    void resizeEvent(QResizeEvent* event) override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;
    void paintOver(QWidget* viewport, const QRect& exposed) override;
    bool viewportEvent(QEvent* event) override;

private:
    [[nodiscard]] RunTableModel& runs() const;
    [[nodiscard]] RunFilterModel& filter() const;
    void connectHeader();
    void scaleRows();
    void fitName();
    [[nodiscard]] int widthOfNames() const;
    void layOut();
    void sortAsChosen();
    [[nodiscard]] QStringList orderOfColumns() const;
    [[nodiscard]] int defaultWidth(int column) const;
    [[nodiscard]] QRect rowRect(const QString& id) const;

    QStringList order_;             ///< as the user arranged them, with hidden ones
    QMap<QString, double> widths_;  ///< at zoom 1, of columns that the user resized
    QSet<QString> hiddenColumns_;
    QString sortedBy_, pointed_, hovered_;
    Qt::SortOrder sortOrder_ = Qt::DescendingOrder;
    QTimer rowsInserted_;  ///< clearing a filter inserts row by row; the names are measured once
    bool widthsSet_ = false, fitting_ = false;
};

}  // namespace kurve::views
