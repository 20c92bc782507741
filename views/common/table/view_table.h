#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <span>
#include <variant>
#include <vector>

namespace kurve::views {

/// Role of the exported value of a cell where the shown text is shortened: a number at full precision.
inline constexpr int kExportRole = Qt::UserRole + 100;

/// The data of a view as numbers and texts: every point and row, not what was drawn.
struct ViewTable {
    using Cell = std::variant<QString, double>;
    QString title;
    QStringList columns;
    std::vector<std::vector<Cell>> rows;
};

/// A view that draws its data itself and gives them here, also for the plots that it draws them with; charts
/// and item views need nothing.
class HasTables {
public:
    virtual ~HasTables() = default;
    [[nodiscard]] virtual std::vector<ViewTable> tables() const = 0;
};

/// For a widget that is drawn by its owner: called whenever its data are exported.
void giveTables(QWidget& widget, std::function<std::vector<ViewTable>()> tables);

/// The tables of all visible charts and item views within a widget, from the top. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(QWidget& view);

/// As csv (tables follow each other, "# title" and an empty line between them), json ([{"title", "columns",
/// "rows"}]; what is not finite is a word) or md. `note` stands first as a comment, or as "note". Any thread.
[[nodiscard]] QByteArray tablesText(std::span<const ViewTable> tables, const QString& format,
                                    const QString& note);

}  // namespace kurve::views
