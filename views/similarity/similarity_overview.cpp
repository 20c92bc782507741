#include "views/similarity/similarity_overview.h"

#include <algorithm>
#include <cmath>

#include "views/common/theme.h"

namespace kurve::views {

namespace {

int blend(int from, int to, double part) {
    return static_cast<int>(std::lround(from + (to - from) * part));
}

metrics::SimilarityMeasure measureOf(MatrixKind kind) {
    if (kind == MatrixKind::CentredCosine) return metrics::SimilarityMeasure::CentredCosine;
    if (kind == MatrixKind::Dot) return metrics::SimilarityMeasure::Dot;
    return metrics::SimilarityMeasure::Cosine;
}

double repeatedAt(const trace::Trace& trace, int step) {
    int same = 0;
    for (int slot = 1; slot < trace.slots; ++slot)
        same += trace.tokens[trace.cell(step, slot)] == trace.tokens[trace.cell(step, slot - 1)] ? 1 : 0;
    return trace.slots > 0 ? static_cast<double>(same) / trace.slots : 0;
}

}  // namespace

QRgb MatrixColors::of(float value) const {
    if (!std::isfinite(value)) return missing.rgb();
    const double part = std::clamp(std::abs(static_cast<double>(value)) / scale, 0.0, 1.0);
    const QColor& full = value >= 0 ? positive : negative;
    return qRgb(blend(zero.red(), full.red(), part), blend(zero.green(), full.green(), part),
                blend(zero.blue(), full.blue(), part));
}

MatrixColors matrixColors(double scale) {
    const bool dark = theme().dark;
    // Blue and orange: told apart by every common colour vision.
    return {dark ? QColor(0xf4, 0x9d, 0x4a) : QColor(0xb3, 0x58, 0x06), theme().surface,
            dark ? QColor(0x5a, 0xa9, 0xe6) : QColor(0x1f, 0x5f, 0xa8), theme().grid, scale};
}

QImage paintMatrix(const metrics::SimilarityMatrix& matrix, const MatrixColors& colors) {
    QImage image(matrix.n, matrix.n, QImage::Format_RGB32);
    for (int row = 0; row < matrix.n; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < matrix.n; ++column) line[column] = colors.of(matrix.at(row, column));
    }
    return image;
}

Overview overviewOf(const StateSource& source, MatrixKind kind, const MatrixColors& colors,
                    const CancelToken& cancel) {
    Overview overview;
    const auto& layers = source.layers();
    overview.thumbnails.resize(layers.size());
    overview.layers.resize(layers.size());
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
        for (int step = 0; step < source.steps(); ++step) {
            if (cancel.requested()) return overview;
            const auto index = static_cast<int>(layer);
            overview.thumbnails[layer].push_back(paintMatrix(source.matrix(index, step, kind), colors));
            if (layers[layer].attention) continue;
            const auto summary =
                metrics::summarize(source.states(index, step), layers[layer].rows, measureOf(kind));
            overview.layers[layer].meanOffDiagonal.push_back(summary.meanOffDiagonal);
            overview.layers[layer].adjacent.push_back(summary.adjacent);
            overview.layers[layer].effectiveRank.push_back(summary.effectiveRank);
        }
    for (int step = 0; step < source.steps(); ++step)
        overview.repeatedTokens.push_back(repeatedAt(source.trace(), step));
    return overview;
}

}  // namespace kurve::views
