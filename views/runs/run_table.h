#pragma once

#include <QTableView>

namespace kurve::views {

class RunFilterModel;

/// The table of runs. Name, state and step share the room that is there until a column is dragged; what
/// follows them is reached by scrolling.
class RunTable : public QTableView {
    Q_OBJECT
public:
    explicit RunTable(RunFilterModel* model, QWidget* parent = nullptr);
    /// First widths, once there is something to show; not over those of a session.
    void fitColumns();
    /// Ids of the selected rows, the current one first.
    [[nodiscard]] QStringList selectedIds() const;
    void select(const QStringList& ids);
    [[nodiscard]] QByteArray columns() const;
    void restoreColumns(const QByteArray& state);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void scaleRows();
    void fitName();

    bool widthsSet_ = false, nameFollows_ = false, fitting_ = false;
};

}  // namespace kurve::views
