#include "core/metrics/detail/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"

namespace kurve::metrics::detail {
namespace {

constexpr std::size_t kResamples = 1000;
constexpr std::uint64_t kSeed = 12345;

void addTo(std::vector<double>& sums, std::span<const double> row) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += row[k];
}

}  // namespace

std::vector<double> SentenceStatistics::sums() const {
    std::vector<double> total(width_);
    for (std::size_t i = 0; i < sentences(); ++i) addTo(total, row(i));
    return total;
}

Score scoreOf(const SentenceStatistics& statistics,
              const std::function<double(std::span<const double> sums)>& finish) {
    Score score;
    score.value = finish(statistics.sums());
    score.n = static_cast<int>(statistics.sentences());
    score.low = score.high = NAN;
    if (statistics.sentences() < 2) return score;
    std::vector<double> values, sums(statistics.width());
    RandomStream stream(kSeed, "metrics.bootstrap");
    for (std::size_t r = 0; r < kResamples; ++r) {
        std::fill(sums.begin(), sums.end(), 0);
        for (std::size_t i = 0; i < statistics.sentences(); ++i)
            addTo(sums, statistics.row(stream.below(statistics.sentences())));
        values.push_back(finish(sums));
    }
    std::sort(values.begin(), values.end());
    score.low = values[kResamples / 40];
    score.high = values[kResamples - kResamples / 40 - 1];
    return score;
}

void setJackknifeInterval(Score& score, std::size_t n, const std::function<double(std::size_t i)>& without) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double value = without(i);
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(n);
    const double error = std::sqrt(std::max(0.0, (count - 1) / count * (squares - sum * sum / count)));
    score.low = std::max(0.0, score.value - 1.96 * error);
    score.high = score.value + 1.96 * error;
}

}  // namespace kurve::metrics::detail
