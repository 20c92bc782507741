#pragma once

#include <QImage>
#include <vector>

#include "core/base/cancel_token.h"
#include "views/states/similarity_model.h"

namespace kurve::views {

/// What a matrix is painted with; read from the theme on the GUI thread, used on any.
struct MatrixColors {
    QColor positive, zero, negative, missing;
    double scale = 1;  ///< the value that has the full colour
    [[nodiscard]] MatrixColors scaledTo(double value) const;
    [[nodiscard]] QRgb of(float value) const;
};
[[nodiscard]] MatrixColors matrixColors(double scale);
/// One pixel a cell.
[[nodiscard]] QImage paintMatrix(const metrics::SimilarityMatrix& matrix, const MatrixColors& colors);

/// The numbers of one layer through the steps.
struct LayerSummary {
    std::vector<double> meanOffDiagonal, adjacent, effectiveRank;  ///< [steps]
};

/// All thumbnails and summaries of a trace: [layer][step].
struct Overview {
    std::vector<std::vector<QImage>> thumbnails;
    std::vector<LayerSummary> layers;    ///< empty vectors for attention
    std::vector<double> repeatedTokens;  ///< [steps] share of slots equal to their left neighbour
};
struct OverviewWish {
    MatrixKind kind = MatrixKind::Cosine;
    MaskedSlots masked = MaskedSlots::Shown;  ///< else the numbers are those of the other slots
    MatrixColors colors;                      ///< scaled by layer where values have no bound
    bool pictures = true;                     ///< else the numbers alone
};
/// Takes a moment for long sentences: for a worker.
[[nodiscard]] Overview overviewOf(const StateSource& source, const OverviewWish& wish,
                                  const CancelToken& cancel);

/// Products and attention are scaled to their values; the others lie between -1 and 1.
[[nodiscard]] bool isUnbounded(const StateLayer& layer, MatrixKind kind);

}  // namespace kurve::views
