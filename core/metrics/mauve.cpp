#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/scorer_metrics.h"

namespace kurve::metrics {
namespace {

constexpr int kWeights = 25;
constexpr double kEdge = 1e-6, kScale = 5, kPerCluster = 10;
constexpr int kMaxIterations = 100;
constexpr std::size_t kFewClusters = 5;  ///< with fewer the area is nearly always 1

using Row = std::vector<double>;

double squaredDistance(const Row& a, const Row& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

Row meanOf(const std::vector<Row>& rows) {
    Row mean(rows.front().size());
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) mean[i] += row[i] / static_cast<double>(rows.size());
    return mean;
}

/// The row nearest the mean, then k - 1 times the one farthest from all centres; the first among equals.
std::vector<Row> firstCentres(const std::vector<Row>& rows, std::size_t k) {
    const Row mean = meanOf(rows);
    const auto nearest = std::min_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        return squaredDistance(a, mean) < squaredDistance(b, mean);
    });
    std::vector<Row> centres{*nearest};
    std::vector<double> distance(rows.size(), std::numeric_limits<double>::infinity());
    while (centres.size() < k) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            distance[i] = std::min(distance[i], squaredDistance(rows[i], centres.back()));
        const auto farthest = std::max_element(distance.begin(), distance.end());
        if (*farthest <= 0) break;  // every row is a centre
        centres.push_back(rows[static_cast<std::size_t>(farthest - distance.begin())]);
    }
    return centres;
}

std::size_t nearestCentre(const Row& row, const std::vector<Row>& centres) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres.size(); ++c) {
        const double distance = squaredDistance(row, centres[c]);
        if (distance >= least) continue;
        least = distance;
        best = c;
    }
    return best;
}

/// A centre without rows stays where it is.
void moveCentres(const std::vector<Row>& rows, const std::vector<std::size_t>& cluster,
                 std::vector<Row>& centres) {
    std::vector<std::vector<Row>> members(centres.size());
    for (std::size_t i = 0; i < rows.size(); ++i) members[cluster[i]].push_back(rows[i]);
    for (std::size_t c = 0; c < centres.size(); ++c)
        if (!members[c].empty()) centres[c] = meanOf(members[c]);
}

double divergence(std::span<const double> p, std::span<const double> r) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i] > 0) sum += p[i] * std::log(p[i] / r[i]);
    return sum;
}

/// Of length 1; a row of zeros stays.
Row scaled(Row row) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    if (squares > 0)
        for (double& value : row) value /= std::sqrt(squares);
    return row;
}

/// The clusters of n lines, outputs and references.
struct Clustered {
    std::vector<std::size_t> output, reference;
    std::size_t count = 0;

    /// Of all lines but `without`; of all if that is n.
    [[nodiscard]] double area(std::size_t without) const {
        std::vector<double> p(count), q(count);
        const std::size_t n = output.size();
        const auto weight = 1 / static_cast<double>(without < n ? n - 1 : n);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == without) continue;
            p[output[i]] += weight;
            q[reference[i]] += weight;
        }
        return divergenceFrontierArea(p, q);
    }
};

}  // namespace

std::vector<std::size_t> farthestFirstClusters(const std::vector<std::vector<double>>& rows, std::size_t k) {
    KURVE_CHECK(!rows.empty() && k > 0, "{} rows in {} clusters", rows.size(), k);
    std::vector<Row> centres = firstCentres(rows, k);
    std::vector<std::size_t> cluster(rows.size());
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        std::vector<std::size_t> next(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) next[i] = nearestCentre(rows[i], centres);
        const bool converged = iteration > 0 && next == cluster;
        cluster = std::move(next);
        if (converged) break;
        moveCentres(rows, cluster, centres);
    }
    return cluster;
}

double divergenceFrontierArea(std::span<const double> p, std::span<const double> q) {
    KURVE_CHECK(p.size() == q.size(), "{} and {} clusters", p.size(), q.size());
    std::vector<double> mixture(p.size());
    // Along the frontier from (1, 0) to (0, 1): x falls as y grows, also where rounding ties points.
    double x = 1, y = 0, area = 0;
    const auto advance = [&](double nextX, double nextY) {
        area += (x - nextX) * (y + nextY) / 2;
        x = nextX;
        y = nextY;
    };
    for (int k = 0; k < kWeights; ++k) {
        const double w = kEdge + (1 - 2 * kEdge) * k / (kWeights - 1);
        for (std::size_t i = 0; i < p.size(); ++i) mixture[i] = w * p[i] + (1 - w) * q[i];
        advance(std::exp(-kScale * divergence(q, mixture)), std::exp(-kScale * divergence(p, mixture)));
    }
    advance(0, 1);
    return std::clamp(area, 0.0, 1.0);
}

Result<Score> mauve(Features outputs, Features references) {
    if (outputs.size() != references.size())
        return requestError("metric.counts",
                            fmt::format("{} outputs, but {} references", outputs.size(), references.size()));
    std::vector<Row> rows;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].empty() || references[i].empty()) continue;
        KURVE_CHECK(outputs[i].size() == references[i].size(), "features of {} and {} numbers",
                    outputs[i].size(), references[i].size());
        rows.push_back(scaled(outputs[i]));
        rows.push_back(scaled(references[i]));
    }
    const std::size_t n = rows.size() / 2;
    if (n < 2) return requestError("metric.empty", "MAUVE needs at least two readable texts");
    const auto k = static_cast<std::size_t>(std::max(2.0, static_cast<double>(n) / kPerCluster));
    const auto cluster = farthestFirstClusters(rows, k);
    Clustered lines{{}, {}, k};
    for (std::size_t i = 0; i < n; ++i) {
        lines.output.push_back(cluster[2 * i]);
        lines.reference.push_back(cluster[2 * i + 1]);
    }
    Score score;
    score.n = static_cast<int>(n);
    score.value = lines.area(n);
    detail::setJackknifeInterval(score, n, [&](std::size_t i) { return lines.area(i); });
    score.high = std::min(1.0, score.high);
    if (k < kFewClusters) std::tie(score.low, score.high) = std::pair(0.0, 1.0);
    score.signature = fmt::format("feat:pooled-unit|k:{}|init:farthest|c:{:g}|grid:{}|ci:jackknife|kurve:{}",
                                  k, kScale, kWeights, versionText());
    score.parts = {{"clusters", static_cast<double>(k)}, {"unread", static_cast<double>(outputs.size() - n)}};
    return score;
}

}  // namespace kurve::metrics
