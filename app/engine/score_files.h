#pragma once

#include <string>
#include <vector>

#include "app/engine/command.h"
#include "core/metrics/metric.h"

namespace kurve::engine {

/// Request of `kurve score`.
struct ScoreRequest {
    std::string metric, hypotheses, tokenize, run, sources, checkpoint = "last";
    std::vector<std::string> references;
    bool perToken = false;
};

/// {"metric","value","ci95","n","signature","parts"}
[[nodiscard]] nlohmann::json scoreDocument(const std::string& metric, const metrics::Score& score);
/// "[low, high]  ", empty where a score has no interval.
[[nodiscard]] std::string intervalText(const metrics::Score& score, int digits);
/// The same for people.
[[nodiscard]] std::string scoreText(const std::string& metric, const metrics::Score& score);

/// A metric on text files, without a model. Errors: those of the metric, metric.counts.
Status scoreFiles(const ScoreRequest& request, Output& out);

}  // namespace kurve::engine
