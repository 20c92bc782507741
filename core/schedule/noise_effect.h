#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/curve/nearest.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// A sentence as rows of an embedding table.
struct EffectSentence {
    std::shared_ptr<const curve::EmbeddingTable> table;  ///< null for mask schedules
    std::vector<int> rows;
};

/// What noise of one level leaves of a sentence.
struct EffectRow {
    double t = 0, logSnr = 0;
    double survival = 0;  ///< fraction of tokens that stay the nearest, over all draws
    double error = 0;  ///< its standard error, from the standard deviation of the draws; 0 where it is exact
    std::vector<int> nearest;  ///< of the first draw; -1 = masked
    std::string written;       ///< instead of them where a decoder writes texts: of the first draw
    int draws = 0;             ///< of which it is the mean; 0 = exact
};

/// The schedule's noise on every token's vector z0: z = alpha z0 + sigma eps, whose nearest token is that of
/// z / alpha (the likeliest one, if all are equally frequent). The noise of a draw is the same at all levels,
/// so that only the level differs. A mask schedule masks instead. Pure; O(levels draws n V d).
[[nodiscard]] std::vector<EffectRow> effectOf(const NoiseSchedule& schedule, const EffectSentence& sentence,
                                              const std::vector<double>& times, int draws);

/// Sets survival, error and draws from the fraction that survives in each draw.
void addFractions(EffectRow& row, const std::vector<double>& fractions);

/// The seven of the strip.
[[nodiscard]] const std::vector<double>& effectTimes();

}  // namespace kurve::schedule
