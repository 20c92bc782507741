#include "views/autoencoder/noise_accuracy.h"

#include <gtest/gtest.h>

namespace kurve::views {
namespace {

std::shared_ptr<const store::Series> series(std::initializer_list<std::pair<std::int64_t, double>> points) {
    auto made = std::make_shared<store::Series>();
    for (const auto& [step, value] : points) {
        made->step.push_back(step);
        made->wall.push_back(0);
        made->value.push_back(value);
    }
    return made;
}

TEST(NoiseAccuracy, TakesTheLoggedNumbersOfTheCheckpointsEvaluation) {
    RunData data;
    data.series = {{"valid_token_accuracy_noise_100", series({{10, 0.1}, {20, 0.4}})},
                   {"valid_token_accuracy_noise_30", series({{10, 0.3}, {20, 0.8}})},
                   {"valid_token_accuracy_mean", series({{10, 0.5}, {20, 0.9}})},
                   {"valid_token_accuracy", series({{10, 0.45}})},
                   {"valid_chunk_accuracy", series({{20, 0.7}})}};
    const NoiseAccuracy last = noiseAccuracyOf(data, -1);
    EXPECT_EQ(last.noise, (std::vector{0.0, 0.3, 1.0}));
    EXPECT_EQ(last.accuracy, (std::vector{0.9, 0.8, 0.4}));
    EXPECT_EQ(noiseAccuracyOf(data, 15).accuracy, (std::vector{0.5, 0.3, 0.1}));
    EXPECT_TRUE(noiseAccuracyOf(data, 5).noise.empty()) << "no evaluation so early";
    EXPECT_TRUE(noiseAccuracyOf({}, -1).noise.empty());
}

}  // namespace
}  // namespace kurve::views
