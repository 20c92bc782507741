// REP-4, OVL-3 and WR against tests/golden/metrics/make_summary.py, and by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/metrics/metric.h"

namespace kurve::metrics {
namespace {

using Lines = std::vector<std::string>;

Result<Score> scored(const std::string& id, const Lines& texts, const Lines& sources = {}) {
    MetricInput input{texts, {}};
    input.sources = sources;
    return score(id, input);
}

TEST(SummaryMetrics, EqualTheirDefinition) {
    const auto golden =
        nlohmann::json::parse(std::ifstream(KURVE_SOURCE_DIR "/tests/golden/metrics/summary.json"));
    const Lines texts = golden.at("texts"), sources = golden.at("sources");
    for (const char* id : {"rep-4", "ovl-3", "wr"}) {
        const auto got = scored(id, texts, sources);
        ASSERT_TRUE(got) << got.error().text();
        EXPECT_NEAR(got->value, golden.at(id).get<double>(), 1e-12) << id;
        EXPECT_EQ(got->n, 60);
    }
}

// "a b c d" twice more: of eight 4-grams four are new. A text without one counts nowhere.
TEST(SummaryMetrics, AreMeansOverTextsThatHaveAValue) {
    EXPECT_DOUBLE_EQ(scored("rep-4", {"a b c d a b c d a b c"})->value, 0.5);
    EXPECT_DOUBLE_EQ(scored("rep-4", {"a b c d a b c d a b c", "a b c"})->value, 0.5);
    EXPECT_DOUBLE_EQ(scored("ovl-3", {"a b c x", "a b"}, {"z a b c", "a b"})->value, 0.5);
    EXPECT_DOUBLE_EQ(scored("wr", {"a b c", "a"}, {"a b", "a b"})->value, 1);
}

TEST(SummaryMetrics, NeedTheirSources) {
    for (const char* id : {"ovl-3", "wr"})
        EXPECT_EQ(scored(id, {"a b c d"}).error().code, "metric.no_sources") << id;
    EXPECT_TRUE(scored("rep-4", {"a b c d"}));
}

}  // namespace
}  // namespace kurve::metrics
