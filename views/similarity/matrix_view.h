#pragma once

#include <QImage>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/metrics/similarity.h"
#include "views/common/view_table.h"
#include "views/states/state_order.h"

namespace kurve::views {

/// What the big matrix shows of two matrices of the same size.
enum class MatrixMode : unsigned char { A, B, Difference, SplitTriangle };

/// One matrix, large: an image with the rows' names, a crosshair with the value, a colour bar with its
/// numbers. The wheel zooms, a drag with the left button to the square it spans; one with the middle button,
/// or with Shift, moves what is seen; a double click shows all; a click chooses a cell.
class MatrixView : public QWidget, public HasTables {
    Q_OBJECT
public:
    explicit MatrixView(QWidget* parent = nullptr);

    /// `b` may be empty. The scale belongs to single matrices, `differenceScale` to A - B. A muted diagonal
    /// tells nothing and is left grey.
    struct Content {
        metrics::SimilarityMatrix a, b;
        QStringList labels;
        std::vector<int> order;                 ///< which row of the states stands where
        std::vector<StateOrder::Group> groups;  ///< of rows that stand together; empty: none
        std::vector<bool> marked;               ///< rows with a dot beside their name (repeated words)
        double scale = 1, differenceScale = 1;
        MatrixMode mode = MatrixMode::A;
        bool muteDiagonal = true;
        QString measure;  ///< what the values are, for the table
    };
    void show(Content content);
    [[nodiscard]] const Content& content() const { return content_; }
    /// While on (Space held) the other of the two is shown: B, or A where B is shown alone.
    void setFlicker(bool on);
    [[nodiscard]] QString groupOf(int row) const;  ///< its name; empty where rows are in no groups
    [[nodiscard]] float shownValue(int row, int column) const;
    [[nodiscard]] double shownScale() const;
    void choose(QPoint cell);  ///< column, row; as a click there
    /// By keys: the chosen cell goes so far, and into sight; zoom about it (`factor` > 1: closer); show all.
    void moveChosen(QPoint by);
    void zoom(double factor);
    void showAll();
    /// What is in view: first column, first row and their number.
    struct Window {
        double column = 0, row = 0, count = 0;
    };
    [[nodiscard]] Window window() const { return {firstColumn_, first_, count_}; }
    [[nodiscard]] QPoint chosen() const { return chosen_; }  ///< column, row; (-1, -1) = none
    QSize sizeHint() const override { return {420, 420}; }
    /// Each pair of rows, in the order shown, with its value in A, in B where there is one, and what is
    /// shown; and with their groups.
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
    /// Room for the rows' names in an extent of the widget: less where it is small.
    [[nodiscard]] static double labelRoom(int extent);
    [[nodiscard]] QRectF square() const;
    [[nodiscard]] QPoint cellAt(const QPointF& pixel) const;
    [[nodiscard]] bool showsB() const;
    /// So many rows about a place that stays where it is in the picture; both in rows.
    void zoomTo(double count, QPointF place);
    void setWindow(double column, double row, double count);
    [[nodiscard]] QPointF placeAt(const QPointF& pixel) const;
    [[nodiscard]] QRectF brushed() const;
    [[nodiscard]] bool isGrouped() const { return content_.groups.size() > 1; }
    void drawGroups(QPainter& painter, const QRectF& place) const;
    void drawBrush(QPainter& painter, const QRectF& place) const;
    void drawLabels(QPainter& painter, const QRectF& place) const;
    void drawBar(QPainter& painter, const QRectF& place) const;
    void drawCross(QPainter& painter, const QRectF& place, QPoint cell, const QColor& color) const;

    Content content_;
    QImage image_;
    double first_ = 0, count_ = 0;  ///< what is in view, in rows
    double firstColumn_ = 0;
    QPoint hovered_{-1, -1}, chosen_{-1, -1};
    bool flicker_ = false;
    enum class Hand : unsigned char { Free, Brush, Pan };
    Hand hand_ = Hand::Free;
    QPointF pressed_, dragged_;  ///< pixels
    Window before_;              ///< when the button was pressed
};

}  // namespace kurve::views
