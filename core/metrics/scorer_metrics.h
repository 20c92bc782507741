#pragma once

#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Metrics by a scorer: another model that reads the outputs. By name among the metrics; not in
/// metricKinds(), which need texts alone.
inline constexpr const char* kGenPerplexity = "gen_ppl";  ///< less is better
inline constexpr const char* kMauve = "mauve";

/// A scorer's features of one text each, of equal width; empty where it could not read the text.
using Features = std::span<const std::vector<double>>;

/// How near outputs are to references as two clouds of texts, 0 to 1 (1: the same cloud): the area under the
/// divergence frontier of MAUVE (Pillutla et al., "MAUVE: Measuring the Gap Between Neural Text and Human
/// Text Using Divergence Frontiers", NeurIPS 2021), but on the features that are given instead of a large
/// pretrained model's, so that its numbers compare only where the scorer is the same.
///
/// The features are scaled to length 1 and clustered together, k = max(2, n / 10), by Lloyd's k-means that
/// begins with the feature nearest their mean and then always the one farthest from all centres: no random
/// number decides. P and Q are the fractions of outputs and of references in the clusters; for the mixtures
/// R = w P + (1 - w) Q, 25 weights w evenly in [1e-6, 1 - 1e-6], the frontier runs through
/// (exp(-5 KL(Q|R)), exp(-5 KL(P|R))) from (1, 0) to (0, 1). `outputs` and `references` belong together line
/// by line; a line of which one side is empty is left out and counted in parts["unread"]. The interval is the
/// jackknife's over lines with fixed clusters; of fewer than 50 lines it is [0, 1], since two to four
/// clusters cannot tell clouds apart. Errors: metric.counts, metric.empty (fewer than two lines).
Result<Score> mauve(Features outputs, Features references);

/// That area for two distributions over the same clusters; both sum to 1.
[[nodiscard]] double divergenceFrontierArea(std::span<const double> p, std::span<const double> q);

/// The cluster of each row, 0 to k - 1, by the k-means above. Rows of equal width.
[[nodiscard]] std::vector<std::size_t> farthestFirstClusters(const std::vector<std::vector<double>>& rows,
                                                             std::size_t k);

}  // namespace kurve::metrics
