#include "core/metrics/embedding_match.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>

#include "core/base/check.h"
#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"

namespace kurve::metrics {
namespace {

using UnitRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

UnitRows unitRows(const std::vector<std::int32_t>& ids, const WordVectors& vectors) {
    UnitRows rows(static_cast<Eigen::Index>(ids.size()), static_cast<Eigen::Index>(vectors.width));
    const std::size_t count = vectors.values.size() / vectors.width;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        KURVE_CHECK(ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < count, "token {} of {}", ids[i], count);
        const float* from = vectors.values.data() + static_cast<std::size_t>(ids[i]) * vectors.width;
        auto row = rows.row(static_cast<Eigen::Index>(i));
        row = Eigen::Map<const Eigen::RowVectorXf>(from, rows.cols());
        const float length = row.norm();
        if (length > 0) row /= length;
    }
    return rows;
}

/// Precision, recall, F1.
std::array<double, 3> matched(const std::vector<std::int32_t>& hypothesis,
                              const std::vector<std::int32_t>& reference, const WordVectors& vectors) {
    if (hypothesis.empty() && reference.empty()) return {1, 1, 1};
    if (hypothesis.empty() || reference.empty()) return {0, 0, 0};
    const Eigen::MatrixXf cosines = unitRows(hypothesis, vectors) * unitRows(reference, vectors).transpose();
    const double precision = cosines.rowwise().maxCoeff().cast<double>().mean(),
                 recall = cosines.colwise().maxCoeff().cast<double>().mean();
    if (precision <= 0 || recall <= 0) return {precision, recall, 0};
    return {precision, recall, 2 * precision * recall / (precision + recall)};
}

}  // namespace

Result<Score> embeddingF1(const MatchedTokens& tokens, const WordVectors& vectors) {
    const std::size_t count = tokens.hypotheses.size();
    if (count == 0) return requestError("metric.empty", "nothing to score").fix("give at least one line");
    if (tokens.references.size() != count)
        return requestError("metric.counts",
                            fmt::format("{} hypotheses but {} references", count, tokens.references.size()));
    KURVE_CHECK(vectors.width > 0 && vectors.values.size() % vectors.width == 0, "{} values in rows of {}",
                vectors.values.size(), vectors.width);
    detail::SentenceStatistics statistics(4);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [precision, recall, f1] = matched(tokens.hypotheses[i], tokens.references[i], vectors);
        statistics.add(std::array<double, 4>{f1, precision, recall, 1});
    }
    Score score = detail::scoreOf(statistics, [](std::span<const double> sums) { return sums[0] / sums[3]; });
    const std::vector<double> sums = statistics.sums();
    score.parts = {{"precision", sums[1] / sums[3]}, {"recall", sums[2] / sums[3]}};
    score.signature = fmt::format("match:greedy|vectors:own|level:sentence|kurve:{}", versionText());
    return score;
}

}  // namespace kurve::metrics
