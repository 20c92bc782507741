#include "views/common/table/view_table.h"

#include <fmt/format.h>

#include <QAbstractItemView>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/interop/table_text.h"
#include "views/common/table/frozen_table.h"

namespace kurve::views {

namespace {

ViewTable::Cell cellOf(const QModelIndex& index) {
    for (const int role : {kExportRole, static_cast<int>(Qt::DisplayRole)}) {
        const QVariant value = index.data(role);
        if (!value.isValid()) continue;
        const int type = value.metaType().id();
        if (type == QMetaType::Double || type == QMetaType::Int || type == QMetaType::LongLong)
            return value.toDouble();
        return value.toString();
    }
    return QString();
}

void addRows(const QAbstractItemModel& model, const QModelIndex& parent, ViewTable& table) {
    for (int row = 0; row < model.rowCount(parent); ++row) {
        std::vector<ViewTable::Cell> cells;
        for (int column = 0; column < static_cast<int>(table.columns.size()); ++column)
            cells.push_back(cellOf(model.index(row, column, parent)));
        table.rows.push_back(std::move(cells));
        addRows(model, model.index(row, 0, parent), table);
    }
}

ViewTable tableOf(const QAbstractItemView& view) {
    ViewTable table{view.accessibleName(), {}, {}};
    const QAbstractItemModel& model = *view.model();
    for (int column = 0; column < model.columnCount(); ++column)
        table.columns << model.headerData(column, Qt::Horizontal).toString();
    addRows(model, {}, table);
    return table;
}

nlohmann::json jsonOf(const ViewTable& table) {
    nlohmann::json rows = nlohmann::json::array(), columns = nlohmann::json::array();
    for (const QString& column : table.columns) columns.push_back(column.toStdString());
    for (const auto& row : table.rows) {
        nlohmann::json cells = nlohmann::json::array();
        for (const auto& cell : row) {
            const auto* number = std::get_if<double>(&cell);
            if (number == nullptr)
                cells.push_back(std::get<QString>(cell).toStdString());
            else if (std::isfinite(*number))
                cells.push_back(*number);
            else
                cells.push_back(fmt::format("{}", *number));
        }
        rows.push_back(std::move(cells));
    }
    return {{"title", table.title.toStdString()}, {"columns", columns}, {"rows", rows}};
}

std::string plainText(const ViewTable& table, interop::TableText::Form form) {
    std::vector<std::string> columns;
    for (const QString& column : table.columns) columns.push_back(column.toStdString());
    interop::TableText text(form, columns);
    for (const auto& row : table.rows) {
        std::vector<std::string> texts(row.size());
        std::vector<interop::Cell> cells;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (const auto* number = std::get_if<double>(&row[i]))
                cells.emplace_back(*number);
            else
                cells.emplace_back(texts[i] = std::get<QString>(row[i]).toStdString());
        text.add(cells);
    }
    return std::move(text).take();
}

}  // namespace

std::vector<ViewTable> tablesOf(QWidget& view) {
    std::vector<std::pair<QPoint, ViewTable>> found;
    QList<QWidget*> all{&view};
    for (QWidget* child : view.findChildren<QWidget*>())
        if (child->isVisibleTo(&view)) all << child;
    for (QWidget* widget : all) {
        const QPoint position = widget->mapTo(view.window(), QPoint());
        std::vector<ViewTable> tables;
        if (const auto* own = dynamic_cast<const Exported*>(widget)) tables = own->tables();
        const auto* items = qobject_cast<const QAbstractItemView*>(widget);
        const bool isPart = qobject_cast<const QHeaderView*>(widget) ||  // of the table that it lies in
                            qobject_cast<const FrozenTable*>(widget->parentWidget());
        if (items && items->model() && !isPart && tables.empty()) tables = {tableOf(*items)};
        for (ViewTable& table : tables)
            if (!table.rows.empty()) found.emplace_back(position, std::move(table));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.y(), a.first.x()) < std::pair(b.first.y(), b.first.x());
    });
    std::vector<ViewTable> tables;
    for (auto& [position, table] : found) tables.push_back(std::move(table));
    return tables;
}

QByteArray tablesText(std::span<const ViewTable> tables, const QString& format, const QString& note) {
    if (format == QLatin1String("json")) {
        nlohmann::json list = nlohmann::json::array();
        for (const ViewTable& table : tables) list.push_back(jsonOf(table));
        const nlohmann::json document{{"note", note.toStdString()}, {"tables", list}};
        return QByteArray::fromStdString(
            document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    using Form = interop::TableText::Form;
    const bool markdown = format == QLatin1String("md");
    std::string text =
        (markdown ? interop::markdownText(note.toStdString()) : "# " + note.toStdString()) + "\n";
    for (const ViewTable& table : tables) {
        if (markdown)
            text += "\n## " + interop::markdownText(table.title.toStdString()) + "\n\n";
        else if (tables.size() > 1)
            text += "\n# " + table.title.toStdString() + "\n";
        text += plainText(table, markdown ? Form::Markdown : Form::Csv);
    }
    return QByteArray::fromStdString(text);
}

}  // namespace kurve::views
