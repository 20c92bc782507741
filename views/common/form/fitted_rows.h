#pragma once

#include <QObject>

class QTableView;

namespace kurve::views {

/// Keeps the rows of a table as high as their wrapped texts: after changes of its model, its width and the
/// theme, once for several in a row, when the layout has settled (heights depend on the columns' widths). The
/// table has its model and owns this. GUI thread.
class FittedRows : public QObject {
    Q_OBJECT
public:
    explicit FittedRows(QTableView& table);
    void fit();  ///< after changes that it does not observe

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QTableView& table_;
    bool waiting_ = false;
};

}  // namespace kurve::views
