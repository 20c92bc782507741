// Brier scores of a decoder-only Transformer against sums over all texts of four tokens.
#include <torch/torch.h>

#include <cmath>

#include "core/train/brier_draws.h"
#include "tests/models/transformer/decoder_only_fixture.h"

namespace kurve::models::transformer::texts {
namespace {

constexpr std::int64_t kVocabulary = kWord + 3;  // all texts of four can be listed

/// p of the next token.
std::vector<double> nextOf(DecoderOnlyNetImpl& net, const Ids& context) {
    const torch::NoGradGuard noGrad;
    const std::vector<std::int64_t> ids(context.begin(), context.end());
    const std::vector<std::int32_t> length{static_cast<std::int32_t>(ids.size())};
    const at::Tensor states = net.read(at::tensor(ids, at::kLong).unsqueeze(0), length, {});
    const at::Tensor p = net.logits(states)[0][-1].to(at::kDouble).softmax(-1).contiguous();
    return {p.const_data_ptr<double>(), p.const_data_ptr<double>() + p.numel()};
}

/// The sum of P^2 over what n tokens can follow; behind </s> nothing can.
double collisionBehind(DecoderOnlyNetImpl& net, const Ids& context, int n) {
    if (n == 0 || (context.back() == text::kEos)) return 1;
    const std::vector<double> p = nextOf(net, context);
    double sum = 0;
    for (std::size_t x = 0; x < p.size(); ++x) {
        Ids longer = context;
        longer.push_back(static_cast<std::int32_t>(x));
        sum += p[x] * p[x] * collisionBehind(net, longer, n - 1);
    }
    return sum;
}

Result<train::BrierStarts> startsOf(train::SequenceModel& model, const train::BrierRequest& request) {
    return model.brierDraws()->brierTerms(request, configOf());
}

class ChainedBrierLaw : public ::testing::TestWithParam<double> {};

TEST_P(ChainedBrierLaw, AgreesWithAllTextsOfFourTokens) {
    const auto model = confidentModel(configOf(), {kVocabulary, 12}, GetParam());
    auto& net = netOf(*model);
    const Ids text = textOf({kWord, kWord + 2, kWord + 1, kWord + 1, kWord, kWord + 2});
    constexpr std::size_t kTimes = 4000;
    train::BrierRequest request;
    request.texts.assign(kTimes, text);
    const auto found = startsOf(*model, request);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->estimator, "estimator:exact");
    EXPECT_EQ(found->starts.size(), 3 * kTimes) << "the last that fit before </s>";
    for (std::int64_t position = 1; position <= 3; ++position) {
        const Ids context(text.begin(), text.begin() + position);
        double accuracy = 1;
        for (int n = 1; n <= 4; ++n) {
            const auto order = static_cast<std::size_t>(n) - 1;
            const Ids known(text.begin(), text.begin() + position + n - 1);
            accuracy *= nextOf(net, known)[static_cast<std::size_t>(text[known.size()])];
            double sum = 0, squares = 0;
            for (const auto& start : found->starts) {
                if (start.position != position) continue;
                EXPECT_NEAR(start.terms.accuracy[order], accuracy, 3e-5 * accuracy);
                sum += start.terms.collision[order];
                squares += std::pow(start.terms.collision[order], 2);
            }
            const double mean = sum / kTimes,
                         error = std::sqrt(std::max(0., squares / kTimes - mean * mean) / kTimes),
                         wanted = collisionBehind(net, context, n);
            EXPECT_NEAR(mean, wanted, 4 * error + 1e-6) << position << " " << n;
            EXPECT_LT(error, 0.1 * wanted);
        }
    }
}

// A flat law, whose collisions are mostly those of ended texts, and a peaked one.
INSTANTIATE_TEST_SUITE_P(Transformer, ChainedBrierLaw, ::testing::Values(0.5, 2),
                         [](const auto& info) { return info.param < 1 ? "Flat" : "Peaked"; });

TEST(ChainedBrier, OnlySamplingHasATemperature) {
    const auto model = confidentModel(configOf(), {kVocabulary, 12});
    train::BrierRequest request;
    request.texts = {textOf({kWord, kWord + 2, kWord + 1, kWord + 1})};
    const auto accuracy = [&](const char* method, const char* temperature) {
        const RunConfig sampler =
            configOf({{"sampler.method", method}, {"sampler.temperature", temperature}});
        const auto found = model->brierDraws()->brierTerms(request, sampler);
        EXPECT_TRUE(found) << found.error().text();
        return found->starts.front().terms.accuracy[0];
    };
    EXPECT_EQ(accuracy("beam", "0.5"), accuracy("sample", "1"));
    EXPECT_NE(accuracy("sample", "0.5"), accuracy("sample", "1"));
}

TEST(ChainedBrier, StartsLieAsFarApartAsAsked) {
    const auto model = confidentModel(configOf(), {kVocabulary, 20});
    train::BrierRequest request;
    request.texts = {textOf(Ids(9, kWord)), textOf(Ids(8, kWord)), textOf(Ids(3, kWord)), textOf({})};
    request.every = 4;
    const auto found = startsOf(*model, request);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->every, 4);
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    for (const auto& start : found->starts) places.emplace_back(start.row, start.position);
    std::sort(places.begin(), places.end());
    EXPECT_EQ(places, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {0, 5}, {1, 1}, {1, 5}}));
    // The same places have the same numbers, whatever lies between them.
    request.every = 0;
    const auto all = startsOf(*model, request);
    EXPECT_EQ(all->every, 1);
    for (const auto& start : found->starts)
        for (const auto& other : all->starts)
            if (start.row == other.row && start.position == other.position)
                for (std::size_t i = 0; i < 4; ++i)
                    EXPECT_NEAR(start.terms.collision[i], other.terms.collision[i], 1e-5);
}

TEST(ChainedBrier, NotOfPairsAndNotOfLongTexts) {
    EXPECT_EQ(testing::toyModel(testing::toyConfig("transformer"))->brierDraws(), nullptr);
    const auto model = confidentModel(configOf(), {kVocabulary, 12});
    train::BrierRequest request;
    request.texts = {textOf(Ids(20, kWord))};
    const auto refused = startsOf(*model, request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "sample.too_long");
    request.texts = {textOf(Ids(8, kWord))};
    request.cancel.request();
    EXPECT_TRUE(startsOf(*model, request)->cancelled);
}

}  // namespace
}  // namespace kurve::models::transformer::texts
