#include "core/metrics/brier_scores.h"

#include "core/base/check.h"

namespace kurve::metrics {
namespace {

constexpr double kBrierPercent = 100, kNormal95 = 1.96;

std::string idOf(const char* of, std::size_t order) {
    return std::string(of) + "-" + std::to_string(order);
}
constexpr const char *kBrierAccuracy = "brier-accuracy", *kBrierCollision = "brier-collision";

Score scoreOf(const BrierValue& of, double scale, const BrierResult& result, const std::string& signature) {
    const double value = scale * of.value, half = kNormal95 * scale * of.error;
    return {value, value - half, value + half, static_cast<int>(result.starts), signature, {}};
}

}  // namespace

std::string brierId(std::size_t order) {
    return idOf(kBrier, order);
}

std::vector<std::string> brierIds() {
    std::vector<std::string> ids{kBrierLm};
    for (const char* of : {kBrier, kBrierAccuracy, kBrierCollision})
        for (std::size_t n = 1; n <= kBrierOrders; ++n) ids.push_back(idOf(of, n));
    return ids;
}

std::map<std::string, Score> brierScores(const BrierResult& result, const std::string& signature) {
    KURVE_CHECK(result.brierlm.has_value(), "{} orders", result.orders.size());
    std::map<std::string, Score> scores;
    for (std::size_t i = 0; i < result.orders.size(); ++i) {
        const auto& [brier, accuracy, collision] = result.orders[i];
        const auto add = [&](const char* of, const BrierValue& value) {
            scores[idOf(of, i + 1)] = scoreOf(value, kBrierPercent, result, signature);
        };
        add(kBrier, brier);
        add(kBrierAccuracy, accuracy);
        add(kBrierCollision, collision);
    }
    // It has the 100 in its definition.
    scores[kBrierLm] =
        scoreOf(*result.brierlm, 1, result, signature + (result.degenerate ? "|degenerate" : ""));
    return scores;
}

}  // namespace kurve::metrics
