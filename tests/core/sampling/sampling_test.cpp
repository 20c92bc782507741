#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/random_stream.h"
#include "core/sampling/length_candidates.h"
#include "core/sampling/masked_sentence.h"

namespace kurve::sampling {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const json& oracle(const char* group) {
    static const json all = [] {
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/oracles/cmlm.json");
        return json::parse(file);
    }();
    return all.at(group);
}

TEST(MaskCounts, Oracle) {
    for (const json& row : oracle("mask_counts"))
        for (const int passes : {4, 10, 11}) {
            const std::vector<int> expected = row.at(std::to_string(passes));
            const int n = row.at("n");
            for (int pass = 0; pass + 1 < passes; ++pass) {
                const int k = expected[static_cast<std::size_t>(pass)];
                EXPECT_EQ(remaskCount(n, passes, pass, MaskRule::Isotropy), k) << n << ' ' << passes;
                EXPECT_EQ(remaskCount(n, passes, pass, MaskRule::MaskPredict), std::max(k, 1));
            }
            EXPECT_EQ(remaskCount(n, passes, passes - 1, MaskRule::Isotropy), 0);
            EXPECT_EQ(remaskCount(n, passes, passes - 1, MaskRule::MaskPredict), 0);
        }
    EXPECT_EQ(remaskCount(0, 4, 0, MaskRule::MaskPredict), 0);
    EXPECT_EQ(remaskCount(5, 5, 3, MaskRule::Isotropy), 1);  // float64: floor(5 (1 - 4/5)) = 0
}

TEST(MaskCounts, TrainingOracle) {
    for (const json& row : oracle("training_counts"))
        EXPECT_EQ(trainingMaskCount(row.at("n"), row.at("u"), MaskRule::Isotropy), row.at("count")) << row;
    std::vector<int> ours(6), theirs(6);
    for (int i = 0; i < 2000; ++i) {
        ++ours[static_cast<std::size_t>(trainingMaskCount(5, i / 2000.0, MaskRule::Isotropy))];
        ++theirs[static_cast<std::size_t>(trainingMaskCount(5, i / 2000.0, MaskRule::MaskPredict))];
    }
    EXPECT_THAT(ours, ElementsAre(0, 400, 400, 400, 400, 400));
    EXPECT_THAT(theirs, ElementsAre(0, 500, 500, 500, 500, 0));
    EXPECT_EQ(trainingMaskCount(0, 0.5, MaskRule::Isotropy), 0);
    EXPECT_EQ(trainingMaskCount(1, 0.5, MaskRule::MaskPredict), 0);
    EXPECT_EQ(trainingMaskCount(7, std::nextafter(1.0, 0.0), MaskRule::Isotropy), 7);
}

TEST(MaskCounts, ReplacedOracle) {
    const std::vector<int> expected = oracle("replaced");
    for (std::size_t r = 0; r < expected.size(); ++r)
        EXPECT_EQ(replacedCount(static_cast<int>(r), 0.3), expected[r]) << r;
    EXPECT_EQ(replacedCount(100, 0.29), 29);
    EXPECT_EQ(replacedCount(9, 1.0), 9);
}

TEST(Lowest, TiesGoToTheLowestIndex) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    EXPECT_THAT(lowest(std::vector<float>{0, -1, -1, 0, -1}, 2), ElementsAre(1, 2));
    EXPECT_THAT(lowest(std::vector<float>{0, 0, 0}, 2), ElementsAre(0, 1));
    EXPECT_THAT(lowest(std::vector<float>{3, kInfinity, 1}, 3), ElementsAre(0, 2));
    EXPECT_THAT(lowest(std::vector<float>{1, std::nanf(""), 2}, 1), ElementsAre(1));
    EXPECT_THAT(lowest(std::vector<float>{1}, 0), IsEmpty());
}

TEST(Lengths, Oracle) {
    for (const json& row : oracle("length_beam")) {
        const std::vector<std::int32_t> expected = row.at("lengths");
        EXPECT_EQ(windowLengths(row.at("predicted"), row.at("beam"), {2, 1000}), expected) << row;
        std::vector<std::int32_t> notEmpty = expected;
        for (auto& length : notEmpty) length = std::max(length, 3);
        EXPECT_EQ(windowLengths(row.at("predicted"), row.at("beam"), {3, 1000}), notEmpty) << row;
    }
    EXPECT_THAT(windowLengths(20, 3, {3, 20}), ElementsAre(19, 20, 20));
}

TEST(Lengths, TheLikeliestComeFirst) {
    const std::vector<float> scores{9, 0, 2, 5, 2, 1};
    EXPECT_THAT(likeliestLengths(scores, 0, 4, {3, 10}), ElementsAre(3, 3, 3, 4));
    EXPECT_THAT(likeliestLengths(scores, 1, 3, {2, 4}), ElementsAre(2, 4, 3));
}

/// A stub decoder with the same predictions whatever it reads.
struct DecodingTrace {
    std::vector<std::vector<int>> masked;  ///< after each pass, numbered from 1
    std::vector<float> second;             ///< probabilities after the second pass
    std::string tokens;
    double score = 0;
};

DecodingTrace decoded(bool overwrite) {
    const json& all = oracle("decode");
    const int passes = all.at("passes");
    MaskedSentence sentence(6, {passes, MaskRule::Isotropy, overwrite});
    DecodingTrace out;
    for (int pass = 0; pass < passes; ++pass) {
        const json& predictions = all.at("offers")[static_cast<std::size_t>(pass)];
        for (int position = 0; position < sentence.size(); ++position) {
            const json& one = predictions[static_cast<std::size_t>(position)];
            sentence.setPrediction(position, one[0].get<std::string>()[0], std::log(one[1].get<float>()));
        }
        if (pass == 1)
            for (const float score : sentence.scores()) out.second.push_back(std::exp(score));
        sentence.endPass();
        out.masked.emplace_back();
        for (int position = 0; position < sentence.size(); ++position)
            if (sentence.masked(position)) out.masked.back().push_back(position + 1);
    }
    for (const auto token : sentence.tokens()) out.tokens += static_cast<char>(token);
    out.score = candidateScore(sentence.scores(), MaskRule::Isotropy);
    return out;
}

void expectDecoded(const char* kind) {
    const json& all = oracle("decode");
    const json& expected = all.at(kind);
    const DecodingTrace got = decoded(std::string(kind) == "corr");
    for (std::size_t pass = 0; pass < 2; ++pass)
        EXPECT_EQ(got.masked[pass], all.at("masked_after")[pass].get<std::vector<int>>());
    EXPECT_THAT(got.masked[2], IsEmpty());
    const std::vector<float> second = expected.at("probabilities_1");
    for (std::size_t i = 0; i < second.size(); ++i) EXPECT_NEAR(got.second[i], second[i], 1e-6);
    EXPECT_EQ(got.tokens, expected.at("tokens").get<std::string>());
    EXPECT_NEAR(got.score, expected.at("score"), 1e-7);
    EXPECT_NEAR(got.score * 8, expected.at("sum"), 1e-6);
}

TEST(MaskedSentences, DecodeOracle) {
    expectDecoded("cmlm");
    expectDecoded("corr");
}

TEST(MaskedSentences, AppliesEdits) {
    MaskedSentence sentence(3, {4, MaskRule::Isotropy, false});
    for (int position = 0; position < 3; ++position)
        sentence.setPrediction(position, 7, -1.0F - static_cast<float>(position));
    sentence.fix(2, 9);
    sentence.endPass();  // masks 2 of 3, never the fixed one
    EXPECT_TRUE(sentence.masked(0) && sentence.masked(1) && !sentence.masked(2));
    sentence.mask(2);
    EXPECT_FALSE(sentence.masked(2));
    sentence.setPrediction(2, 5, -0.1F);
    EXPECT_EQ(sentence.tokens()[2], 9);
    sentence.set(0, 8, 0);
    EXPECT_EQ(sentence.tokens()[0], 8);
    EXPECT_FALSE(sentence.unchanged());
    sentence.endPass();
    EXPECT_FALSE(sentence.unchanged());
    sentence.endPass();
    EXPECT_TRUE(sentence.unchanged());
}

TEST(MaskedSentences, MaskAsManyAsThePlanSaysAndNeverFixedOnes) {
    const auto keepsThePlan = [](int n, int passes, int kind, int fixed) {
        const MaskPredictPlan plan{passes, kind % 2 == 0 ? MaskRule::Isotropy : MaskRule::MaskPredict,
                                   kind >= 2};
        MaskedSentence sentence(n, plan);
        RandomStream random(7, "offers", static_cast<std::uint64_t>(n * 100 + passes));
        for (int pass = 0; pass < passes; ++pass) {
            const std::vector<std::int32_t> before(sentence.tokens().begin(), sentence.tokens().end());
            for (int position = 0; position < n; ++position)
                sentence.setPrediction(position, 5 + static_cast<int>(random.below(4)),
                                       -0.25F * static_cast<float>(random.below(5)));
            for (int position = 0; position < n; ++position)
                if (!plan.overwrite && !sentence.masked(position))
                    ASSERT_TRUE(sentence.tokens()[static_cast<std::size_t>(position)] ==
                                before[static_cast<std::size_t>(position)]);
            if (pass == 0 && fixed < n) sentence.fix(fixed, 11);
            sentence.endPass();
            int masked = 0;
            for (int position = 0; position < n; ++position) masked += sentence.masked(position) ? 1 : 0;
            ASSERT_TRUE(masked == std::min(remaskCount(n, passes, pass, plan.rule), fixed < n ? n - 1 : n));
            ASSERT_TRUE(fixed >= n || !sentence.masked(fixed));
        }
        ASSERT_TRUE(fixed >= n || sentence.tokens()[static_cast<std::size_t>(fixed)] == 11);
    };
    for (int n = 0; n <= 24; ++n)
        for (int passes = 1; passes <= 11; ++passes)
            for (int kind = 0; kind < 4; ++kind)
                for (const int fixed : {0, 7, 99}) keepsThePlan(n, passes, kind, fixed);
}

}  // namespace
}  // namespace kurve::sampling
