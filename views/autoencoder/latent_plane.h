#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/curve/projection.h"
#include "views/autoencoder/reconstruction.h"
#include "views/common/chart/plot_card.h"
#include "views/common/data/background.h"
#include "views/common/table/view_table.h"

class QToolButton;

namespace kurve::views {

/// Chunks as points of a plane: principal components of their means, rings, with the decoded vectors as
/// discs. The axes stay, whatever text follows, until refit(); they are fitted anew where vectors have
/// another width, and after reset().
class LatentPlane : public PlotCard {
    Q_OBJECT
public:
    explicit LatentPlane(QWidget* parent = nullptr);
    void setChunks(std::vector<ReconstructedChunk> chunks);
    /// Chunks of other texts, faint behind them; the axes are fitted anew, on both.
    void setCloud(std::vector<ReconstructedChunk> chunks);
    void setEnds(std::array<int, 2> rows);  ///< -1: none
    /// Fits the axes on what is shown.
    void refit();
    /// Other weights: their vectors have nothing to do with those before.
    void reset();
    [[nodiscard]] const std::optional<curve::LinearBasis>& basis() const { return basis_; }
    [[nodiscard]] std::vector<ViewTable> tables() const override;

Q_SIGNALS:
    /// A point was chosen; `second` with Shift.
    void chunkChosen(int row, bool second);

private:
    using Plane = std::array<double, 2>;
    [[nodiscard]] Plane at(const std::vector<float>& vector) const;
    void draw();
    void nameEnds(std::vector<ChartLayer>& layers) const;
    [[nodiscard]] ChartLayer between() const;
    void fitRange(const std::vector<ChartLayer>& layers);
    void keepAspect();
    void caption();
    void read(double x, double y);
    [[nodiscard]] int nearest(double x, double y) const;

    std::vector<ReconstructedChunk> chunks_, cloud_;
    std::array<int, 2> ends_{-1, -1};
    std::optional<curve::LinearBasis> basis_;
    std::size_t fittedOn_ = 0;  ///< chunks
    Background fits_;
    QToolButton* refit_;
    std::array<double, 4> range_{-1, 1, -1, 1};  ///< left, right, bottom, top of all points
};

}  // namespace kurve::views
