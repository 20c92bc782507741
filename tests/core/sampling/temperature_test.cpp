// Draws against the closed forms, within four standard errors; the seeds are fixed.
#include "core/sampling/temperature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/sampling/temperature_law.h"
#include "tests/core/sampling/calm_laws.h"

namespace kurve::sampling {
namespace {

using nlohmann::json;
using test::calmLaws;

/// Draws chunks of two tokens {x, 7} with x from a distribution, and counts.
class Source {
public:
    Source(std::vector<double> p, std::uint64_t seed) : p_(std::move(p)), stream_(seed, "test.source") {}
    Outcome one() {
        double rest = stream_.uniform();
        std::size_t x = 0;
        while (x + 1 < p_.size() && (rest -= p_[x]) >= 0) ++x;
        return {static_cast<std::int32_t>(x), 7};
    }
    DrawMany drawMany() {
        return [this](std::int64_t count) {
            asked += count;
            largest = std::max(largest, count);
            std::vector<Outcome> draws;
            for (std::int64_t i = 0; i < count; ++i) draws.push_back(one());
            return draws;
        };
    }
    std::int64_t asked = 0, largest = 0;

private:
    std::vector<double> p_;
    RandomStream stream_;
};

/// Expects the mean of `count` values with these sums to be `mean`.
void expectMean(double sum, double squares, int count, double mean, const char* what) {
    const double found = sum / count, variance = squares / count - found * found;
    EXPECT_NEAR(found, mean, 4 * std::sqrt(variance / count)) << what;
}

void expectShares(const std::vector<int>& counts, int draws, const std::vector<double>& law) {
    for (std::size_t x = 0; x < law.size(); ++x)
        expectMean(counts[x], counts[x], draws, law[x], "share of an outcome");
}

const std::vector<double> kThree{0.5, 0.3, 0.2};

/// Law and calls of Algorithm 1 at a temperature.
void expectTheorem2(double temperature, std::int64_t batch) {
    SCOPED_TRACE(temperature);
    const int runs = 40'000;
    const ExactLaw law = exactLaw(kThree, temperature).value();
    const Exponent exponent = exponentOf(temperature).value();
    Source source(kThree, 1);
    RandomStream stream(2, "test.exact");
    std::vector<int> counts(3);
    double calls = 0, squares = 0;
    for (int i = 0; i < runs; ++i) {
        const ExactDraw drawn = drawExact(source.drawMany(), exponent, {100'000, batch}, stream);
        ASSERT_TRUE(drawn.outcome);
        ++counts[static_cast<std::size_t>(drawn.outcome->front())];
        const auto made = static_cast<double>(drawn.calls);
        calls += made;
        squares += made * made;
    }
    expectShares(counts, runs, law.target);
    EXPECT_EQ(static_cast<std::int64_t>(calls), source.asked) << "every draw is a call";
    if (batch == 1) expectMean(calls, squares, runs, law.expectedCalls, "calls");
    if (batch > 1) EXPECT_GT(calls / runs, law.expectedCalls);
}

TEST(DrawExact, HasTheLawAndTheCallsOfTheorem2) {
    for (const double temperature : {0.5, 0.4, 0.8, 1.0, 0.3}) expectTheorem2(temperature, 1);
}

TEST(DrawExact, BatchesLeaveTheLawAsItIs) {
    for (const double temperature : {0.5, 0.4, 0.8, 0.3}) expectTheorem2(temperature, 5);
}

TEST(DrawExact, ASpentBudgetGivesNothing) {
    Source source(std::vector<double>(20, 0.05), 3);
    RandomStream stream(4, "test.exact");
    for (const std::int64_t batch : {1, 30}) {
        source.asked = 0;
        const ExactDraw drawn = drawExact(source.drawMany(), {8, 0}, {100, batch}, stream);
        EXPECT_TRUE(drawn.exhausted);
        EXPECT_FALSE(drawn.outcome);
        EXPECT_EQ(drawn.calls, source.asked);
        EXPECT_EQ(drawn.calls, batch == 1 ? 96 : 100) << "twelve rounds of eight; batches, the last of ten";
        EXPECT_LE(drawn.distinct, 20);
        EXPECT_GE(drawn.distinct, 15);
    }
    EXPECT_TRUE(drawExact(source.drawMany(), {1, 0.5}, {0, 1}, stream).exhausted);
    // In stage 2, of which nothing is drawn: the first draw alone would be of P, not of P^1.5.
    EXPECT_TRUE(drawExact(source.drawMany(), {1, 0.5}, {1, 1}, stream).exhausted);
}

TEST(DrawExact, EndsWhereNoMoreIsDrawn) {
    RandomStream stream(5, "test.exact");
    std::int32_t next = 0;
    const DrawMany some = [&](std::int64_t count) {
        return next < 6 ? std::vector<Outcome>(static_cast<std::size_t>(count), Outcome{next++})
                        : std::vector<Outcome>{};
    };
    const ExactDraw drawn = drawExact(some, {1, 0.5}, {1000, 1}, stream);
    EXPECT_EQ(drawn.exhausted, !drawn.outcome);
    EXPECT_LE(drawn.calls, 6);
    const DrawMany none = [](std::int64_t) { return std::vector<Outcome>{}; };
    EXPECT_TRUE(drawExact(none, {2, 0}, {1000, 1}, stream).exhausted);
    const DrawMany tooMany = [](std::int64_t count) {
        return std::vector<Outcome>(static_cast<std::size_t>(count) + 1);
    };
    EXPECT_THROW((void)drawExact(tooMany, {2, 0}, {1000, 1}, stream), ContractError);
}

TEST(PowerCoin, HasTheChanceAndTheFlipsOfTheFactory) {
    ASSERT_EQ(calmLaws("bernoulli_factory").size(), 9U);
    for (const json& row : calmLaws("bernoulli_factory")) {
        SCOPED_TRACE(row.dump());
        const double p = row.at("p"), a = row.at("alpha");
        RandomStream flips(6, "test.flips"), stream(7, "test.coin");
        const int runs = 40'000;
        int accepted = 0;
        double draws = 0, squares = 0;
        for (int i = 0; i < runs; ++i) {
            int used = 0;
            const auto flip = [&]() -> std::optional<bool> { return ++used, flips.uniform() < p; };
            accepted += powerCoin(flip, a, stream) == Verdict::Accepted ? 1 : 0;
            draws += used;
            squares += 1.0 * used * used;
        }
        expectMean(accepted, accepted, runs, row.at("accept"), "accepted");
        // The flips' tail is heavy where p is small (a variance of p^(a-2)), a few runs hold most of the sum.
        expectMean(draws, squares, runs, row.at("E_draws"), "flips");
    }
}

std::vector<Outcome> letters(const std::string& text) {
    std::vector<Outcome> draws;
    for (const char letter : text) draws.push_back({letter});
    return draws;
}

TEST(DrawBatch, WorkedExample) {
    const json& example = calmLaws("worked_example");
    const auto draws = letters(example.at("batch"));
    RandomStream stream(8, "test.batch");
    const int runs = 20'000;
    std::map<std::string, int> counts;
    for (int i = 0; i < runs; ++i) {
        const BatchDraw drawn = drawBatch(draws, example.at("n"), stream);
        ++counts[std::string(1, static_cast<char>(drawn.outcome.front()))];
        EXPECT_EQ(drawn.matched, 2);
        EXPECT_FALSE(drawn.fellBack);
        EXPECT_EQ(drawn.distinct, 7);
        EXPECT_NEAR(drawn.entropy, 0.3 * std::log(10 / 3.0) + 0.2 * std::log(5) + 0.5 * std::log(10), 1e-12);
    }
    EXPECT_EQ(counts.size(), 2U);
    for (const auto& [name, chance] : example.at("probs").items())
        expectMean(counts[name], counts[name], runs, chance, "chosen");
    EXPECT_EQ(stream.position(), 2U * runs) << "one number each";
}

TEST(DrawBatch, FallsBackToWhatWasReached) {
    RandomStream stream(9, "test.batch");
    const BatchDraw alone = drawBatch(letters("abcb"), 3, stream);
    EXPECT_EQ(alone.outcome, Outcome{'b'});
    EXPECT_EQ(alone.matched, 2);
    EXPECT_TRUE(alone.fellBack);
    const BatchDraw one = drawBatch(letters("x"), 2, stream);
    EXPECT_EQ(one.matched, 1);
    EXPECT_EQ(one.entropy, 0);
    EXPECT_THROW((void)drawBatch({}, 2, stream), ContractError);
}

TEST(DrawBatch, OrderOfDrawsPlaysNoPart) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        RandomStream first(seed, "test.batch"), second(seed, "test.batch");
        EXPECT_EQ(drawBatch(letters("ACADBEAFBG"), 2, first).outcome,
                  drawBatch(letters("GBFAEBDACA"), 2, second).outcome);
    }
}

TEST(DrawBatch, LargeCountsStayInRange) {
    std::vector<Outcome> draws(4000, Outcome{1});
    draws.resize(8000, Outcome{2});
    RandomStream stream(10, "test.batch");
    std::set<std::int32_t> chosen;
    for (int i = 0; i < 40; ++i) chosen.insert(drawBatch(draws, 1500, stream).outcome.front());
    EXPECT_EQ(chosen, (std::set<std::int32_t>{1, 2})) << "binom(4000, 1500) = 10^1147";
}

TEST(DrawBatch, HasTheLawOfTheEnumeration) {
    struct Case {
        std::int64_t n, samples;
    };
    for (const auto& [n, samples] : {Case{2, 3}, {2, 10}, {3, 5}, {3, 3}, {1, 4}}) {
        SCOPED_TRACE(fmt::format("n {} N {}", n, samples));
        const BatchLaw law = batchLaw(kThree, n, samples).value();
        Source source(kThree, 11);
        RandomStream stream(12, "test.batch");
        const int runs = 20'000;
        std::vector<int> counts(3);
        int fallbacks = 0;
        for (int i = 0; i < runs; ++i) {
            const BatchDraw drawn = drawBatch(source.drawMany()(samples), n, stream);
            ++counts[static_cast<std::size_t>(drawn.outcome.front())];
            fallbacks += drawn.fellBack ? 1 : 0;
        }
        expectShares(counts, runs, law.law);
        expectMean(fallbacks, fallbacks, runs, law.fallback, "fallback");
    }
}

TEST(BatchInRounds, HasTheLawOfOneBatchHoweverManyDrawsAreMadeAtOnce) {
    struct Case {
        std::int64_t n, samples, first, further;
    };
    for (const auto& [n, samples, first, further] : {Case{2, 3, 1, 1},
                                                     {2, 10, 1, 1},
                                                     {2, 10, 4, 3},
                                                     {2, 10, 10, 1},
                                                     {3, 5, 2, 2},
                                                     {3, 3, 1, 2},
                                                     {1, 4, 1, 1},
                                                     {3, 2, 1, 1}}) {
        SCOPED_TRACE(fmt::format("n {} N {} rounds {} {}", n, samples, first, further));
        const BatchLaw law = batchLaw(kThree, n, samples).value();
        Source source(kThree, 13);
        RandomStream stream(14, "test.batch");
        const int runs = 20'000;
        std::vector<int> counts(3);
        int fallbacks = 0;
        for (int i = 0; i < runs; ++i) {
            BatchInRounds rounds(samples, n);
            std::vector<Outcome> made = source.drawMany()(first);
            std::optional<BatchDraw> drawn;
            while (!(drawn = rounds.choose(made, stream))) {
                const auto left = samples - static_cast<std::int64_t>(made.size());
                ASSERT_GT(left, 0);
                for (Outcome& outcome : source.drawMany()(std::min(further, left)))
                    made.push_back(std::move(outcome));
            }
            ++counts[static_cast<std::size_t>(drawn->outcome.front())];
            fallbacks += drawn->fellBack ? 1 : 0;
        }
        expectShares(counts, runs, law.law);
        expectMean(fallbacks, fallbacks, runs, law.fallback, "fallback");
    }
}

TEST(BatchInRounds, MakesFewDrawsOfWhatIsCertain) {
    RandomStream stream(15, "test.batch");
    BatchInRounds rounds(200, 2);
    EXPECT_FALSE(rounds.choose(letters("a"), stream).has_value());
    const auto drawn = rounds.choose(letters("aa"), stream);
    ASSERT_TRUE(drawn.has_value());
    EXPECT_EQ(drawn->outcome, Outcome{'a'});
    EXPECT_EQ(drawn->matched, 2);
}

}  // namespace
}  // namespace kurve::sampling
