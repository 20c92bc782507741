#pragma once

#include <QImage>
#include <QStringList>
#include <QWidget>
#include <algorithm>
#include <vector>

#include "core/inspect/state_order.h"
#include "core/metrics/similarity.h"
#include "views/common/table/view_table.h"

namespace kurve::views {

/// How two matrices of the same size are displayed.
enum class MatrixMode : unsigned char { A, B, Difference, SplitTriangle };

/// A large matrix of square cells with row names, a crosshair with the value and a colour bar. The wheel
/// zooms; a drag with the left button zooms to the square it spans; one with the middle button, or with
/// Shift, pans; a double click resets the zoom; a click selects a cell.
class MatrixView : public QWidget, public Exported {
    Q_OBJECT
public:
    explicit MatrixView(QWidget* parent = nullptr);

    /// `b` may be empty. The scale belongs to single matrices, `differenceScale` to A - B. A muted diagonal
    /// is grey.
    struct Content {
        metrics::SimilarityMatrix a, b;
        QStringList labels;
        QStringList columnLabels;                        ///< empty: those of the rows
        std::vector<int> order;                          ///< row of the states by position in the matrix
        std::vector<inspect::StateOrder::Group> groups;  ///< of consecutive rows; empty: none
        std::vector<bool> marked;  ///< rows with a bullet beside their name (repeated tokens)
        double scale = 1, differenceScale = 1;
        MatrixMode mode = MatrixMode::A;
        bool muteDiagonal = true;
        bool fractions = false;  ///< the values of A and B lie between 0 and 1 (attention)
        QString measure;         ///< name of the values, for the table
        [[nodiscard]] bool hasB() const { return b.n == a.n && b.columns() == a.columns(); }
        [[nodiscard]] QString columnLabel(int column) const {
            return columnLabels.isEmpty() ? labels.value(column) : columnLabels.value(column);
        }
    };
    void show(Content content);
    [[nodiscard]] const Content& content() const { return content_; }
    /// While on (Space held) the other matrix is shown: B, or A in mode B.
    void setFlicker(bool on);
    [[nodiscard]] QString groupOf(int row) const;  ///< its name; empty without groups
    [[nodiscard]] float shownValue(int row, int column) const;
    [[nodiscard]] double shownScale() const;
    /// The lower end of the scale: 0 for fractions, else -shownScale().
    [[nodiscard]] double shownLowest() const;
    void choose(QPoint cell);  ///< column, row; as a click there
    /// Moves the selected cell, and the view to it; zooms about it (`factor` > 1: in); shows all.
    void moveChosen(QPoint by);
    void zoom(double factor);
    void showAll();
    /// The view: first column, first row and the most that fit of either.
    struct Window {
        double column = 0, row = 0, count = 0;
    };
    [[nodiscard]] Window window() const { return {firstColumn_, first_, count_}; }
    [[nodiscard]] QPoint chosen() const { return chosen_; }  ///< column, row; (-1, -1) = none
    QSize sizeHint() const override { return {420, 420}; }
    /// Each pair of rows, in the displayed order, with its value in A, in B if there is one, their difference
    /// and their groups.
    [[nodiscard]] std::vector<ViewTable> tables() const override;

Q_SIGNALS:
    void cellHovered(int row, int column);  ///< -1 = left
    void cellChosen(int row, int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void repaintImage();
    /// Extent of the row names in a widget of this extent.
    [[nodiscard]] static double labelExtent(int extent);
    /// Of the cells in view.
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] int longerSide() const { return std::max(content_.a.n, content_.a.columns()); }
    [[nodiscard]] double rowsShown() const { return std::min<double>(count_, content_.a.n); }
    [[nodiscard]] double columnsShown() const { return std::min<double>(count_, content_.a.columns()); }
    [[nodiscard]] double cellSize() const { return area().width() / columnsShown(); }
    [[nodiscard]] QPoint cellAt(const QPointF& pixel) const;
    [[nodiscard]] bool showsB() const;
    /// Shows so many rows about a fixed point, in rows.
    void zoomTo(double count, QPointF centre);
    void setWindow(double column, double row, double count);
    [[nodiscard]] QPointF cellsAt(const QPointF& pixel) const;
    [[nodiscard]] QRectF zoomBox() const;
    [[nodiscard]] bool isGrouped() const { return content_.groups.size() > 1; }
    void drawGroups(QPainter& painter, const QRectF& area) const;
    void drawZoomBox(QPainter& painter, const QRectF& area) const;
    void drawLabels(QPainter& painter, const QRectF& area) const;
    void drawBar(QPainter& painter, const QRectF& area) const;
    void drawCross(QPainter& painter, const QRectF& area, QPoint cell, const QColor& color) const;

    Content content_;
    QImage image_;
    double first_ = 0, count_ = 0;  ///< the view, in cells of the longer side
    double firstColumn_ = 0;
    QPoint hovered_{-1, -1}, chosen_{-1, -1};
    bool flicker_ = false;
    enum class Drag : unsigned char { None, Zoom, Pan };
    Drag drag_ = Drag::None;
    QPointF pressed_, dragged_;  ///< pixels
    Window before_;              ///< when the button was pressed
};

}  // namespace kurve::views
