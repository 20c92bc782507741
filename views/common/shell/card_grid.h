#pragma once

#include <QScrollArea>
#include <vector>

class QGridLayout;

namespace kurve::views {

/// Charts in a grid, or one below the other where the width is small; scrolls if needed. GUI thread.
class CardGrid : public QScrollArea {
    Q_OBJECT
public:
    struct Cell {
        QWidget* card;
        int row = 0, column = 0, rows = 1, columns = 1;
    };
    explicit CardGrid(const QMargins& margins = {}, QWidget* parent = nullptr);
    /// Cards that were given before and are not among these are hidden. A card has the stretch of its rows.
    void setCells(std::vector<Cell> cells, std::vector<int> rowStretches, std::vector<int> columnStretches);
    /// The same for two equal columns; a single card has the whole width.
    void setCards(const std::vector<QWidget*>& cards);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    QGridLayout* grid_;
    std::vector<Cell> cells_;
    std::vector<int> rowStretches_, columnStretches_;
    bool narrow_ = false;
};

}  // namespace kurve::views
