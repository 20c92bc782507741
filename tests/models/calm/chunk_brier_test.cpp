// Brier scores of CALM's draws against those of the law that its generated texts show, within four standard
// errors, for chunks of one to four tokens.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <cmath>
#include <map>

#include "core/text/trained_specials.h"
#include "core/train/brier_draws.h"
#include "tests/models/family_fixture.h"
#include "tests/models/toy_autoencoder.h"

namespace kurve::models::calm {
namespace {

using Ids = std::vector<std::int32_t>;
using Briers = std::array<double, metrics::kBrierOrders>;

RunConfig calmConfig(std::vector<Override> settings = {}) {
    settings.insert(settings.begin(), {{"model.hidden", "64"}, {"model.ffn", "128"}});
    return testing::toyConfig("calm", settings);
}

/// Of chunks of so many tokens, trained on the eight sentences; the same for all tests.
train::SequenceModel& trainedWith(std::int64_t chunk) {
    static std::map<std::int64_t, std::unique_ptr<train::SequenceModel>> models;
    auto& model = models[chunk];
    if (model != nullptr) return *model;
    train::ModelContext context = testing::contextFor("calm", at::kCPU);
    context.maybeResolver = &testing::toyAutoencoder(chunk);
    auto made = findFamily("calm")->create(calmConfig(), context);
    EXPECT_TRUE(made) << made.error().text();
    model = std::move(*made);
    torch::optim::Adam optimizer(model->module().parameters(), torch::optim::AdamOptions(3e-3));
    const train::DeviceBatch batch = train::toDevice(testing::batchFor("calm"), at::kCPU);
    for (std::uint64_t step = 0; step < 300; ++step) {
        optimizer.zero_grad();
        model->loss(batch, {1, step, 0}).total.backward();
        optimizer.step();
    }
    return *model;
}

/// Words that no sentence has in this order.
constexpr std::int32_t kWord = text::kFirstRegularToken;
const Ids kNonsense{kWord + 13, kWord + 2, kWord + 2, kWord + 13};

Ids wordsOf(const Ids& text) {
    return {text.begin() + 1, text.end() - 1};
}

/// Independent estimates of the four scores.
struct Estimates {
    std::vector<Briers> all;
    [[nodiscard]] double mean(std::size_t i) const {
        double sum = 0;
        for (const Briers& one : all) sum += one[i];
        return sum / static_cast<double>(all.size());
    }
    [[nodiscard]] double error(std::size_t i) const {
        double squares = 0;
        for (const Briers& one : all) squares += std::pow(one[i] - mean(i), 2);
        const auto count = static_cast<double>(all.size());
        return std::sqrt(squares / (count - 1) / count);
    }
};

/// The four tokens behind `known` (whole chunks) in so many generated texts; </s> behind their end.
std::vector<Ids> generatedBehind(train::SequenceModel& model, const Ids& known, std::size_t count,
                                 std::uint64_t seed) {
    train::GenerateRequest request;
    request.seed = seed;
    request.sources.resize(count);
    text::TextTemplate beginning{{text::kBos}};
    beginning.ids.insert(beginning.ids.end(), known.begin(), known.end());
    if (!known.empty()) request.templates.assign(count, beginning);
    const RunConfig config = calmConfig(
        {{"sampler.batch_size", "4096"}, {"sampler.max_tokens", std::to_string(known.size() + 4)}});
    const auto made = model.generate(request, config, nullptr);
    EXPECT_TRUE(made) << made.error().text();
    std::vector<Ids> all;
    for (const auto& row : made->rows) {
        Ids ids(row.best.ids.begin() + static_cast<std::ptrdiff_t>(known.size()), row.best.ids.end());
        ids.resize(4, text::kEos);
        all.push_back(std::move(ids));
    }
    return all;
}

/// From the counts of what was generated: 2 P(y) - sum P^2 without bias, mean over the truths.
Briers scoresByCounting(const std::vector<Ids>& texts, const std::vector<Ids>& truths) {
    Briers scores{};
    const auto count = static_cast<double>(texts.size());
    for (std::size_t n = 1; n <= 4; ++n) {
        const auto length = static_cast<std::ptrdiff_t>(n);
        std::map<Ids, double> counts;
        for (const Ids& text : texts) ++counts[Ids(text.begin(), text.begin() + length)];
        for (const Ids& truth : truths)
            scores[n - 1] += 2 * counts[Ids(truth.begin(), truth.begin() + length)] / count /
                             static_cast<double>(truths.size());
        for (const auto& [ids, times] : counts) scores[n - 1] -= times * (times - 1) / count / (count - 1);
    }
    return scores;
}

/// Of the sentences' starts at a position.
Briers scoresByDraws(train::SequenceModel& model, train::BrierRequest request, std::int64_t position) {
    const auto found = model.brierDraws()->brierTerms(request, calmConfig());
    EXPECT_TRUE(found) << found.error().text();
    Briers scores{};
    double count = 0;
    for (const auto& start : found->starts) {
        if (request.every > 0) EXPECT_EQ((start.position - 1) % request.every, 0);
        if (start.position != position) continue;
        ++count;
        for (std::size_t n = 1; n <= 4; ++n) scores[n - 1] += start.terms.brier(n);
    }
    EXPECT_GT(count, 0);
    for (double& score : scores) score /= count;
    return scores;
}

void expectSame(const Estimates& drawn, const Estimates& counted) {
    for (std::size_t i = 0; i < metrics::kBrierOrders; ++i) {
        const double error = std::hypot(drawn.error(i), counted.error(i));
        EXPECT_LT(error, 0.02);
        EXPECT_NEAR(drawn.mean(i), counted.mean(i), 4 * error + 1e-9) << "Brier-" << i + 1;
    }
}

class ChunkBrier : public ::testing::TestWithParam<std::int64_t> {
protected:
    train::SequenceModel& model_ = trainedWith(GetParam());
};

TEST_P(ChunkBrier, TheFirstFourTokens) {
    train::BrierRequest request;
    request.texts = testing::toySources();
    // What agrees is not this, and goes on otherwise.
    for (std::size_t i = 0; i < 8; ++i)
        request.texts.push_back(
            {text::kBos, kNonsense[0], kNonsense[1], kNonsense[2], kNonsense[3], text::kEos});
    request.every = 4;
    std::vector<Ids> truths;
    for (const Ids& text : request.texts) truths.push_back(wordsOf(text));
    Estimates drawn, counted;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        request.seed = seed;
        drawn.all.push_back(scoresByDraws(model_, request, 1));
    }
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        counted.all.push_back(scoresByCounting(generatedBehind(model_, {}, 1500, seed), truths));
    expectSame(drawn, counted);
}

TEST_P(ChunkBrier, BehindABeginning) {
    // Four words are a whole sentence: most draws are its end. Behind nonsense they vary.
    for (const Ids& known : {wordsOf(testing::toySources()[0]), kNonsense}) {
        ASSERT_EQ(known.size(), 4U);
        Ids text{text::kBos};
        for (const Ids& words : {known, kNonsense}) text.insert(text.end(), words.begin(), words.end());
        text.push_back(text::kEos);
        train::BrierRequest request;
        request.texts.assign(20, text);
        request.draws = 8;
        Estimates drawn, counted;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            request.seed = seed;
            drawn.all.push_back(scoresByDraws(model_, request, 5));
        }
        for (std::uint64_t seed = 1; seed <= 10; ++seed)
            counted.all.push_back(scoresByCounting(generatedBehind(model_, known, 500, seed), {kNonsense}));
        expectSame(drawn, counted);
    }
}

TEST_P(ChunkBrier, StartsAreThoseWithoutAnEnd) {
    train::BrierRequest request;
    request.texts = testing::toySources();
    request.draws = 2;
    const auto found = model_.brierDraws()->brierTerms(request, calmConfig());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->every, GetParam());
    EXPECT_EQ(found->estimator, "draws:2|estimator:all-pairs");
    std::size_t wanted = 0;
    const std::int64_t chunk = GetParam(), needed = (4 + chunk - 1) / chunk * chunk;
    for (const Ids& text : request.texts)
        wanted += static_cast<std::size_t>((static_cast<std::int64_t>(text.size()) - 2 - needed) / chunk + 1);
    EXPECT_EQ(found->starts.size(), wanted);
    for (const auto& start : found->starts) EXPECT_EQ((start.position - 1) % chunk, 0);
}

TEST_P(ChunkBrier, ATextsNumbersAreItsOwn) {
    train::BrierRequest request;
    request.texts = testing::toySources();
    const auto termsOfRow = [&](std::int64_t row) {
        const auto found = model_.brierDraws()->brierTerms(request, calmConfig());
        std::map<std::int64_t, metrics::BrierTerms> terms;
        for (const auto& start : found->starts)
            if (start.row == row) terms[start.position] = start.terms;
        return terms;
    };
    const auto among = termsOfRow(2);
    request.texts.resize(3);
    const auto alone = termsOfRow(2);
    ASSERT_EQ(among.size(), alone.size());
    for (const auto& [position, terms] : among) {
        EXPECT_EQ(terms.accuracy, alone.at(position).accuracy);
        EXPECT_EQ(terms.collision, alone.at(position).collision);
    }
}

INSTANTIATE_TEST_SUITE_P(Calm, ChunkBrier, ::testing::Values(1, 2, 4),
                         [](const auto& info) { return "K" + std::to_string(info.param); });

TEST(ChunkBrierRequests, StartsOfAnotherWidthAreRefused) {
    train::BrierRequest request;
    request.texts = testing::toySources();
    request.every = 3;
    const auto refused = trainedWith(2).brierDraws()->brierTerms(request, calmConfig());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "score.brier_every");
    request.every = 0;
    request.texts[0].resize(40, text::kFirstRegularToken);
    const auto tooLong = trainedWith(2).brierDraws()->brierTerms(request, calmConfig());
    ASSERT_FALSE(tooLong);
    EXPECT_EQ(tooLong.error().code, "sample.too_long");
    request.texts.resize(1);
    request.texts[0] = testing::toySources()[0];
    request.estimator = metrics::PairEstimator::TwoSamples;
    EXPECT_EQ(trainedWith(2).brierDraws()->brierTerms(request, calmConfig())->estimator,
              "draws:2|estimator:two-samples");
    request.cancel.request();
    EXPECT_TRUE(trainedWith(2).brierDraws()->brierTerms(request, calmConfig())->cancelled);
}

}  // namespace
}  // namespace kurve::models::calm
