// The examples of CONTRIBUTING do what it says that they get.
#include "tests/additions/additions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace kurve {
namespace {

TEST(Additions, AScheduleIsMonotoneAndItsFieldsAreItsOwn) {
    const auto kind = schedule::detail::squareKind();
    ASSERT_EQ(kind.fields.size(), 1U);
    const auto square = kind.make({{"epsilon", FieldValue(0.25)}});
    EXPECT_EQ(square->alpha(0), 1);
    EXPECT_DOUBLE_EQ(square->alpha(1), 0.25);
    for (double s = 0.1; s < 0.95; s += 0.1) {
        EXPECT_GT(square->logSnr(s), square->logSnr(s + 0.05));
        const double difference = (square->sigma(s + 1e-6) - square->sigma(s - 1e-6)) / 2e-6;
        EXPECT_NEAR(*square->noiseRate(s), difference, 1e-6);
    }
    EXPECT_EQ(schedule::samplingPositions(*square, 20).size(), 20U);
}

TEST(Additions, AMetricScoresWithoutReferences) {
    const auto kind = metrics::detail::wordCountKind();
    const std::vector<std::string> lines{"one two three", "four"};
    const auto score = kind.compute({.hypotheses = lines, .references = {}});
    ASSERT_TRUE(score);
    EXPECT_EQ(score->value, 2);
    EXPECT_EQ(score->n, 2);
}

/// Paths in backquotes, the placeholders of names left out.
TEST(Additions, ContributingNamesFilesAndFoldersThatAreThere) {
    const std::filesystem::path root = KURVE_SOURCE_DIR;
    std::stringstream text;
    text << std::ifstream(root / "CONTRIBUTING.md").rdbuf();
    const std::string page = text.str();
    const std::regex path("`([A-Za-z_.]+/[A-Za-z0-9_./]*)`");
    int found = 0;
    for (auto it = std::sregex_iterator(page.begin(), page.end(), path); it != std::sregex_iterator(); ++it) {
        ++found;
        EXPECT_TRUE(std::filesystem::exists(root / (*it)[1].str())) << (*it)[1];
    }
    EXPECT_GT(found, 20);
}

}  // namespace
}  // namespace kurve
