#pragma once

#include <QTableView>
#include <vector>

namespace kurve::views {

/// A table with frozen columns: while it is scrolled sideways an overlay at its left edge shows them, which
/// takes no focus and forwards every click and key to the table. Columns of the overlay may be narrower than
/// in the table, so that a narrow table has space for the scrolled ones.
class FrozenTable : public QTableView {
    Q_OBJECT
public:
    explicit FrozenTable(QWidget* parent = nullptr);
    void setModel(QAbstractItemModel* model) override;
    [[nodiscard]] QModelIndex indexAt(const QPoint& position) const override;
    [[nodiscard]] QRect visualRect(const QModelIndex& index) const override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
    using QTableView::edit;
    /// The covered width at the left edge; 0 while nothing is scrolled.
    [[nodiscard]] int frozenWidth() const;
    /// The overlay: for tests and for painting over it.
    [[nodiscard]] QTableView* frozen() const;

protected:
    struct FrozenColumn {
        int column = 0, width = 0;
    };
    /// From the left. Called at each change of the layout, only while there is a model.
    [[nodiscard]] virtual std::vector<FrozenColumn> frozenColumns() const = 0;
    /// Painted after the cells of the table or of the overlay: both have the same rows at the same heights.
    virtual void paintOver(QWidget* viewport, const QRect& exposed);
    /// After a change of frozenColumns().
    void placeFrozen();
    void setOverlayModel(QAbstractItemModel* maybeModel);
    void updateGeometries() override;
    void scrollContentsBy(int dx, int dy) override;
    void paintEvent(QPaintEvent* event) override;
    bool edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) override;

private:
    class Overlay;
    [[nodiscard]] bool isFrozen(int column) const;
    void showColumns(const std::vector<FrozenColumn>& columns);

    Overlay* overlay_;
    std::vector<FrozenColumn> shown_;
};

}  // namespace kurve::views
