#include "core/metrics/metric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/random_stream.h"
#include "core/base/text.h"

namespace kurve::metrics {
namespace {

using Lines = std::vector<std::string>;

double valueOf(const std::string& id, const Lines& hypotheses, const Lines& references = {}) {
    const Result<Score> got = score(id, {hypotheses, references});
    EXPECT_TRUE(got.has_value()) << (got ? "" : got.error().text());
    return got ? got->value : NAN;
}

TEST(Metric, DistinctCountsOverTheCorpus) {
    const Lines lines{"a b a", "b c"};
    EXPECT_DOUBLE_EQ(valueOf("distinct-1", lines), 3.0 / 5);
    EXPECT_DOUBLE_EQ(valueOf("distinct-2", lines), 3.0 / 3);
    EXPECT_DOUBLE_EQ(valueOf("distinct-3", lines), 1.0);
    EXPECT_DOUBLE_EQ(valueOf("distinct-2", {"a b a b", "a b"}), 2.0 / 4);
    EXPECT_DOUBLE_EQ(valueOf("distinct-3", {"a b"}), 0);
}

// The interval against the definition: leave each sentence out and count anew.
TEST(Metric, DistinctJackknife) {
    const Lines lines{"the cat sat", "the dog sat down", "a bird", "the cat ran"};
    const Score got = *score("distinct-1", {lines, {}});
    std::vector<double> without;
    for (std::size_t left = 0; left < lines.size(); ++left) {
        Lines rest = lines;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left));
        without.push_back(valueOf("distinct-1", rest));
    }
    double mean = 0, squares = 0;
    for (const double value : without) mean += value / 4;
    for (const double value : without) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(got.high, std::min(1.0, got.value + 1.96 * std::sqrt(0.75 * squares)), 1e-12);
    EXPECT_NEAR(got.low, got.value - 1.96 * std::sqrt(0.75 * squares), 1e-12);
}

TEST(Metric, EntropyOfKnownDistributions) {
    EXPECT_NEAR(valueOf("entropy", {"a b", "c d"}), std::log(4.0), 1e-12);
    EXPECT_NEAR(valueOf("entropy", {"a a a b"}), -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-12);
    EXPECT_DOUBLE_EQ(valueOf("entropy", {"", ""}), 0);
    EXPECT_DOUBLE_EQ(valueOf("entropy", {"a a"}), 0);
    // Worked out: without a line ln 2, ln 2 and 0 remain, of which the standard error is 2/3 ln 2.
    const Lines lines{"a", "a", "b"};
    const Score interval = *score("entropy", {lines, {}});
    EXPECT_NEAR(interval.high - interval.value, 1.96 * 2 / 3 * std::log(2), 1e-12);
}

TEST(Metric, SelfBleuIsTheMeanOverAllOrderedPairs) {
    const Lines first{"the cat sat on the mat", "one two three four"};
    const Lines second{"the cat lay on the mat today", "one two three four"}, third{"a dog", "one two four"};
    const std::vector<Lines> more{third};
    const Score got = *score("self-bleu", {first, second, {}, more});
    double sum = 0;
    const std::vector<const Lines*> draws{&first, &second, &third};
    for (std::size_t i = 0; i < 2; ++i)
        for (const auto* a : draws)
            for (const auto* b : draws)
                if (a != b) sum += sentenceBleu((*a)[i], (*b)[i]);
    EXPECT_NEAR(got.value, sum / 12, 1e-9);
    EXPECT_NEAR(valueOf("self-bleu", first, first), 100, 1e-9);
    EXPECT_EQ(score("self-bleu", {first, {}}).error().code, "metric.counts");
}

TEST(Metric, RepetitionOracle) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/oracles/cmlm.json");
    const nlohmann::json oracle = nlohmann::json::parse(file).at("repetition");
    Lines lines;
    double macro = 0;
    for (const auto& one : oracle.at("sentences")) {
        lines.push_back(one.at("text"));
        const double repeated = one.at("repeated"), tokens = one.at("tokens");
        const Score score = *kurve::metrics::score("reps_word", {{&lines.back(), 1}, {}});
        EXPECT_NEAR(score.value, 100 * repeated / tokens, 1e-12) << lines.back();
        if (tokens > 1) EXPECT_NEAR(score.parts.at("percent_of_gaps"), 100 * repeated / (tokens - 1), 1e-12);
        macro += score.value;
    }
    const Score all = *score("reps_word", {lines, {}});
    EXPECT_DOUBLE_EQ(all.value, oracle.at("corpus"));
    EXPECT_DOUBLE_EQ(all.parts.at("percent_of_gaps"), oracle.at("corpus_per_gap"));
    EXPECT_NEAR(macro / static_cast<double>(lines.size()), oracle.at("macro").get<double>(), 5e-5);
    EXPECT_DOUBLE_EQ(valueOf("reps_word", {"", "one"}), 0);
}

TEST(Metric, RepeatedPiecesAreThoseOfTheModel) {
    const Lines lines{"preachach", "a"};
    const std::vector<std::vector<std::int32_t>> tokens{{70, 81, 81}, {9}};
    EXPECT_DOUBLE_EQ(score("reps_bpe", {lines, {}, {}, {}, tokens})->value, 25);
    EXPECT_EQ(score("reps_bpe", {lines, {}}).error().code, "metric.needs_tokens");
}

TEST(Metric, BleuAndChrfOfFourSentences) {
    const Lines four{"The cat sat on the mat.", "Hello, world!", "Ein gut-gemeinter Rat ist teuer .",
                     "Vollmaringen ingen ingen gaben"},
        references{"The cat is on the mat.", "Hello world!", "Ein gut gemeinter Rat ist teuer .",
                   "Die Vollmaringer gaben etwas"};
    EXPECT_NEAR(valueOf("bleu-compound", four, references), 40.12671145, 1e-8);
    EXPECT_NEAR(score("bleu", {four, references, {{"tokenize", "none"}}})->value, 31.46743338, 1e-8);
    EXPECT_NEAR(valueOf("bleu", four, references), 38.93626498, 1e-8);
    EXPECT_NEAR(valueOf("chrf", four, references), 68.60520470, 1e-8);
    EXPECT_NEAR(valueOf("chrf", {"abcd"}, {"abce"}), 47.91666667, 1e-8);
    EXPECT_DOUBLE_EQ(valueOf("bleu", {"the cat"}, {"the cat sat"}), 0);  // no 3-gram in the corpus
    // Without smoothing an order without a match makes it 0.
    EXPECT_DOUBLE_EQ(valueOf("bleu-compound", {"a b c d e f"}, {"a x c y e z"}), 0);
    EXPECT_NEAR(valueOf("bleu", {"a b c d e f"}, {"a x c y e z"}), 10.68217516, 1e-8);
    // Matches do not overlap: a ##AT##-##AT## b-c a ##AT##-##AT## b.
    const Lines compounds{"a-b-c a-b"};
    EXPECT_DOUBLE_EQ(score("distinct-1", {compounds, {}, {{"tokenize", "compound"}}})->value, 4.0 / 6);
}

TEST(Metric, Accuracy) {
    const Lines hypotheses{"a b c", "x y", "same here"}, references{"a c c d", "x y z", "same  here "};
    EXPECT_DOUBLE_EQ(valueOf("token-accuracy", hypotheses, references), 6.0 / 9);
    EXPECT_DOUBLE_EQ(valueOf("exact-match", hypotheses, references), 1.0 / 3);
}

TEST(Metric, TakesTheBestOfSeveralReferences) {
    const Lines hypotheses{"a b", "c d"}, references{"x y", "c d"};
    const std::vector<Lines> more{{"a b", "z"}};
    EXPECT_DOUBLE_EQ(score("exact-match", {hypotheses, references, {}, more})->value, 1);
    EXPECT_DOUBLE_EQ(
        score("bleu", {hypotheses, references, {{"tokenize", "none"}}, more})->parts.at("precision1"), 100);
}

std::string codeOf(const std::string& id, const MetricInput& input) {
    const Result<Score> got = score(id, input);
    return got ? "" : got.error().code;
}

TEST(Metric, ErrorsNameTheRemedy) {
    const Lines one{"a"}, two{"a", "b"}, none;
    EXPECT_EQ(codeOf("blue", {one, one}), "metric.unknown");
    EXPECT_NE(score("bleuu", {one, one}).error().remedy.find("did you mean bleu?"), std::string::npos);
    EXPECT_EQ(codeOf("bleu", {one, two}), "metric.counts");
    EXPECT_EQ(codeOf("bleu", {none, none}), "metric.empty");
    EXPECT_EQ(codeOf("bleu", {one, one, {{"tokenize", "moses"}}}), "metric.bad_option");
    EXPECT_EQ(codeOf("reps_word", {one, {}}), "");
}

// n Bernoulli(1/2) lines: the percentile interval is close to the normal one.
TEST(Metric, BootstrapIntervalOfAShare) {
    Lines hypotheses, references(400, "yes");
    for (int i = 0; i < 400; ++i) hypotheses.push_back(i % 2 == 0 ? "yes" : "no");
    const Score got = *score("exact-match", {hypotheses, references});
    EXPECT_DOUBLE_EQ(got.value, 0.5);
    EXPECT_NEAR(got.low, 0.5 - 1.96 * 0.025, 0.006);
    EXPECT_NEAR(got.high, 0.5 + 1.96 * 0.025, 0.006);
    const Score again = *score("exact-match", {hypotheses, references});
    EXPECT_EQ(got.low, again.low);
    EXPECT_EQ(got.high, again.high);
}

TEST(Metric, IntervalsContainTheirScore) {
    Lines hypotheses, references, sources;
    std::vector<std::vector<std::int32_t>> tokens;
    RandomStream stream(3, "test.lines");
    for (int i = 0; i < 60; ++i) {
        Lines left, right;
        for (int w = 0; w < 9; ++w) {
            right.push_back(std::string(1, static_cast<char>('a' + stream.below(4))));
            left.push_back(stream.uniform() < 0.8 ? right.back() : "q");
        }
        hypotheses.push_back(join(left, " "));
        references.push_back(join(right, " "));
        sources.push_back(references.back() + (i % 3 == 0 ? " a b" : ""));
        for (tokens.emplace_back(); tokens.back().size() < 9;)
            tokens.back().push_back(static_cast<std::int32_t>(stream.below(3)));
    }
    const auto first = [](const auto& all) { return std::span(all).first(1); };
    for (const MetricKind& kind : metricKinds()) {
        EXPECT_FALSE(
            score(kind.id, {first(hypotheses), first(references), {}, {}, first(tokens), first(sources)})
                ->hasInterval())
            << kind.id << " of one sentence";
        const Score got = *score(kind.id, {hypotheses, references, {}, {}, tokens, sources});
        EXPECT_LE(got.low, got.value) << kind.id;
        EXPECT_GE(got.high, got.value) << kind.id;
        EXPECT_LT(got.low, got.high) << kind.id;
        EXPECT_EQ(got.n, 60);
        EXPECT_FALSE(got.signature.empty() || kind.title.empty() || kind.doc.empty()) << kind.id;
    }
}

TEST(Metric, EveryIdIsUnique) {
    std::set<std::string> ids;
    for (const MetricKind& kind : metricKinds()) EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
    for (const ScalarSpec& info : commonScalars()) {
        EXPECT_TRUE(ids.insert(info.id).second) << info.id;
        EXPECT_FALSE(info.title.empty() || info.doc.empty()) << info.id;
    }
}

/// Independent of the library's counting: BLEU by the textbook, on ids.
double naiveBleu(const std::vector<std::int32_t>& hypothesis, const std::vector<std::int32_t>& reference) {
    double logSum = 0, smoothing = 1;
    int orders = 0, hits = 0;
    for (std::size_t n = 1; n <= 4 && hypothesis.size() >= n; ++n, ++orders) {
        std::multiset<std::vector<std::int32_t>> left;
        for (std::size_t i = 0; i + n <= reference.size(); ++i)
            left.insert(
                {reference.begin() + static_cast<long>(i), reference.begin() + static_cast<long>(i + n)});
        int matched = 0;
        for (std::size_t i = 0; i + n <= hypothesis.size(); ++i) {
            const auto found = left.find(
                {hypothesis.begin() + static_cast<long>(i), hypothesis.begin() + static_cast<long>(i + n)});
            if (found == left.end()) continue;
            left.erase(found);
            ++matched;
        }
        hits += matched;
        if (matched == 0) smoothing /= 2;
        logSum +=
            std::log((matched == 0 ? smoothing : matched) / static_cast<double>(hypothesis.size() - n + 1));
    }
    if (hits == 0) return 0;
    const double ratio = static_cast<double>(reference.size()) / static_cast<double>(hypothesis.size());
    return 100 * std::min(1.0, std::exp(1 - ratio)) * std::exp(logSum / orders);
}

TEST(Mbr, EqualsBruteForce) {
    RandomStream stream(11, "test.mbr");
    for (int round = 0; round < 20; ++round) {
        std::vector<std::vector<std::int32_t>> candidates(1 + stream.below(10));
        for (auto& candidate : candidates) {
            candidate.resize(stream.below(14));
            for (auto& id : candidate) id = static_cast<std::int32_t>(stream.below(6));
        }
        const std::vector<double> got = mbrScores(candidates);
        ASSERT_EQ(got.size(), candidates.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < got.size(); ++j)
                if (j != i) sum += naiveBleu(candidates[j], candidates[i]);
            EXPECT_NEAR(got[i], got.size() > 1 ? sum / static_cast<double>(got.size() - 1) : 0, 1e-9);
        }
    }
}

TEST(Mbr, OfTextsIsTheMeanSentenceBleuWithTheOthers) {
    const std::vector<std::string> texts{"He said, \"Go.\"", "He said: go.", "He said, go there.", ""};
    const std::vector<double> scores = mbrScores(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < texts.size(); ++j)
            if (j != i) sum += sentenceBleu(texts[j], texts[i]);
        EXPECT_NEAR(scores[i], sum / 3, 1e-9) << texts[i];
    }
}

TEST(Mbr, PrefersTheConsensus) {
    const std::vector<std::vector<std::int32_t>> candidates{
        {9, 8, 7, 6}, {1, 2, 3, 4}, {1, 2, 3, 5}, {1, 2, 3, 4}};
    const std::vector<double> scores = mbrScores(candidates);
    EXPECT_EQ(std::max_element(scores.begin(), scores.end()) - scores.begin(), 1);  // the first maximum
    EXPECT_EQ(scores[0], 0);
}

}  // namespace
}  // namespace kurve::metrics
