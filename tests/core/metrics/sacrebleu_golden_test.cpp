#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/metrics/metric.h"

namespace kurve::metrics {
namespace {

// tests/golden/metrics/make_sacrebleu.py wrote this.
const nlohmann::json& golden() {
    static const nlohmann::json all = [] {
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/metrics/sacrebleu.json");
        return nlohmann::json::parse(file);
    }();
    return all;
}

std::vector<std::string> column(std::size_t index, std::size_t first, std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = first; i < first + count; ++i) texts.push_back(golden().at("pairs")[i][index]);
    return texts;
}

TEST(SacreBleu, CorpusScores) {
    for (const auto& corpus : golden().at("corpora")) {
        SCOPED_TRACE(corpus.dump());
        const std::size_t count = corpus.at("count");
        const std::size_t first = corpus.at("part") == "one" ? 0 : golden().at("pairs").size() - count;
        const std::vector<std::string> hypotheses = column(0, first, count),
                                       references = column(1, first, count);
        const std::vector<std::vector<std::string>> more{column(2, first, count)};
        MetricInput input{hypotheses, references};
        if (corpus.at("tokenize") != "") input.options["tokenize"] = corpus.at("tokenize");
        if (corpus.at("nrefs") == 2) input.moreReferences = more;
        const Result<Score> got = score(corpus.at("metric"), input);
        ASSERT_TRUE(got.has_value()) << got.error().text();
        EXPECT_NEAR(got->value, corpus.at("score").get<double>(), 1e-9);
        EXPECT_EQ(got->signature, corpus.at("signature").get<std::string>());
        EXPECT_EQ(got->n, static_cast<int>(count));
        if (corpus.at("metric") != "bleu") continue;
        for (std::size_t n = 0; n < 4; ++n)
            EXPECT_NEAR(got->parts.at("precision" + std::to_string(n + 1)),
                        corpus.at("precisions")[n].get<double>(), 1e-9);
        EXPECT_NEAR(got->parts.at("bp"), corpus.at("bp").get<double>(), 1e-12);
        EXPECT_EQ(got->parts.at("hyp_len"), corpus.at("sys_len").get<double>());
        EXPECT_EQ(got->parts.at("ref_len"), corpus.at("ref_len").get<double>());
    }
}

TEST(SacreBleu, ChrfOfOneSentenceIsThatOfACorpusOfOne) {
    for (std::size_t i = 0; i < 50; ++i) {
        const auto& pair = golden().at("pairs")[i];
        const std::vector<std::string> hypothesis{pair[0]}, reference{pair[1]};
        EXPECT_NEAR(sentenceChrf(pair[0], pair[1]), score("chrf", {hypothesis, reference})->value, 1e-9)
            << pair.dump();
    }
}

TEST(SacreBleu, SentenceScores) {
    const auto& expected = golden().at("sentence_bleu");
    ASSERT_GE(expected.size(), 500u);
    double sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& pair = golden().at("pairs")[i];
        EXPECT_NEAR(sentenceBleu(pair[0], pair[1]), expected[i].get<double>(), 1e-9) << pair.dump();
        sum += expected[i].get<double>();
    }
    const std::vector<std::string> hypotheses = column(0, 0, expected.size()),
                                   references = column(1, 0, expected.size());
    const double mean = sum / static_cast<double>(expected.size());
    EXPECT_NEAR(score("sentence-bleu", {hypotheses, references})->value, mean, 1e-9);
}

}  // namespace
}  // namespace kurve::metrics
