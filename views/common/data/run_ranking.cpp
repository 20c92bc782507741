#include "views/common/data/run_ranking.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kurve::views {

QStringList bestRuns(std::vector<std::pair<double, QString>> valued, bool higherIsBetter, qsizetype most) {
    std::erase_if(valued, [](const auto& one) { return !std::isfinite(one.first); });
    std::stable_sort(valued.begin(), valued.end(), [&](const auto& a, const auto& b) {
        return higherIsBetter ? a.first > b.first : a.first < b.first;
    });
    QStringList best;
    for (const auto& [value, run] : valued)
        if (best.size() < most) best << run;
    return best;
}

MetricSort sortOf(const std::string& metric) {
    const auto has = [&](const char* part) { return metric.find(part) != std::string::npos; };
    const auto begins = [&](const char* part) { return metric.rfind(part, 0) == 0; };
    if (begins("copy_")) return MetricSort::Other;  // a property of the data
    const bool loss = has("loss") || has("nll");
    if (begins("eval_") || begins("front_")) return MetricSort::Score;
    if (begins("valid_")) return loss ? MetricSort::ValidLoss : MetricSort::Score;
    if (has("bleu")) return MetricSort::Score;
    return loss ? MetricSort::Loss : MetricSort::Other;
}

namespace {

/// BLEU and chrF before the other scores.
int scoreRank(const std::string& metric) {
    if (isBleu(metric)) return 0;
    return sortOf(metric) == MetricSort::Score && metric.find("chrf") != std::string::npos ? 1 : 2;
}

}  // namespace

bool isQuality(const std::string& metric) {
    return sortOf(metric) != MetricSort::Other;
}

bool isBleu(const std::string& metric) {
    return sortOf(metric) == MetricSort::Score && metric.find("bleu") != std::string::npos &&
           metric.find("self") == std::string::npos;
}

bool isLoss(const std::string& metric) {
    return sortOf(metric) == MetricSort::ValidLoss || sortOf(metric) == MetricSort::Loss;
}

std::vector<std::string> qualityFirst(std::vector<std::string> metrics) {
    const auto key = [](const std::string& metric) {
        return std::tuple(sortOf(metric), metric.rfind("eval_", 0) != 0, scoreRank(metric), metric);
    };
    std::sort(metrics.begin(), metrics.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    return metrics;
}

}  // namespace kurve::views
