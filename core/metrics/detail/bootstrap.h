#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics::detail {

/// A corpus score is a function of sums of per-sentence numbers; this is what makes resampling cheap.
class SentenceStatistics {
public:
    explicit SentenceStatistics(std::size_t width) : width_(width) {}
    void add(std::span<const double> row) { rows_.insert(rows_.end(), row.begin(), row.end()); }
    [[nodiscard]] std::size_t sentences() const { return rows_.size() / width_; }
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] std::span<const double> row(std::size_t i) const {
        return {rows_.data() + i * width_, width_};
    }
    [[nodiscard]] std::vector<double> sums() const;

private:
    std::size_t width_;
    std::vector<double> rows_;
};

/// value, low, high and n of a score; see Score for the interval.
[[nodiscard]] Score scoreOf(const SentenceStatistics& statistics,
                            const std::function<double(std::span<const double> sums)>& finish);

/// Sets low >= 0 and high around score.value by the standard error of a jackknife over n >= 2 lines.
/// `without`: the value without line i.
void setJackknifeInterval(Score& score, std::size_t n, const std::function<double(std::size_t i)>& without);

}  // namespace kurve::metrics::detail
