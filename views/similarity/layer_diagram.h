#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/trace/trace.h"
#include "views/common/table/view_table.h"

namespace kurve::views {

/// A row of a trace's block "layer_reads".
struct LayerRead {
    bool ofText = false;                ///< else of the source
    int layer = 0, own = 0, other = 0;  ///< other: -1 where it reads that side not
    /// "source layer 1 reads the source after 1 layer and the text after 1 layer"
    [[nodiscard]] QString inWords() const;
};
/// In the order in which they were computed; empty without such a block.
[[nodiscard]] std::vector<LayerRead> layerReadsOf(const trace::Trace& trace);

/// Which layer read what: two columns of boxes, source and text, from top to bottom as they were computed,
/// with arrows from the states that they read. A click, or Enter, chooses a layer. GUI thread.
class LayerDiagram : public QWidget, public Exported {
    Q_OBJECT
public:
    explicit LayerDiagram(QWidget* parent = nullptr);

    void show(std::vector<LayerRead> reads);
    [[nodiscard]] const std::vector<LayerRead>& reads() const { return reads_; }
    void select(int read);  ///< its words are shown; -1: none
    [[nodiscard]] int selected() const { return selected_; }
    /// Of one of the reads, or with a negative number of a side's input: -1 source, -2 text.
    [[nodiscard]] QRectF box(int read) const;
    [[nodiscard]] std::vector<ViewTable> tables() const override;

Q_SIGNALS:
    void layerChosen(bool ofText, int layer);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] int readAt(const QPointF& pixel) const;
    /// The box that made a side's state after so many layers.
    [[nodiscard]] int producer(bool ofText, int layers) const;
    void drawArrows(QPainter& painter, int read) const;
    void drawBox(QPainter& painter, int read) const;
    void choose();

    std::vector<LayerRead> reads_;
    int selected_ = -1;
};

}  // namespace kurve::views
