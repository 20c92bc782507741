#include "core/schedule/noise_effect.h"

#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"

namespace kurve::schedule {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kLeastSignal = 1e-4;  // less signal counts as none

EffectRow maskedAt(const NoiseSchedule& schedule, const EffectSentence& sentence, double t) {
    EffectRow row{t, schedule.logSnr(t), schedule.alpha(t), 0, sentence.rows, {}, 0};
    RandomStream random(kSeed, "view.effect");
    for (int& token : row.nearest)
        if (random.uniform() >= row.survival) token = -1;
    return row;
}

/// z / alpha = z0 + sigma / alpha eps of every token.
std::vector<float> noisyPoints(const EffectSentence& sentence, double ratio, std::uint64_t draw) {
    RandomStream random(kSeed, "view.effect", draw);
    std::vector<float> points;
    for (const int row : sentence.rows)
        for (const float value : sentence.table->row(row))
            points.push_back(value + static_cast<float>(ratio * random.normal()));
    return points;
}

}  // namespace

void addFractions(EffectRow& row, const std::vector<double>& fractions) {
    row.draws = static_cast<int>(fractions.size());
    const auto count = static_cast<double>(fractions.size());
    for (const double fraction : fractions) row.survival += fraction / count;
    double squares = 0;
    for (const double fraction : fractions) squares += (fraction - row.survival) * (fraction - row.survival);
    if (fractions.size() > 1) row.error = std::sqrt(squares / (count - 1) / count);
}

const std::vector<double>& effectTimes() {
    static const std::vector<double> times{0, 0.15, 0.3, 0.45, 0.6, 0.8, 1};
    return times;
}

std::vector<EffectRow> effectOf(const NoiseSchedule& schedule, const EffectSentence& sentence,
                                const std::vector<double>& times, int draws) {
    std::vector<EffectRow> out;
    for (const double t : times) {
        if (schedule.maskProbability(t)) {
            out.push_back(maskedAt(schedule, sentence, t));
            continue;
        }
        if (!sentence.table) continue;
        EffectRow row{t, schedule.logSnr(t), 0, 0, {}, {}, 0};
        const double ratio = schedule.sigma(t) / std::max(kLeastSignal, schedule.alpha(t));
        std::vector<double> fractions;
        for (int draw = 0; draw < draws; ++draw) {
            const auto points = noisyPoints(sentence, ratio, static_cast<std::uint64_t>(draw));
            const auto nearest = sentence.table->nearest(points, 1);
            int same = 0;
            for (std::size_t i = 0; i < nearest.size(); ++i) {
                same += nearest[i].row == sentence.rows[i] ? 1 : 0;
                if (draw == 0) row.nearest.push_back(nearest[i].row);
            }
            fractions.push_back(nearest.empty() ? 0 : same / static_cast<double>(nearest.size()));
        }
        addFractions(row, fractions);
        out.push_back(std::move(row));
    }
    return out;
}

}  // namespace kurve::schedule
