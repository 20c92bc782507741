// ROUGE-L against the Python package rouge-score on tests/golden/metrics/make_rouge.py's random pairs.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/metrics/metric.h"
#include "tests/core/metrics/golden_draw.h"

namespace kurve::metrics {
namespace {

using nlohmann::json;

std::string textOf(GoldenDraw& draw, const json& words, const json& between) {
    std::string out;
    for (std::uint64_t left = draw.below(15); left > 0; --left) {
        out += words[draw.below(words.size())].get<std::string>();
        out += between[draw.below(between.size())].get<std::string>();
    }
    return out;
}

TEST(Rouge, EqualsThePackageOnRandomPairs) {
    const json golden = json::parse(std::ifstream(KURVE_SOURCE_DIR "/tests/golden/metrics/rouge.json"));
    GoldenDraw draw(golden.at("seed"));
    ASSERT_EQ(golden.at("scores").size(), 10'000U);
    double sum = 0;
    for (const json& wanted : golden.at("scores")) {
        const std::vector<std::string> hypothesis{textOf(draw, golden.at("words"), golden.at("between"))},
            reference{textOf(draw, golden.at("words"), golden.at("between"))};
        const auto got = score("rouge-l", {hypothesis, reference});
        ASSERT_TRUE(got);
        ASSERT_NEAR(got->value, 100 * wanted.get<double>(), 1e-6) << hypothesis[0] << " | " << reference[0];
        sum += got->value;
    }
    EXPECT_GT(sum, 0);
}

TEST(Rouge, TheBestReferenceCounts) {
    const std::vector<std::string> hypothesis{"the sea at night"}, one{"a rose"}, other{"the sea"};
    EXPECT_NEAR(score("rouge-l", {hypothesis, one, {}, std::vector<std::vector<std::string>>{other}})->value,
                100 * 2 * 0.5 / 1.5, 1e-9);
}

}  // namespace
}  // namespace kurve::metrics
