#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <utility>
#include <vector>

namespace kurve::views {

/// At most `most` of the runs with the best values, the best first; ties keep their order, values that are
/// not finite are left out.
[[nodiscard]] QStringList bestRuns(std::vector<std::pair<double, QString>> valued, bool higherIsBetter,
                                   qsizetype most);

/// The kind of a metric, in order of importance: evaluation scores ("eval_test_bleu") and validation scores,
/// validation losses, training losses, anything else.
enum class MetricSort : unsigned char { Score, ValidLoss, Loss, Other };
[[nodiscard]] MetricSort sortOf(const std::string& metric);
/// Scores and losses: of the other curves (learning rate, throughput, norms) neither direction is better.
[[nodiscard]] bool isQuality(const std::string& metric);
/// BLEU against references; self_bleu measures diversity.
[[nodiscard]] bool isBleu(const std::string& metric);
[[nodiscard]] bool isLoss(const std::string& metric);
/// By sort; of one sort BLEU and chrF of outputs first, then by name.
[[nodiscard]] std::vector<std::string> qualityFirst(std::vector<std::string> metrics);

}  // namespace kurve::views
