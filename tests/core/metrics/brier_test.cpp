// Against tests/golden/oracles/make_calm_laws.py: by sums over all outcomes where there are few, else by
// draws within four standard errors.
#include "core/metrics/brier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::metrics {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

const json& calmLaws(const char* group) {
    static const json all = [] {
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/oracles/calm_laws.json");
        return json::parse(file);
    }();
    return all.at(group);
}

constexpr double kClosedForm = 1e-9;

TokenDraw token(std::size_t id) {
    return {static_cast<std::int32_t>(id)};
}

/// Calls visit(chance, tuple) for every tuple of `count` outcomes of p.
template <class Visit>
void forAll(const std::vector<double>& p, std::size_t count, Visit visit, double chance = 1,
            std::vector<TokenDraw> tuple = {}) {
    if (tuple.size() == count) return visit(chance, tuple);
    for (std::size_t x = 0; x < p.size(); ++x) {
        auto longer = tuple;
        longer.push_back(token(x));
        forAll(p, count, visit, chance * p[x], longer);
    }
}

/// Mean and variance of the one-gram estimate, and the chances of its values, over all draws and truths.
struct Moments {
    double mean = 0, accuracy = 0, collision = 0, squares = 0;
    std::map<int, double> values;
    [[nodiscard]] double variance() const { return squares - mean * mean; }
};

Moments momentsOf(const json& row, std::size_t draws, PairEstimator estimator) {
    const std::vector<double> q = row.at("Q");
    Moments all;
    forAll(row.at("P"), draws, [&](double chance, const std::vector<TokenDraw>& drawn) {
        for (std::size_t y = 0; y < q.size(); ++y) {
            const BrierTerms terms = termsOf(token(y), drawn, estimator);
            const double brier = terms.brier(1), weight = chance * q[y];
            all.mean += weight * brier;
            all.squares += weight * brier * brier;
            all.accuracy += weight * terms.accuracy[0];
            all.collision += weight * terms.collision[0];
            all.values[static_cast<int>(std::lround(brier))] += weight;
        }
    });
    return all;
}

TEST(BrierTerms, OneGramsOfTwoSamples) {
    ASSERT_EQ(calmLaws("brier_1gram").size(), 7U);
    for (const json& row : calmLaws("brier_1gram")) {
        SCOPED_TRACE(row.at("case"));
        for (const std::size_t draws : {2U, 3U}) {  // the third is not used
            Moments found = momentsOf(row, draws, PairEstimator::TwoSamples);
            EXPECT_NEAR(found.mean, row.at("expected"), kClosedForm);
            EXPECT_NEAR(found.accuracy, row.at("accuracy"), kClosedForm);
            EXPECT_NEAR(found.collision, row.at("collision"), kClosedForm);
            EXPECT_NEAR(found.variance(), row.at("variance"), kClosedForm);
            for (const auto& [value, chance] : row.at("outcome_probs").items())
                EXPECT_NEAR(found.values[std::stoi(value)], chance, kClosedForm) << value;
        }
    }
}

TEST(BrierTerms, AllPairsHaveTheSameMeanAndLessVariance) {
    for (const json& row : calmLaws("brier_1gram")) {
        SCOPED_TRACE(row.at("case"));
        const Moments found = momentsOf(row, 4, PairEstimator::AllPairs);
        EXPECT_NEAR(found.mean, row.at("expected"), kClosedForm);
        EXPECT_NEAR(found.accuracy, row.at("accuracy"), kClosedForm);
        EXPECT_NEAR(found.collision, row.at("collision"), kClosedForm);
        // What a certain P leaves is the truth's own.
        const double twoSamples = row.at("variance"), share = row.at("collision") == 1 ? 1 : 0.7;
        EXPECT_LE(found.variance(), share * twoSamples + kClosedForm);
    }
}

TEST(BrierTerms, TokenExample) {
    const json& example = calmLaws("estimator_tokens");
    const std::vector<TokenDraw> y = example.at("y"), x1 = example.at("x1"), x2 = example.at("x2");
    BrierScore score;
    for (std::size_t chunk = 0; chunk < y.size(); ++chunk) {
        const std::vector<TokenDraw> draws{x1[chunk], x2[chunk]};
        for (const auto estimator : {PairEstimator::AllPairs, PairEstimator::TwoSamples}) {
            const BrierTerms terms = termsOf(y[chunk], draws, estimator);
            ASSERT_EQ(terms.orders, 4U);
            for (std::size_t n = 1; n <= 4; ++n)
                EXPECT_NEAR(terms.brier(n), example.at("per_chunk")[chunk][n - 1], kClosedForm);
        }
        score.add(static_cast<std::int64_t>(chunk), termsOf(y[chunk], draws));
    }
    const BrierResult result = score.result();
    for (std::size_t n = 1; n <= 4; ++n)
        EXPECT_NEAR(result.orders[n - 1].brier.value, example.at("brier_n")[n - 1], kClosedForm);
    EXPECT_EQ(result.brierlm->value, example.at("official_brierlm"));
    EXPECT_TRUE(result.degenerate);
}

TEST(BrierTerms, LongChunksCountTheirFirstFour) {
    const std::vector<std::int32_t> truth{1, 2, 3, 4, 5};
    const std::vector<TokenDraw> draws{{1, 2, 3, 4, 9}, {1, 2, 3, 4, 8}};
    const BrierTerms terms = termsOf(truth, draws);
    EXPECT_EQ(terms.orders, 4U);
    EXPECT_THAT(terms.accuracy, ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(terms.collision, ElementsAre(1, 1, 1, 1));
    const std::vector<TokenDraw> one{{1}}, shorter{{1}, {1}};
    EXPECT_THROW((void)termsOf(truth, one), ContractError);
    EXPECT_THROW((void)termsOf(truth, shorter), ContractError);
}

TEST(BrierTerms, CountPairsOfMany) {
    const std::vector<std::int32_t> truth{5, 6};
    const std::vector<TokenDraw> draws{{5, 6}, {5, 7}, {0, 6}, {5, 6}, {5, 7}, {0, 0}};
    const BrierTerms terms = termsOf(truth, draws);
    EXPECT_EQ(terms.orders, 2U);
    EXPECT_DOUBLE_EQ(terms.accuracy[0], 4.0 / 6);
    EXPECT_DOUBLE_EQ(terms.accuracy[1], 2.0 / 6);
    EXPECT_DOUBLE_EQ(terms.collision[0], (6 + 1) / 15.0);
    EXPECT_DOUBLE_EQ(terms.collision[1], 2 / 15.0);
}

TEST(BrierLm, Edges) {
    ASSERT_EQ(calmLaws("aggregation_edges").size(), 6U);
    for (const json& row : calmLaws("aggregation_edges")) {
        const std::array<double, 4> briers = row.at("briers");
        EXPECT_NEAR(brierLm(briers), row.at("ours_x100"), kClosedForm) << row;
    }
}

/// A Markov chain over tokens 0 and 1, as the golden file writes it.
struct MarkovChain {
    std::vector<double> start;
    std::vector<std::vector<double>> rows;

    [[nodiscard]] const std::vector<double>& after(std::span<const std::int32_t> past) const {
        return past.empty() ? start : rows[static_cast<std::size_t>(past.back())];
    }
    TokenDraw draw(TokenDraw past, std::size_t count, RandomStream& stream) const {
        TokenDraw chunk;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t next = stream.uniform() < after(past)[0] ? 0 : 1;
            chunk.push_back(next);
            past.push_back(next);
        }
        return chunk;
    }
    [[nodiscard]] std::vector<TokenDraw> drawMany(const TokenDraw& past, std::size_t tokens,
                                                  std::size_t count, RandomStream& stream) const {
        std::vector<TokenDraw> draws;
        for (std::size_t i = 0; i < count; ++i) draws.push_back(draw(past, tokens, stream));
        return draws;
    }
};

MarkovChain model() {
    return {calmLaws("brier_ngram_markov").at("model_initial"),
            calmLaws("brier_ngram_markov").at("model_transition")};
}
MarkovChain data() {
    return {calmLaws("brier_ngram_markov").at("data_initial"),
            calmLaws("brier_ngram_markov").at("data_transition")};
}

void append(TokenDraw& past, const TokenDraw& chunk) {
    past.insert(past.end(), chunk.begin(), chunk.end());
}

/// How chunks of a size are drawn and compared.
struct Plan {
    std::size_t chunk, draws, chain;
    PairEstimator estimator = PairEstimator::AllPairs;
};

/// One start of four tokens, as brier.h says it.
BrierTerms chainedTerms(const TokenDraw& truth, const Plan& plan, RandomStream& stream) {
    const MarkovChain law = model();
    TokenDraw past, agreedPast;
    BrierTerms terms;
    std::vector<TokenDraw> chain;
    for (std::size_t at = 0; at < truth.size(); at += plan.chunk) {
        const TokenDraw part(
            truth.begin() + static_cast<std::ptrdiff_t>(at),
            truth.begin() + static_cast<std::ptrdiff_t>(std::min(at + plan.chunk, truth.size())));
        const auto draws = law.drawMany(past, plan.chunk, plan.draws, stream);
        const bool goesOn = at == 0 || !chain.empty();
        if (at == 0) {
            terms = termsOf(part, draws, plan.estimator);
            chain = draws;
        } else {
            if (goesOn) chain = law.drawMany(agreedPast, plan.chunk, plan.chain, stream);
            terms = combine(terms, followingTerms(part, draws, chain, plan.estimator));
        }
        append(past, part);
        const auto agreed = goesOn ? agreedDraw(chain, stream, plan.estimator) : std::nullopt;
        if (agreed) append(agreedPast, chain[*agreed]);
        if (!agreed) chain.clear();
    }
    return terms;
}

void expectNear(const BrierValue& found, double expected) {
    EXPECT_GT(found.error, 0);
    EXPECT_LT(found.error, 0.02);
    EXPECT_NEAR(found.value, expected, 4 * found.error);
}

void expectClosedForm(const BrierResult& result) {
    ASSERT_EQ(result.orders.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        SCOPED_TRACE(i + 1);
        const json& row = calmLaws("brier_ngram_markov").at("per_n")[i];
        expectNear(result.orders[i].brier, row.at("brier"));
        expectNear(result.orders[i].accuracy, row.at("accuracy"));
        expectNear(result.orders[i].collision, row.at("collision"));
    }
    ASSERT_TRUE(result.brierlm);
    const double expected = calmLaws("brier_ngram_markov").at("brierlm_x100");
    EXPECT_NEAR(result.brierlm->value, expected, 4 * result.brierlm->error);
    EXPECT_LT(result.brierlm->error, 1);
    EXPECT_FALSE(result.degenerate);
}

/// 200 rows of 100 starts.
template <class Terms>
BrierResult scoreOf(Terms terms) {
    const MarkovChain law = data();
    RandomStream truths(1, "test.truth"), stream(2, "test.draws");
    BrierScore score;
    for (int row = 0; row < 200; ++row)
        for (int start = 0; start < 100; ++start) score.add(row, terms(law.draw({}, 4, truths), stream));
    return score.result();
}

TEST(Brier, MarkovChainByDraws) {
    for (const Plan& plan : {Plan{4, 8, 0}, Plan{4, 3, 0, PairEstimator::TwoSamples}}) {
        const BrierResult result =
            scoreOf([&](const TokenDraw& y, RandomStream& stream) { return chainedTerms(y, plan, stream); });
        expectClosedForm(result);
        EXPECT_EQ(result.rows, 200);
        EXPECT_EQ(result.starts, 20'000);
    }
}

TEST(Brier, MarkovChainByShortChunks) {
    for (const Plan& plan :
         {Plan{1, 4, 3}, Plan{2, 6, 4}, Plan{3, 8, 2}, Plan{2, 2, 2, PairEstimator::TwoSamples}}) {
        SCOPED_TRACE(plan.chunk);
        expectClosedForm(
            scoreOf([&](const TokenDraw& y, RandomStream& stream) { return chainedTerms(y, plan, stream); }));
    }
}

/// The terms of an autoregressive model at a start.
BrierTerms autoregressiveTerms(const TokenDraw& truth, RandomStream& stream) {
    const MarkovChain law = model();
    std::vector<double> probabilities, masses;
    TokenDraw past, chain;
    for (const std::int32_t next : truth) {
        probabilities.push_back(law.after(past)[static_cast<std::size_t>(next)]);
        past.push_back(next);
        const ChainLink link = chainLink(law.after(chain), stream);
        masses.push_back(link.mass);
        chain.push_back(link.token);
    }
    return exactTerms(probabilities, masses);
}

TEST(Brier, MarkovChainByExactProbabilities) {
    const BrierResult found = scoreOf(autoregressiveTerms);
    ASSERT_EQ(found.orders.size(), 4U);
    EXPECT_NEAR(found.orders[0].collision.value, 0.52, kClosedForm) << "nothing is drawn for it";
    EXPECT_LT(found.orders[0].collision.error, kClosedForm);
    for (std::size_t i = 0; i < 4; ++i) {
        const json& row = calmLaws("brier_ngram_markov").at("per_n")[i];
        expectNear(found.orders[i].brier, row.at("brier"));
        expectNear(found.orders[i].accuracy, row.at("accuracy"));
        if (i > 0) expectNear(found.orders[i].collision, row.at("collision"));
    }
}

TEST(Brier, ChainLinksFollowTheSquares) {
    const std::vector<double> p{0.5, 0, 0.3, 0.2, 0};
    RandomStream stream(3, "test.chain");
    std::array<int, 5> counts{};
    const int runs = 20'000;
    for (int i = 0; i < runs; ++i) {
        const ChainLink link = chainLink(p, stream);
        EXPECT_NEAR(link.mass, 0.38, 1e-12);
        ++counts[static_cast<std::size_t>(link.token)];
    }
    for (std::size_t x = 0; x < p.size(); ++x) {
        const double q = p[x] * p[x] / 0.38;
        EXPECT_NEAR(counts[x] / double{runs}, q, 4 * std::sqrt(q * (1 - q) / runs)) << x;
    }
}

TEST(Brier, AgreedDrawsAreChosenByPairs) {
    RandomStream stream(4, "test.agreed");
    const std::vector<TokenDraw> different{{1, 2}, {1, 3}, {2, 2}};
    EXPECT_FALSE(agreedDraw(different, stream));
    // Three pairs of {1}, one of {2}.
    const std::vector<TokenDraw> draws{{1}, {2}, {1}, {3}, {1}, {2}};
    const int runs = 20'000;
    int ones = 0;
    for (int i = 0; i < runs; ++i) {
        const auto agreed = agreedDraw(draws, stream);
        ASSERT_TRUE(agreed);
        ASSERT_NE(draws[*agreed].front(), 3);
        ones += draws[*agreed].front() == 1 ? 1 : 0;
    }
    EXPECT_NEAR(ones / double{runs}, 0.75, 4 * std::sqrt(0.75 * 0.25 / runs));
    EXPECT_FALSE(agreedDraw(draws, stream, PairEstimator::TwoSamples)) << "the first two differ";
}

BrierTerms termsLike(double accuracy, double collision, std::size_t orders) {
    BrierTerms terms;
    terms.orders = orders;
    std::fill_n(terms.accuracy.begin(), orders, accuracy);
    std::fill_n(terms.collision.begin(), orders, collision);
    return terms;
}

TEST(BrierScore, WhatChunksDoNotCoverIsAbsent) {
    BrierScore score;
    score.add(0, termsLike(0.5, 0.25, 2));
    score.add(1, termsLike(0.25, 0.25, 2));
    const BrierResult result = score.result();
    ASSERT_EQ(result.orders.size(), 2U);
    EXPECT_DOUBLE_EQ(result.orders[1].brier.value, 0.5);
    EXPECT_FALSE(result.brierlm);
    EXPECT_FALSE(result.degenerate);
    EXPECT_THROW(score.add(2, termsLike(0.5, 0.5, 3)), ContractError);
    EXPECT_THROW((void)BrierScore().result(), ContractError);
}

// Every start weighs the same: the row with two has two thirds.
TEST(BrierScore, MeansAreOverStarts) {
    BrierScore score;
    score.add(7, termsLike(0.9, 0.3, 4));
    score.add(7, termsLike(0.6, 0.3, 4));
    score.add(3, termsLike(0.3, 0.3, 4));
    const BrierResult result = score.result();
    EXPECT_EQ(result.rows, 2);
    EXPECT_EQ(result.starts, 3);
    EXPECT_NEAR(result.orders[0].accuracy.value, 0.6, 1e-12);
    EXPECT_NEAR(result.brierlm->value, 90, 1e-9);
}

// Of rows of one start the bootstrap's error is that of a mean, s / sqrt(n) with the n-divisor in s.
TEST(BrierScore, ErrorsAreThoseOfAMeanOverRows) {
    BrierScore score, single;
    RandomStream stream(5, "test.rows");
    double sum = 0, squares = 0;
    const int rows = 400;
    for (int i = 0; i < rows; ++i) {
        const double accuracy = stream.uniform();
        sum += accuracy;
        squares += accuracy * accuracy;
        score.add(i, termsLike(accuracy, 0.1, 4));
    }
    const double expected = std::sqrt((squares / rows - (sum / rows) * (sum / rows)) / rows);
    const BrierResult result = score.result();
    EXPECT_NEAR(result.orders[2].accuracy.error, expected, 0.1 * expected);
    EXPECT_NEAR(result.orders[2].brier.error, 2 * result.orders[2].accuracy.error, 1e-12);
    EXPECT_NEAR(result.brierlm->error, 100 * result.orders[2].brier.error, 1e-9);
    EXPECT_EQ(score.result().brierlm->error, result.brierlm->error) << "drawn anew from the same seed";
    single.add(0, termsLike(0.5, 0.1, 4));
    EXPECT_TRUE(std::isnan(single.result().orders[0].brier.error));
}

}  // namespace
}  // namespace kurve::metrics
