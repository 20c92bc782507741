#include "views/states/similarity_overview.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/trace/marks.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kLevels = 127, kZeroLevel = kLevels + 1;  // 0 is a cell that is missing

int blend(int from, int to, double part) {
    return static_cast<int>(std::lround(from + (to - from) * part));
}

metrics::SimilarityMeasure measureOf(inspect::MatrixKind kind) {
    switch (summaryKind(kind)) {
        case inspect::MatrixKind::CentredCosine:
            return metrics::SimilarityMeasure::CentredCosine;
        case inspect::MatrixKind::Dot:
            return metrics::SimilarityMeasure::Dot;
        default:
            return metrics::SimilarityMeasure::Cosine;
    }
}

double repeatedAt(const trace::Trace& trace, int step, inspect::MaskedPositions masked) {
    const auto counts = [&](int position) {
        return trace.tokenAt(step, position) != trace::kNoToken &&
               trace.stateAt(step, position) != trace::TokenState::Pad &&
               (masked == inspect::MaskedPositions::Included || !trace::foundMasked(trace, step, position));
    };
    int same = 0, pairs = 0;
    for (int position = 1; position < trace.positions; ++position) {
        if (!counts(position - 1) || !counts(position)) continue;
        same += trace.tokenAt(step, position) == trace.tokenAt(step, position - 1) ? 1 : 0;
        ++pairs;
    }
    return pairs > 0 ? static_cast<double>(same) / pairs : std::nan("");
}

/// The displayed matrix: masked rows included, empty, or excluded.
metrics::SimilarityMatrix displayedMatrix(const inspect::StateSource& source, int layer, int step,
                                          const OverviewRequest& request) {
    if (request.masked == inspect::MaskedPositions::Included) return source.matrix(layer, step, request.kind);
    const auto rows = source.unmasked(layer, step);
    auto matrix = source.matrix(layer, step, request.kind, rows);
    if (request.masked == inspect::MaskedPositions::Excluded || !inspect::comparesRows(request.kind))
        return matrix;
    return inspect::expanded(matrix, rows, source.layers()[static_cast<std::size_t>(layer)].rows);
}

bool sameAtEveryStep(const OverviewRequest& request) {
    return request.kind == inspect::MatrixKind::BetweenSteps &&
           request.masked == inspect::MaskedPositions::Included;
}

/// One scale for all steps of a layer, so that they can be compared.
double layerScale(const inspect::StateSource& source, int layer, const OverviewRequest& request,
                  const CancelToken& cancel) {
    const inspect::StateLayer& what = source.layers()[static_cast<std::size_t>(layer)];
    if (!isUnbounded(what, request.kind)) return 1;
    double scale = 0;
    for (int step = 0; step < source.steps() && !cancel.requested(); ++step)
        scale = std::max(scale,
                         inspect::robustScale(displayedMatrix(source, layer, step, request), !what.crosses));
    return scale > 0 ? scale : 1;
}

/// Of the tokens, without padding. Neighbours are those of the sentence: a token next to a masked one has
/// none there.
metrics::SimilaritySummary summaryOf(const inspect::StateSource& source, int layer, int step,
                                     const OverviewRequest& request) {
    const auto measure = measureOf(request.kind);
    const int all = source.layers()[static_cast<std::size_t>(layer)].rows;
    std::vector<int> rows(static_cast<std::size_t>(all));
    std::iota(rows.begin(), rows.end(), 0);
    rows = request.masked == inspect::MaskedPositions::Included ? source.withoutPadding(layer, step, rows)
                                                                : source.unmasked(layer, step);
    if (rows.empty()) return {NAN, NAN, NAN};
    const auto states = source.statesOf(layer, step, rows);
    const int n = static_cast<int>(rows.size());
    metrics::SimilaritySummary summary = metrics::summarize(states, n, measure);
    if (n < 2) summary.meanOffDiagonal = NAN;
    if (n == all) return summary;
    double sum = 0;
    int pairs = 0;
    for (int i = 0; i + 1 < n; ++i) {
        if (rows[static_cast<std::size_t>(i) + 1] != rows[static_cast<std::size_t>(i)] + 1) continue;
        sum += metrics::similarityOf(states, n, {i, i + 1}, measure);
        ++pairs;
    }
    summary.adjacent = pairs > 0 ? sum / pairs : NAN;
    return summary;
}

}  // namespace

inspect::MatrixKind summaryKind(inspect::MatrixKind kind) {
    return inspect::comparesRows(kind) ? kind : inspect::MatrixKind::Cosine;
}

bool isUnbounded(const inspect::StateLayer& layer, inspect::MatrixKind kind) {
    return kind == inspect::MatrixKind::Dot || layer.attention;
}

QRgb MatrixColors::of(float value) const {
    if (!std::isfinite(value)) return missing.rgb();
    const double part = std::clamp(std::abs(static_cast<double>(value)) / scale, 0.0, 1.0);
    const QColor& full = value >= 0 ? positive : negative;
    return qRgb(blend(zero.red(), full.red(), part), blend(zero.green(), full.green(), part),
                blend(zero.blue(), full.blue(), part));
}

MatrixColors matrixColors(double scale) {
    const bool dark = theme().dark;
    // Blue and orange: distinguishable in every common colour vision.
    return {dark ? QColor(0xf4, 0x9d, 0x4a) : QColor(0xb3, 0x58, 0x06), theme().surface,
            dark ? QColor(0x5a, 0xa9, 0xe6) : QColor(0x1f, 0x5f, 0xa8), theme().grid, scale};
}

QImage levelsOf(const metrics::SimilarityMatrix& matrix, double scale) {
    QImage image(matrix.columns(), matrix.n, QImage::Format_Indexed8);
    for (int row = 0; row < matrix.n; ++row) {
        uchar* line = image.scanLine(row);
        for (int column = 0; column < image.width(); ++column) {
            const double value = static_cast<double>(matrix.at(row, column));
            const double part = std::clamp(value / scale, -1.0, 1.0);
            line[column] =
                std::isfinite(value) ? static_cast<uchar>(kZeroLevel + std::lround(part * kLevels)) : 0;
        }
    }
    return image;
}

QList<QRgb> matrixColorTable() {
    const MatrixColors colors = matrixColors(kLevels);
    QList<QRgb> table{colors.missing.rgb()};
    for (int level = -kLevels; level <= kLevels; ++level) table << colors.of(static_cast<float>(level));
    return table;
}

Overview overviewOf(const inspect::StateSource& source, const OverviewRequest& request,
                    const CancelToken& cancel) {
    Overview overview;
    const auto& layers = source.layers();
    overview.thumbnails.resize(layers.size());
    overview.layers.resize(layers.size());
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const auto index = static_cast<int>(layer);
        const double scale = request.pictures ? layerScale(source, index, request, cancel) : 1;
        for (int step = 0; step < source.steps(); ++step) {
            if (cancel.requested()) return overview;
            if (request.pictures)
                overview.thumbnails[layer].push_back(
                    step > 0 && sameAtEveryStep(request) && !layers[layer].attention
                        ? overview.thumbnails[layer].back()
                        : levelsOf(displayedMatrix(source, index, step, request), scale));
            if (layers[layer].attention) continue;
            const auto summary = summaryOf(source, index, step, request);
            overview.layers[layer].meanOffDiagonal.push_back(summary.meanOffDiagonal);
            overview.layers[layer].adjacent.push_back(summary.adjacent);
            overview.layers[layer].effectiveRank.push_back(summary.effectiveRank);
        }
    }
    for (int step = 0; step < source.steps(); ++step)
        overview.repeatedTokens.push_back(repeatedAt(source.trace(), step, request.masked));
    return overview;
}

}  // namespace kurve::views
