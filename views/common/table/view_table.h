#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <span>
#include <variant>
#include <vector>

class QPainter;

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

/// A widget that draws its data itself, and what exports get of it. Item views need nothing. GUI thread.
class Exported {
public:
    virtual ~Exported() = default;
    [[nodiscard]] virtual std::vector<ViewTable> tables() const = 0;
    /// Before a figure of it: does what waits for the next frame, and removes what shows the pointer.
    virtual void prepareFigure() {}
    /// Draws all of it as lines and texts, from its top left corner, in its pixels and with its background;
    /// false: it paints itself so, as any widget, and its children.
    virtual bool paintVectors(QPainter& /*painter*/) { return false; }
};

/// The tables of all visible charts and item views within a widget, from the top. GUI thread.
[[nodiscard]] std::vector<ViewTable> tablesOf(QWidget& view);

/// As csv (tables follow each other, "# title" and an empty line between them), json ([{"title", "columns",
/// "rows"}]; what is not finite is a word) or md. `note` stands first as a comment, or as "note". Any thread.
[[nodiscard]] QByteArray tablesText(std::span<const ViewTable> tables, const QString& format,
                                    const QString& note);

}  // namespace kurve::views
