#pragma once

#include <QImage>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/inspect/state_source.h"

namespace kurve::views {

/// The colours of a matrix; read from the theme on the GUI thread, used on any.
struct MatrixColors {
    QColor positive, zero, negative, missing;
    double scale = 1;  ///< the value that has the full colour
    [[nodiscard]] QRgb of(float value) const;
};
[[nodiscard]] MatrixColors matrixColors(double scale);
/// One pixel and one byte a cell, without the colours, which are in matrixColorTable(). `scale`: the value
/// that has the full colour.
[[nodiscard]] QImage levelsOf(const metrics::SimilarityMatrix& matrix, double scale);
[[nodiscard]] QList<QRgb> matrixColorTable();

/// The numbers of one layer through the steps.
struct LayerSummary {
    std::vector<double> meanOffDiagonal, adjacent, effectiveRank;  ///< [steps] without padding
};

/// All thumbnails and summaries of a trace: [layer][step].
struct Overview {
    std::vector<std::vector<QImage>> thumbnails;  ///< levels, each layer with its own scale
    std::vector<LayerSummary> layers;             ///< empty vectors for attention
    std::vector<double> repeatedTokens;           ///< [steps] fraction of neighbouring tokens that are equal
};
/// The measure of a summary's means: CKA is between layers, not tokens; then the cosine.
[[nodiscard]] inspect::MatrixKind summaryKind(inspect::MatrixKind kind);

struct OverviewRequest {
    inspect::MatrixKind kind = inspect::MatrixKind::Cosine;
    inspect::MaskedPositions masked =
        inspect::MaskedPositions::Included;  ///< else the numbers are those of the other positions
    bool pictures = true;                    ///< else the numbers alone
};
/// Takes a moment for long sentences: for a worker.
[[nodiscard]] Overview overviewOf(const inspect::StateSource& source, const OverviewRequest& request,
                                  const CancelToken& cancel);

/// Products and attention are scaled to their values; the others lie between -1 and 1.
[[nodiscard]] bool isUnbounded(const inspect::StateLayer& layer, inspect::MatrixKind kind);

}  // namespace kurve::views
