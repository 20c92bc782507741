#include "views/common/table/fit_rows.h"

#include <QHeaderView>
#include <QTableView>
#include <QTimer>

#include "views/common/theme/theme_listener.h"

namespace kurve::views {

void fitRows(QTableView& table) {
    auto* soon = new QTimer(&table);
    soon->setSingleShot(true);
    QObject::connect(soon, &QTimer::timeout, &table, &QTableView::resizeRowsToContents);
    const auto fit = [soon] { soon->start(0); };
    QObject::connect(table.model(), &QAbstractItemModel::dataChanged, soon, fit);
    QObject::connect(table.model(), &QAbstractItemModel::modelReset, soon, fit);
    QObject::connect(table.horizontalHeader(), &QHeaderView::sectionResized, soon, fit);
    onThemeChange(soon, fit);
    fit();
}

}  // namespace kurve::views
