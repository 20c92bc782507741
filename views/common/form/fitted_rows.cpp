#include "views/common/form/fitted_rows.h"

#include <QResizeEvent>
#include <QTableView>
#include <QTimer>
#include <utility>

#include "views/common/theme/theme.h"

namespace kurve::views {

FittedRows::FittedRows(QTableView& table) : QObject(&table), table_(table) {
    connect(table.model(), &QAbstractItemModel::dataChanged, this, &FittedRows::fit);
    connect(table.model(), &QAbstractItemModel::modelReset, this, &FittedRows::fit);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &FittedRows::fit);
    table.viewport()->installEventFilter(this);
}

void FittedRows::fit() {
    if (std::exchange(waiting_, true)) return;
    QTimer::singleShot(0, this, [this] {
        waiting_ = false;
        table_.resizeRowsToContents();
    });
}

bool FittedRows::eventFilter(QObject* /*watched*/, QEvent* event) {
    // An appearing scroll bar takes width, too; rows only get higher then, so it stays.
    if (event->type() == QEvent::Resize) {
        const auto* resize = static_cast<QResizeEvent*>(event);
        if (resize->size().width() != resize->oldSize().width()) fit();
    }
    return false;
}

}  // namespace kurve::views
