#include "views/common/run_ranking.h"

#include <algorithm>
#include <cmath>

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

bool isQuality(const std::string& metric) {
    const auto has = [&](const char* part) { return metric.find(part) != std::string::npos; };
    return has("loss") || has("nll") || has("bleu") || metric.rfind("valid_", 0) == 0;
}

}  // namespace kurve::views
