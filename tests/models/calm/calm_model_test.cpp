// CALM on the toy task: what it learns, the law of its draws, prompts, traces, sizes, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>

#include "core/tensor/meta_memory.h"
#include "core/text/trained_specials.h"
#include "core/train/brier_draws.h"
#include "models/calm/calm_fields.h"
#include "models/calm_autoencoder/autoencoder_fields.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::calm {
namespace {

using testing::contextFor;
using testing::toyConfig;
using testing::toyModel;

constexpr std::int64_t kChunk = 4;  // of the toy autoencoder

RunConfig configOf(std::vector<Override> settings = {}) {
    settings.insert(settings.begin(), {{"model.hidden", "64"}, {"model.ffn", "128"}});
    return toyConfig("calm", settings);
}

/// Trained on the eight sentences; the same for all tests.
train::SequenceModel& trained() {
    static const auto model = [] {
        auto made = toyModel(configOf());
        torch::optim::Adam optimizer(made->module().parameters(), torch::optim::AdamOptions(3e-3));
        const train::DeviceBatch batch = train::toDevice(testing::batchFor("calm"), at::kCPU);
        for (std::uint64_t step = 0; step < 400; ++step) {
            optimizer.zero_grad();
            made->loss(batch, {1, step, 0}).total.backward();
            optimizer.step();
        }
        return made;
    }();
    return *model;
}

/// So many texts from nothing.
train::Generation drawn(std::size_t count, std::vector<Override> settings, std::uint64_t seed = 1) {
    settings.emplace_back("sampler.batch_size", "4096");
    train::GenerateRequest request;
    request.seed = seed;
    request.sources.resize(count);
    auto made = trained().generate(request, configOf(settings), nullptr);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

using Ids = std::vector<std::int32_t>;

std::map<Ids, double> lawOf(const train::Generation& texts) {
    std::map<Ids, double> law;
    for (const auto& row : texts.rows) law[row.best.ids] += 1.0 / static_cast<double>(texts.rows.size());
    return law;
}

TEST(CalmModel, LearnsEightSentences) {
    trained().module().eval();
    const auto report = trained().loss(train::toDevice(testing::batchFor("calm"), at::kCPU), {9, 1, 0});
    const double known = report.parts.at("energy_known_chunk").item<double>(),
                 random = report.parts.at("energy_random_chunk").item<double>(),
                 loss = report.total.item<double>();
    EXPECT_LT(known, loss);
    EXPECT_LT(loss, known + 0.75 * (random - known)) << known << " " << random;
    EXPECT_NEAR(loss,
                (2 * report.parts.at("energy_fidelity") - report.parts.at("energy_diversity")).item<double>(),
                1e-3);
}

TEST(CalmModel, GuessesTheFirstChunkByItsFrequency) {
    train::BrierRequest request;
    request.texts = testing::toySources();
    request.draws = 64;
    const auto found = trained().brierDraws()->brierTerms(request, configOf());
    ASSERT_TRUE(found) << found.error().text();
    // Of whole chunks only the first has no </s>: one of eight, 12.5 at best.
    metrics::BrierScore score;
    for (const auto& start : found->starts) score.add(start.row, start.terms);
    EXPECT_EQ(score.result().starts, 8);
    EXPECT_GT(score.result().orders[0].brier.value, 0.03);
}

TEST(CalmModel, BrierTermsAreOfTheLawAtTheTemperature) {
    // The first chunk has one law for all texts.
    const auto plain = lawOf(drawn(8000, {{"sampler.max_tokens", "4"}}));
    double square = 0, fourth = 0;
    for (const auto& [ids, p] : plain) {
        square += p * p;
        fourth += p * p * p * p;
    }
    train::BrierRequest request;
    request.texts = testing::toySources();
    request.draws = 100;
    const auto collision = [&](std::vector<Override> settings) {
        const auto found = trained().brierDraws()->brierTerms(request, configOf(std::move(settings)));
        EXPECT_TRUE(found) << found.error().text();
        double sum = 0, count = 0;
        for (const auto& start : found->starts)
            if (start.position == 1) {
                sum += start.terms.collision[kChunk - 1];
                ++count;
            }
        return sum / count;
    };
    // 8 x 4950 pairs of draws
    EXPECT_NEAR(collision({}), square, 0.05);
    EXPECT_NEAR(collision({{"sampler.algorithm", "exact"}, {"sampler.temperature", "0.5"}}),
                fourth / (square * square), 0.08);
}

TEST(CalmModel, TemperatureActsOnTheLawOfWholeChunks) {
    const std::vector<Override> one{{"sampler.max_tokens", "4"}};
    const auto with = [&](std::vector<Override> more) {
        more.insert(more.end(), one.begin(), one.end());
        return more;
    };
    const std::map<Ids, double> plain = lawOf(drawn(8000, one));
    std::vector<double> p;
    for (const auto& [ids, probability] : plain) p.push_back(probability);
    // The exact algorithm at T = 1/2: P^2, of the law that plain draws show.
    constexpr std::size_t kTexts = 2000;
    const auto exact =
        lawOf(drawn(kTexts, with({{"sampler.algorithm", "exact"}, {"sampler.temperature", "0.5"}}), 2));
    double norm = 0;
    for (const double each : p) norm += each * each;
    for (const auto& [ids, probability] : plain) {
        const double wanted = probability * probability / norm;
        const double error = std::sqrt(wanted / kTexts) + 2 * wanted * std::sqrt(1 / (probability * 8000));
        const double got = exact.contains(ids) ? exact.at(ids) : 0;
        EXPECT_NEAR(got, wanted, 4 * error + 1e-3);
    }
    // One batch of two draws is a plain draw, whatever the temperature.
    const auto two = lawOf(drawn(
        kTexts,
        with({{"sampler.algorithm", "batch"}, {"sampler.temperature", "0.5"}, {"sampler.draws", "2"}}), 3));
    for (const auto& [ids, probability] : plain)
        EXPECT_NEAR(two.contains(ids) ? two.at(ids) : 0, probability,
                    5 * std::sqrt(probability / kTexts) + 1e-3);
}

TEST(CalmModel, ABudgetThatIsSpentEndsTheText) {
    const auto texts = drawn(
        20, {{"sampler.algorithm", "exact"}, {"sampler.temperature", "0.05"}, {"sampler.max_draws", "30"}});
    int spent = 0;
    for (const auto& row : texts.rows) spent += row.best.sampleStatistics.contains("budget_spent");
    EXPECT_GT(spent, 10);
}

TEST(CalmModel, APromptIsNotLostWhereNoChunkCanBeDrawn) {
    const Ids sentence = testing::toySources()[3];
    train::GenerateRequest request;
    request.sources.resize(1);
    request.templates = {{Ids(sentence.begin(), sentence.begin() + 3)}};
    const auto made = trained().generate(
        request,
        configOf(
            {{"sampler.algorithm", "exact"}, {"sampler.temperature", "0.01"}, {"sampler.max_draws", "5"}}),
        nullptr);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->rows[0].best.ids, Ids(sentence.begin() + 1, sentence.begin() + 3));
}

TEST(CalmModel, DrawsDoNotDependOnTheTextsBeside) {
    const RunConfig config = configOf({{"sampler.algorithm", "batch"}, {"sampler.draws", "8"}});
    const Ids sentence = testing::toySources()[3];
    train::GenerateRequest one;
    one.sources.resize(1);
    one.templates = {{{text::kBos}}};
    train::GenerateRequest two = one;
    two.sources.resize(2);
    two.templates.push_back({Ids(sentence.begin(), sentence.begin() + 2)});
    const auto alone = trained().generate(one, config, nullptr),
               beside = trained().generate(two, config, nullptr);
    ASSERT_TRUE(alone && beside);
    EXPECT_EQ(alone->rows[0].best.ids, beside->rows[0].best.ids);
    EXPECT_EQ(alone->rows[0].best.sampleStatistics.at("draws").sum,
              beside->rows[0].best.sampleStatistics.at("draws").sum);
}

TEST(CalmModel, TellsHowManyChunksFellBack) {
    const auto texts =
        drawn(8, {{"sampler.algorithm", "batch"}, {"sampler.temperature", "0.1"}, {"sampler.draws", "10"}});
    const auto& fell = texts.rows[0].best.sampleStatistics.at("fell_back");
    EXPECT_GT(fell.sum, 0) << "ten equal draws of ten are rare";
    EXPECT_LE(fell.sum, fell.count);
    EXPECT_EQ(texts.rows[0].best.sampleStatistics.at("draws").sum, 10 * fell.count);
}

TEST(CalmModel, GoesOnAfterAPrefixOfAnyLength) {
    const Ids sentence = testing::toySources()[3];
    for (std::size_t known = 1; known < sentence.size(); ++known) {
        train::GenerateRequest request;
        request.sources.resize(1);
        request.templates = {{Ids(sentence.begin(), sentence.begin() + static_cast<std::ptrdiff_t>(known))}};
        const auto made = trained().generate(request, configOf(), nullptr);
        ASSERT_TRUE(made) << made.error().text();
        const Ids& got = made->rows[0].best.ids;
        ASSERT_GE(got.size() + 1, known);
        EXPECT_TRUE(std::equal(sentence.begin() + 1, sentence.begin() + static_cast<std::ptrdiff_t>(known),
                               got.begin()))
            << known;
    }
}

/// The trained model's text from nothing with edits: its ids, or the error's code.
Result<Ids> edited(std::vector<trace::Edit> edits, std::vector<Override> settings = {},
                   trace::TraceSink* maybeTrace = nullptr) {
    // A text of two chunks or more.
    static const std::uint64_t seed = [] {
        for (std::uint64_t one = 1; one < 100; ++one)
            if (drawn(1, {}, one).rows[0].best.ids.size() > kChunk) return one;
        return std::uint64_t{0};
    }();
    train::GenerateRequest request;
    request.seed = seed;
    request.sources.resize(1);
    request.edits = std::move(edits);
    request.tokenText = [](std::int32_t id) { return "w" + std::to_string(id); };
    KURVE_TRY(auto made, trained().generate(request, configOf(std::move(settings)), maybeTrace));
    return std::move(made.rows[0].best.ids);
}

trace::Edit editOf(trace::EditKind kind, int step, int chunk, Ids tokens = {}) {
    trace::Edit edit{kind, step, chunk, false, -1, "", {}};
    edit.tokens = std::move(tokens);
    return edit;
}

Ids chunkOf(const Ids& ids, std::ptrdiff_t chunk) {
    const auto at = [&](std::ptrdiff_t place) {
        return ids.begin() + std::min(place, static_cast<std::ptrdiff_t>(ids.size()));
    };
    return {at(chunk * kChunk), at((chunk + 1) * kChunk)};
}

TEST(CalmModel, ATextGoesOnFromAForcedChunk) {
    const Ids plain = *edited({}), sentence = testing::toySources()[5];
    const Ids other(sentence.begin() + 1, sentence.begin() + 1 + kChunk);
    ASSERT_NE(chunkOf(plain, 0), other);
    const auto forced = edited({editOf(trace::EditKind::Force, 0, 0, other)});
    ASSERT_TRUE(forced) << forced.error().text();
    EXPECT_EQ(chunkOf(*forced, 0), other);
    EXPECT_NE(*forced, plain);
    EXPECT_EQ(edited({editOf(trace::EditKind::Force, 0, 0, {7})}).error().code, "branch.token");
}

TEST(CalmModel, FreshNoiseDrawsAChunkAgainAndNoneBeforeIt) {
    const Ids plain = *edited({});
    int changed = 0;
    std::vector<trace::Edit> edits;
    for (int times = 0; times < 8; ++times) {  // each draws it once more
        edits.push_back(editOf(trace::EditKind::Noise, 0, 0));
        changed += chunkOf(*edited(edits), 0) != chunkOf(plain, 0);
    }
    EXPECT_GT(changed, 4) << "one of eight sentences";
    EXPECT_EQ(chunkOf(*edited({editOf(trace::EditKind::Noise, 1, 1)}), 0), chunkOf(plain, 0));
}

TEST(CalmModel, OtherSettingsHoldFromTheirStepOn) {
    trace::Edit sharp = editOf(trace::EditKind::Sampler, 1, 0);
    sharp.settings = {
        {"sampler.algorithm", "batch"}, {"sampler.temperature", "0.1"}, {"sampler.draws", "100"}};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto made = edited({sharp}, {}, &sink);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(chunkOf(*made, 0), chunkOf(*edited({}), 0));
    ASSERT_GT(trace.steps, 1);
    const auto draws = [&](int chunk) {
        return trace.block("draws")->data[trace.cell(trace.steps - 1, chunk)];
    };
    EXPECT_EQ(draws(0), 1);
    EXPECT_GT(draws(1), 9) << "ten equal draws are wanted";
    sharp.settings = {{"sampler.temperature", "2"}};
    EXPECT_FALSE(edited({sharp}));
}

TEST(CalmModel, ATraceNamesTheDrawsOfAChunk) {
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const Ids ids = *edited(
        {}, {{"sampler.algorithm", "batch"}, {"sampler.temperature", "1"}, {"sampler.draws", "100"}}, &sink);
    const int last = trace.steps - 1;
    std::string text;
    for (const auto id : chunkOf(ids, 0)) text += "w" + std::to_string(id);
    EXPECT_EQ(trace.textOf(trace.tokenAt(last, 0)).substr(0, text.size()), text) << "</s> may follow";
    const auto found = trace.candidates(0, 0);
    ASSERT_GT(found.ids.size(), 1U);
    double sum = 0;
    for (std::size_t k = 0; k < found.ids.size(); ++k) {
        sum += found.probabilities[k];
        if (k > 0) EXPECT_LE(found.probabilities[k], found.probabilities[k - 1]);
    }
    EXPECT_GT(sum, 0.3);
    EXPECT_LE(sum, 1 + 1e-5);
}

TEST(CalmModel, ATraceHasChunksOfTokens) {
    train::GenerateRequest request = testing::requestFor("calm");
    request.sources.resize(1);
    const Ids sentence = testing::toySources()[0];
    request.templates = {{Ids(sentence.begin(), sentence.begin() + 3)}};
    request.what = {"latent"};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto made = trained().generate(
        request, configOf({{"sampler.algorithm", "batch"}, {"sampler.draws", "16"}}), &sink);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(trace.unit, trace::Unit::Chunk);
    EXPECT_EQ(trace.outerLength, trace.positions);
    ASSERT_NE(trace.below, nullptr);
    EXPECT_EQ(trace.below->positions, trace.positions * kChunk);
    EXPECT_EQ(trace.spans.back(), (trace::Span{(trace.positions - 1) * 4, trace.positions * 4}));
    for (const char* layer : {"draws", "draws_distinct", "draws_matched", "fell_back", "latent"})
        EXPECT_NE(trace.block(layer), nullptr) << layer;
    EXPECT_EQ(trace.below->stateAt(0, 0), trace::TokenState::Given);
    EXPECT_EQ(trace.below->stateAt(0, 3), trace::TokenState::New);
    if (trace.steps > 1) EXPECT_EQ(trace.stateAt(0, 1), trace::TokenState::Masked);
}

TEST(CalmModel, EveryHeadTrainsAndDraws) {
    for (const char* kind : {"diffusion", "flow"}) {
        const RunConfig config = configOf({{"head.kind", kind}, {"sampler.head_steps", "4"}});
        const auto model = toyModel(config);
        const auto loss = model->loss(train::toDevice(testing::batchFor("calm"), at::kCPU), {1, 1, 0});
        loss.total.backward();
        EXPECT_TRUE(std::isfinite(loss.total.item<double>())) << kind;
        const auto made = model->generate(testing::requestFor("calm"), config, nullptr);
        ASSERT_TRUE(made) << made.error().text();
        EXPECT_EQ(made->rows.size(), 8u);
    }
}

std::int64_t parametersOf(torch::nn::Module& module) {
    std::int64_t count = 0;
    for (const at::Tensor& p : module.parameters()) count += p.numel();
    return count;
}

/// The paper's section 6.1, with Llama's vocabulary and a pad.
TEST(CalmSizes, HaveThePapersParameters) {
    constexpr std::int64_t kVocabulary = 128257;
    const train::TextShape shape{kVocabulary, kVocabulary, true, 8192, false, text::kTrainedSpecials};
    const auto parsed = [](const char* family, const char* preset) {
        return *RunConfig::parse(
            fmt::format("family = \"{}\"\npreset = \"{}\"\n[data]\nkind = \"text\"\n", family, preset),
            "sizes.toml", schemaLookup());
    };
    const RunConfig autoencoder = parsed("calm_autoencoder", "paper");
    const tensor::MadeOnMeta shapesOnly;
    const auto codec = findFamily("calm_autoencoder")->create(autoencoder, {shape, at::kMeta});
    ASSERT_TRUE(codec) << codec.error().text();
    EXPECT_NEAR(static_cast<double>(parametersOf((*codec)->module())) / 1e6, 75.83, 0.005);
    const auto sizes = calm_autoencoder::sizesOf(autoencoder, shape);
    const std::map<std::string, double> millions{
        {"calm-s", 201.3}, {"calm-m", 371.7}, {"calm-l", 735.3}, {"calm-xl", 1829.8}};
    for (const auto& [preset, wanted] : millions) {
        const RunConfig config = parsed("calm", preset.c_str());
        const CalmSizes own = calm::sizesOf(config, shape, sizes);
        // Counted without memory for the numbers.
        const std::int64_t d = own.hidden, blocks = config.integer("head.blocks"),
                           noise = config.integer("head.noise");
        const std::int64_t backbone = kVocabulary * d + own.layers * (4 * d * d + 3 * d * own.ffn + 2 * d) +
                                      d + (4 * d * 2 * d + 2 * d) + (2 * d * d + d) + 2 * d,
                           head = noise * d + d + d * d + d + 4 * d + blocks * (6 * d * d + 5 * d + 2 * d) +
                                  2 * d + d * d + d + d * own.latent + own.latent;
        EXPECT_NEAR(static_cast<double>(backbone + head) / 1e6, wanted, 0.06) << preset;
        if (preset != "calm-s") continue;
        CalmNet net(own);
        const auto made = headOf(config, own.latent);
        EXPECT_EQ(parametersOf(*net) + parametersOf(*made), backbone + head)
            << "the formula is the network's";
    }
}

// CALM-M: 2.9e8 FLOPs to write a token, of one vector; trained with eight, and backward.
TEST(CalmModel, CountsItsWorkByChunks) {
    const auto model = toyModel(configOf());
    double weights = 0, head = 0;
    for (const auto& item : model->module().named_parameters())
        (item.key().starts_with("head.") ? head : weights) +=
            item.key() == "embedding.weight" ? 0.0 : static_cast<double>(item.value().numel());
    const double least = 6 * (weights + 8 * head) / kChunk;
    EXPECT_GT(model->trainingFlops(), least);
    EXPECT_LT(model->trainingFlops(), 1.5 * least);
}

TEST(CalmModel, BadInputIsNamed) {
    const auto refused = [](std::vector<Override> settings) {
        const auto made =
            findFamily("calm")->create(configOf(std::move(settings)), contextFor("calm", at::kCPU));
        EXPECT_FALSE(made);
        return made ? Error() : made.error();
    };
    EXPECT_EQ(refused({{"model.autoencoder", ""}}).field, "model.autoencoder");
    EXPECT_EQ(refused({{"sampler.algorithm", "batch"}, {"sampler.temperature", "0.4"}}).code,
              "sampler.temperature");
    train::GenerateRequest request = testing::requestFor("calm");
    for (auto& known : request.templates) known.ids.assign(17, text::kFirstRegularToken);
    const auto long_ = trained().generate(request, configOf(), nullptr);
    ASSERT_FALSE(long_);
    EXPECT_EQ(long_.error().code, "sample.too_long");
}

}  // namespace
}  // namespace kurve::models::calm
