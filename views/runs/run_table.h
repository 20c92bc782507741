#pragma once

#include <QMap>
#include <QSet>
#include <QTimer>
#include <vector>

#include "views/common/frozen_table.h"

namespace kurve::views {

class RunFilterModel;
class RunTableModel;

/// The table of runs. Name, state and step share the room that is there until a column is dragged, the name
/// no more than it needs; what does not fit beside them is reached by scrolling, while star, name and state
/// stay. Columns are dragged into any order and keep their places and widths by what they show, also while
/// they are away.
class RunTable : public FrozenTable {
    Q_OBJECT
public:
    explicit RunTable(RunFilterModel* model, QWidget* parent = nullptr);
    /// First widths, once there is something to show; not over those of a session.
    void fitColumns();
    /// Ids of the selected rows, the current one first.
    [[nodiscard]] QStringList selectedIds() const;
    void select(const QStringList& ids);
    /// Of what is there, from the left, by RunTableModel::columnId().
    [[nodiscard]] QStringList columnIds() const;
    [[nodiscard]] bool isShown(const QString& columnId) const { return !hiddenColumns_.contains(columnId); }
    void showColumn(const QString& columnId, bool on);
    /// Chosen columns, their order, widths and the sorting, for the session.
    [[nodiscard]] QByteArray columns() const;
    void restoreColumns(const QByteArray& state);
    /// A frame about the row of a run that is pointed at elsewhere; empty: none.
    void setPointed(const QString& id);

Q_SIGNALS:
    void hovered(const QString& id);  ///< the run under the pointer changed; empty: none
    void headerMenuRequested(const QString& columnId, const QPoint& globalPlace);

protected:
    void resizeEvent(QResizeEvent* event) override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;
    void paintOver(QWidget* viewport, const QRect& exposed) override;
    bool viewportEvent(QEvent* event) override;

private:
    [[nodiscard]] RunTableModel& runs() const;
    void connectHeader();
    void scaleRows();
    void fitName();
    [[nodiscard]] int neededForNames() const;
    void layOut();
    void sortAsChosen();
    [[nodiscard]] QStringList orderOfColumns() const;
    [[nodiscard]] int usualWidth(int column) const;
    [[nodiscard]] QRect rowRect(const QString& id) const;

    QStringList order_;             ///< as the user arranged them, with those that are away
    QMap<QString, double> widths_;  ///< at zoom 1, of columns that somebody dragged
    QSet<QString> hiddenColumns_;
    QString sortedBy_, pointed_, hovered_;
    Qt::SortOrder sortOrder_ = Qt::DescendingOrder;
    QTimer namesCame_;  ///< a filter that is cleared inserts row by row, and the names are measured once
    bool widthsSet_ = false, fitting_ = false;
};

}  // namespace kurve::views
