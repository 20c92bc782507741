// The metrics of DiffuSeq's evaluation against NLTK, on the random texts of
// tests/golden/metrics/make_nltk.py, and on a few sentences whose numbers its own functions gave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/metrics/metric.h"
#include "tests/core/metrics/golden_draw.h"

namespace kurve::metrics {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr double kRounding = 1e-10;  // of the golden file, and of another order of sums

/// make_nltk.py's texts, in its order of draws.
class GoldenTexts {
public:
    explicit GoldenTexts(const json& golden)
        : draw_(golden.at("seed")),
          longest_(golden.at("longest")),
          words_(golden.at("words")),
          between_(golden.at("between")) {}

    Lines pair() {
        const std::uint64_t kind = draw_.below(6);
        const std::size_t half = words_.size() / 2;
        if (kind == 1) {
            const Lines first = words(0, half);
            return texts({first, words(half, words_.size())});
        }
        const std::size_t vocabulary = 1 + draw_.below(words_.size());
        const Lines first = words(0, vocabulary);
        return texts({first, kind == 0 ? first : kind == 2 ? edited(first) : words(0, vocabulary)});
    }

    Lines set() {
        const std::size_t count = 2 + draw_.below(4), vocabulary = 1 + draw_.below(words_.size());
        std::vector<Lines> outputs{words(0, vocabulary)};
        while (outputs.size() < count)
            outputs.push_back(draw_.below(2) != 0 ? edited(outputs[0]) : words(0, vocabulary));
        return texts(outputs);
    }

private:
    Lines words(std::size_t first, std::size_t last) {
        Lines out(draw_.below(longest_ + 1));
        for (auto& word : out) word = words_[first + draw_.below(last - first)];
        return out;
    }
    Lines edited(Lines out) {
        for (auto& word : out)
            if (draw_.below(5) == 0) word = words_[draw_.below(words_.size())];
        return out;
    }
    Lines texts(const std::vector<Lines>& outputs) {
        Lines out(outputs.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            for (const auto& word : outputs[i]) out[i] += word + between_[draw_.below(between_.size())];
        return out;
    }

    GoldenDraw draw_;
    std::uint64_t longest_;
    Lines words_, between_;
};

const json& golden() {
    static const json all = json::parse(std::ifstream(KURVE_SOURCE_DIR "/tests/golden/metrics/nltk.json"));
    return all;
}

/// Output i is of sample i, as files of samples are given.
Result<Score> scoreOfSamples(const std::string& id, const std::vector<Lines>& samples) {
    const std::vector<Lines> more(samples.begin() + 2, samples.end());
    return score(id, {samples[0], samples[1], {}, more});
}

Result<Score> scoreOfOutputs(const std::string& id, const Lines& outputs) {
    std::vector<Lines> samples;
    for (const auto& output : outputs) samples.push_back({output});
    return scoreOfSamples(id, samples);
}

TEST(Nltk, SentenceBleuOfRandomPairs) {
    GoldenTexts texts(golden());
    ASSERT_EQ(golden().at("pairs").size(), 10'000U);
    double sum = 0;
    for (const json& wanted : golden().at("pairs")) {
        const Lines pair = texts.pair(), hypothesis{pair[0]}, reference{pair[1]};
        const auto got = score("bleu-nltk4", {hypothesis, reference});
        ASSERT_TRUE(got);
        ASSERT_NEAR(got->value, wanted.get<double>(), kRounding) << pair[0] << " | " << pair[1];
        sum += got->value;
    }
    EXPECT_GT(sum, 0);
}

TEST(Nltk, DiversityOfRandomSets) {
    GoldenTexts texts(golden());
    for (std::size_t i = 0; i < golden().at("pairs").size(); ++i) texts.pair();
    ASSERT_EQ(golden().at("sets").size(), 1'000U);
    for (const json& wanted : golden().at("sets")) {
        const Lines outputs = texts.set();
        SCOPED_TRACE(json(outputs).dump());
        ASSERT_NEAR(scoreOfOutputs("self-bleu-pairs", outputs)->value, wanted[0].get<double>(), kRounding);
        const auto diversity = scoreOfOutputs("div-4", outputs);
        ASSERT_EQ(diversity.has_value(), !wanted[1].is_null());
        if (diversity)
            ASSERT_NEAR(diversity->value, wanted[1].get<double>(), kRounding);
        else
            ASSERT_EQ(diversity.error().code, "metric.empty");
        const Lines first{outputs[0]}, second{outputs[1]};
        std::vector<Lines> more;
        for (std::size_t k = 2; k < outputs.size(); ++k) more.push_back({outputs[k]});
        ASSERT_NEAR(score("bleu-nltk4", {first, second, {}, more})->value, wanted[2].get<double>(),
                    kRounding);
    }
}

// All sets of three outputs as three files of samples; a source without a 4-gram has no div-4.
TEST(Nltk, DiversityOfManySourcesIsTheMean) {
    GoldenTexts texts(golden());
    for (std::size_t i = 0; i < golden().at("pairs").size(); ++i) texts.pair();
    std::vector<Lines> samples(3);
    double selfBleu = 0, diversity = 0;
    int defined = 0;
    for (const json& wanted : golden().at("sets")) {
        const Lines outputs = texts.set();
        if (outputs.size() != samples.size()) continue;
        for (std::size_t k = 0; k < samples.size(); ++k) samples[k].push_back(outputs[k]);
        selfBleu += wanted[0].get<double>();
        if (wanted[1].is_null()) continue;
        diversity += wanted[1].get<double>();
        ++defined;
    }
    const int sources = static_cast<int>(samples[0].size());
    ASSERT_LT(defined, sources);
    const Score pairs = *scoreOfSamples("self-bleu-pairs", samples), div4 = *scoreOfSamples("div-4", samples);
    EXPECT_NEAR(pairs.value, selfBleu / sources, kRounding);
    EXPECT_NEAR(div4.value, diversity / defined, kRounding);
    EXPECT_EQ(div4.n, defined);
    EXPECT_EQ(div4.parts.at("left_out"), sources - defined);
}

TEST(Nltk, OneSampleHasNoDiversity) {
    const Lines one{"a b c d e"};
    for (const char* id : {"self-bleu-pairs", "div-4"}) {
        const auto got = score(id, {one, {}});
        ASSERT_FALSE(got) << id;
        EXPECT_EQ(got.error().code, "metric.counts");
        EXPECT_THAT(got.error().text(), ::testing::HasSubstr("compares samples"));
    }
}

/// The pairs of the evaluations of paraphrases and dialogues: output, reference.
const std::vector<std::array<const char*, 2>> kPairs{
    {"the cat sat on the mat", "the cat is on the mat"},
    {"how do i learn java ?", "how can i learn java programming language ?"},
    {"what is the japanese currency", "what is the japanese currency?"},
    {"hello", "hello there"},
    {"a b c d e", "x y z"},
    {"happy to help .", "thanks for reading !"},
    {"one two three four five six seven eight", "one two three four five six seven eight"},
    {"no", "no"},
};

// By NLTK 3.8. NLTK 3.5 gives .700853429, .453773950, and divides by zero where one word is given.
TEST(DiffuSeq, SentenceBleu) {
    const std::array wanted{.293945704, .190317829, .668740305, .367879441, 0.0, 0.0, 1.0, 1.0};
    Lines hypotheses, references;
    for (std::size_t i = 0; i < kPairs.size(); ++i) {
        hypotheses.emplace_back(kPairs[i][0]);
        references.emplace_back(kPairs[i][1]);
        const Lines hypothesis{hypotheses.back()}, reference{references.back()};
        EXPECT_NEAR(score("bleu-nltk4", {hypothesis, reference})->value, 100 * wanted[i], 1e-7)
            << kPairs[i][0];
    }
    const Score all = *score("bleu-nltk4", {hypotheses, references});
    EXPECT_NEAR(all.value, 44.0110410, 1e-6);
    EXPECT_THAT(all.signature, ::testing::HasSubstr("tok:none|smooth:method4|nltk:3.6+"));
}

// By the functions of torchmetrics.
TEST(DiffuSeq, RougeL) {
    const std::array wanted{.833333, .666667, 1.0, .666667, 0.0, 0.0, 1.0, 1.0};
    for (std::size_t i = 0; i < kPairs.size(); ++i) {
        const Lines hypothesis{kPairs[i][0]}, reference{kPairs[i][1]};
        EXPECT_NEAR(score("rouge-l", {hypothesis, reference})->value, 100 * wanted[i], 1e-4) << kPairs[i][0];
    }
    EXPECT_NEAR(score("rouge-l", {Lines{"don't stop"}, Lines{"do n't stop now"}})->value, 50, 1e-10);
}

// DiffuSeq's dist-1 is a mean over outputs, distinct-1 is of all words together: equal for one output only.
TEST(DiffuSeq, Distinct) {
    const auto distinct = [](const Lines& lines) { return score("distinct-1", {lines, {}})->value; };
    EXPECT_DOUBLE_EQ(distinct({"the the cat"}), 2.0 / 3);
    EXPECT_DOUBLE_EQ(distinct({"happy happy happy day"}), 0.5);
    EXPECT_DOUBLE_EQ(distinct({"the the cat", "happy happy happy day"}), 4.0 / 7);
}

const Lines kSet{"how do i learn java", "how can i learn java quickly", "how can i learn java",
                 "what is java"};

TEST(DiffuSeq, Diversity) {
    EXPECT_NEAR(scoreOfOutputs("div-4", kSet)->value, .71428571, 1e-8);
    EXPECT_NEAR(scoreOfOutputs("self-bleu-pairs", kSet)->value, 24.567942, 1e-6);
    const Lines backwards(kSet.rbegin(), kSet.rend());
    EXPECT_NEAR((scoreOfOutputs("self-bleu-pairs", kSet)->value +
                 scoreOfOutputs("self-bleu-pairs", backwards)->value) /
                    2,
                24.724693, 1e-6);
    const Lines three(kSet.begin(), kSet.begin() + 3);
    EXPECT_NEAR(scoreOfOutputs("div-4", three)->value, .71428571, 1e-8);
    EXPECT_NEAR(scoreOfOutputs("self-bleu-pairs", three)->value, 44.839457, 1e-6);
}

// What DiffuSeq's minimum Bayes risk adds up for each candidate.
TEST(DiffuSeq, BleuAgainstTheOtherCandidates) {
    const std::array wanted{.630998, 1.048627, 1.186225, .101113};
    for (std::size_t k = 0; k < kSet.size(); ++k) {
        Lines others = kSet;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        const Lines candidate(others.size(), kSet[k]);
        EXPECT_NEAR(3 * score("bleu-nltk4", {candidate, others})->value, 100 * wanted[k], 1e-4) << kSet[k];
    }
}

}  // namespace
}  // namespace kurve::metrics
