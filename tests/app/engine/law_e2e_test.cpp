// kurve law: the numbers of the closed forms, simulations beside them, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/engine/engine_process.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

EngineResult law(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "law");
    return runEngine(arguments);
}

json lawDocument(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const EngineResult result = law(arguments);
    EXPECT_EQ(result.code, 0) << result.log;
    return result.json();
}

json refusedLaw(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const EngineResult result = law(arguments);
    EXPECT_EQ(result.code, 2) << result.log;
    return result.json()["error"];
}

void expectShares(const json& shares, const json& expected, int draws) {
    ASSERT_EQ(shares.size(), expected.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double p = expected[i];
        EXPECT_NEAR(shares[i].get<double>(), p, 4 * std::sqrt(p * (1 - p) / draws)) << i;
    }
}

TEST(LawTest, TemperatureExact) {
    const std::vector<std::string> call{"temperature-exact", "--probabilities", "0.5,0.3,0.2",
                                        "--temperature", "0.4"};
    const json document = lawDocument(call);
    EXPECT_NEAR(document["expected_calls"].get<double>(), 10.687448757580317, 1e-9);
    EXPECT_NEAR(document["target"][0].get<double>(), 0.7246126420895913, 1e-9);
    EXPECT_FALSE(document.contains("empirical"));
    auto drawing = call;
    drawing.insert(drawing.end(), {"--draws", "20000", "--seed", "3"});
    const json drawn = lawDocument(drawing);
    expectShares(drawn["empirical"], drawn["target"], 20'000);
    EXPECT_NEAR(drawn["mean_calls"].get<double>(), 10.687, 0.4);
    EXPECT_EQ(drawn["exhausted"], 0);
    EXPECT_EQ(lawDocument(drawing), drawn) << "the same seed";
    drawing.back() = "4";
    EXPECT_NE(lawDocument(drawing)["empirical"], drawn["empirical"]);
    EXPECT_THAT(law(drawing).output, HasSubstr("rounds of 2 draws"));
}

TEST(LawTest, ASpentBudgetIsSaid) {
    const std::vector<std::string> call{"temperature-exact",
                                        "--probabilities",
                                        "0.5,0.5",
                                        "--temperature",
                                        "1/9",
                                        "--draws",
                                        "50",
                                        "--max-calls",
                                        "5"};
    const json document = lawDocument(call);
    EXPECT_EQ(document["exhausted"], 1);
    EXPECT_TRUE(document["empirical"][0].is_null());
    EXPECT_THAT(law(call).output, HasSubstr("100 % of the draws spent"));
}

TEST(LawTest, TemperatureBatch) {
    const std::vector<std::string> call{
        "temperature-batch", "--probabilities", "0.5,0.3,0.2", "--temperature", "1/3", "--samples", "5"};
    const json document = lawDocument(call);
    EXPECT_NEAR(document["distribution"][0].get<double>(), 0.6125, 1e-9);
    EXPECT_NEAR(document["fallback_fraction"].get<double>(), 0.279, 1e-9);
    EXPECT_NEAR(document["accuracy"].get<double>(), 0.409508, 1e-6);
    EXPECT_NEAR(document["collision"].get<double>(), 0.458383, 1e-6);
    auto drawing = call;
    drawing.insert(drawing.end(), {"--draws", "10000"});
    const json drawn = lawDocument(drawing);
    expectShares(drawn["empirical"], drawn["distribution"], 10'000);
    EXPECT_THAT(law(drawing).output, HasSubstr("27.9 %"));
}

TEST(LawTest, SaysWhatIsWrong) {
    const auto exact = [](const char* probabilities, const char* temperature) {
        return refusedLaw(
            {"temperature-exact", "--probabilities", probabilities, "--temperature", temperature});
    };
    EXPECT_EQ(exact("0.5,0.4", "1")["code"], "sampler.probabilities");
    EXPECT_EQ(exact("0.5,0.4", "1")["field"], "probabilities");
    EXPECT_EQ(exact("1,0", "1")["code"], "sampler.probabilities");
    EXPECT_EQ(exact("nan,1", "1")["code"], "sampler.probabilities");
    EXPECT_EQ(exact("0.5,half", "1")["code"], "law.number");
    EXPECT_EQ(exact("", "1")["code"], "cli.usage");
    EXPECT_EQ(exact("1", "nan")["code"], "sampler.temperature");
    for (const char* text : {"1/0", "1/2/3", "hot"})
        EXPECT_EQ(exact("1", text)["code"], "law.number") << text;
    EXPECT_EQ(exact("0.5,0.5", "2")["code"], "sampler.temperature");
    const auto batch = [](const char* temperature, const char* samples) {
        return refusedLaw({"temperature-batch", "--probabilities", "0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1",
                           "--temperature", temperature, "--samples", samples});
    };
    EXPECT_EQ(batch("0.4", "5")["code"], "sampler.temperature");
    EXPECT_EQ(batch("1/2", "200")["code"], "sampler.too_large");
    EXPECT_EQ(batch("1/2", "200")["field"], "samples");
    EXPECT_EQ(refusedLaw({"temperature-exact", "--probabilities", "0.5,0.5", "--temperature", "1/20",
                          "--draws", "1000000"})["code"],
              "law.too_long");
}

}  // namespace
}  // namespace kurve::testing
