#pragma once

#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace kurve::views {

class EventLogModel;

/// Log and events of the primary run, searchable; a line moves the playhead to its step, and the playhead
/// finds its line.
class LogPanel : public Panel {
    Q_OBJECT
public:
    explicit LogPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString statement() const override;

private:
    void takeSelection();
    void takeData();
    void followPlayhead(qint64 step);

    WatchedRuns watched_{context().catalog};
    QString run_;
    EventLogModel* log_;
    QSortFilterProxyModel* filter_;
    QLineEdit* search_;
    QTableView* table_;
};

}  // namespace kurve::views
