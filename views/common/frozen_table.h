#pragma once

#include <QTableView>
#include <vector>

namespace kurve::views {

/// A table whose first columns stay in sight while the others are scrolled sideways: over its left edge lies
/// a picture of them, which takes no focus and hands every click and key to the table. Widths there may be
/// smaller than in the table, so that a narrow one still has room for what is scrolled.
class FrozenTable : public QTableView {
    Q_OBJECT
public:
    explicit FrozenTable(QWidget* parent = nullptr);
    void setModel(QAbstractItemModel* model) override;
    [[nodiscard]] QModelIndex indexAt(const QPoint& place) const override;
    [[nodiscard]] QRect visualRect(const QModelIndex& index) const override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
    using QTableView::edit;
    /// How much of the left edge is covered; 0 while nothing is scrolled away.
    [[nodiscard]] int frozenWidth() const;
    /// The picture: for tests and for painting over it.
    [[nodiscard]] QTableView* frozen() const;

protected:
    struct FrozenColumn {
        int column = 0, width = 0;
    };
    /// From the left. Called at each change of the layout, only while there is a model.
    [[nodiscard]] virtual std::vector<FrozenColumn> frozenColumns() const = 0;
    /// After the cells of the table or of the picture: both have the same rows at the same heights.
    virtual void paintOver(QWidget* viewport, const QRect& exposed);
    /// After a change of what frozenColumns() gives.
    void placeFrozen();
    void setPictured(QAbstractItemModel* maybeModel);
    void updateGeometries() override;
    void scrollContentsBy(int dx, int dy) override;
    void paintEvent(QPaintEvent* event) override;
    bool edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) override;

private:
    class Picture;
    [[nodiscard]] bool isFrozen(int column) const;
    void showColumns(const std::vector<FrozenColumn>& columns);

    Picture* picture_;
    std::vector<FrozenColumn> shown_;
};

}  // namespace kurve::views
