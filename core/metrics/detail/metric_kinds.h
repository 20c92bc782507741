#pragma once

#include "core/metrics/metric.h"

namespace kurve::metrics::detail {

/// One per metric; the list is in metric.cpp.
MetricKind bleuKind();
MetricKind compoundBleuKind();
MetricKind sentenceBleuKind();
MetricKind nltkBleuKind();
MetricKind chrfKind();
MetricKind chrfPlusPlusKind();
MetricKind distinct1Kind();
MetricKind distinct2Kind();
MetricKind distinct3Kind();
MetricKind tokenRepetitionKind();
MetricKind wordRepetitionKind();
MetricKind tokenAccuracyKind();
MetricKind exactMatchKind();
MetricKind rougeLKind();
MetricKind selfBleuKind();
MetricKind selfBleuPairsKind();
MetricKind div4Kind();
MetricKind wordEntropyKind();
MetricKind textRepetitionKind();
MetricKind sourceOverlapKind();
MetricKind wordRatioKind();

}  // namespace kurve::metrics::detail
