// LCM on documents: two ways are both drawn, and what a document's numbers depend on.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/text/trained_specials.h"
#include "core/train/trainer.h"
#include "models/families.h"
#include "models/lcm/lcm_model.h"
#include "models/lcm/quantizer_scores.h"
#include "models/lcm/sentence_scores.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::lcm {
namespace {

using testing::toyConfig;
using Ids = std::vector<std::int32_t>;

const std::vector<Override> kSmall{{"data.kind", "documents"},      {"model.layers", "1"},
                                   {"model.denoiser_layers", "2"},  {"quantizer.books", "4"},
                                   {"quantizer.centroids", "8"},    {"quantizer.updates", "100"},
                                   {"sampler.end_similarity", "0"}, {"sampler.max_sentences", "2"}};

RunConfig configOf(const std::string& kind, std::vector<Override> more = {}) {
    std::vector<Override> all = kSmall;
    all.emplace_back("model.kind", kind);
    all.insert(all.end(), more.begin(), more.end());
    return toyConfig("lcm", all);
}

std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config) {
    auto made = findFamily("lcm")->create(config, testing::contextFor("lcm", at::kCPU));
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

/// Documents of the first toy sentence, then the second or the third by a fair coin.
text::Batch branching(RandomStream& coin, int documents = 16) {
    const auto sources = testing::toySources();
    text::Batch batch;
    batch.targetLength = 0;
    std::vector<Ids> rows;
    for (int d = 0; d < documents; ++d) {
        rows.push_back(sources[0]);
        rows.push_back(sources[coin.uniform() < 0.5 ? 1 : 2]);
        batch.sentences.push_back(2);
    }
    batch.rows = static_cast<int>(rows.size());
    for (const Ids& row : rows)
        batch.targetLength = std::max(batch.targetLength, static_cast<int>(row.size()));
    for (Ids& row : rows) {
        batch.targetLengths.push_back(static_cast<std::int32_t>(row.size()));
        batch.sourceLengths.push_back(0);
        row.resize(static_cast<std::size_t>(batch.targetLength), text::kPad);
        batch.target.insert(batch.target.end(), row.begin(), row.end());
    }
    return batch;
}

void train(train::SequenceModel& model, int steps) {
    torch::optim::Adam optimizer(model.module().parameters(), torch::optim::AdamOptions(3e-3));
    RandomStream coin(11, "test.branch");
    model.module().train();
    for (int step = 0; step < steps; ++step) {
        if (step == steps * 3 / 4)
            for (auto& group : optimizer.param_groups())
                static_cast<torch::optim::AdamOptions&>(group.options()).lr(5e-4);
        optimizer.zero_grad();
        model.loss(train::toDevice(branching(coin), at::kCPU), {5, static_cast<std::uint64_t>(step), 0})
            .total.backward();
        optimizer.step();
    }
    model.module().eval();
}

train::GenerateRequest going(std::size_t count) {
    train::GenerateRequest request;
    request.sources.resize(count);
    request.templates.assign(count, {{text::kBos}, true, {testing::toySources()[0]}});
    return request;
}

Ids inner(const Ids& sentence) {
    return {sentence.begin() + 1, sentence.end() - 1};
}

Ids second(const train::GeneratedRow& row) {
    const auto first = row.best.sentences.front();
    return {row.best.ids.begin() + first, row.best.ids.end()};
}

class LcmBranch : public ::testing::TestWithParam<const char*> {};

TEST_P(LcmBranch, BothWaysAreDrawnAsOften) {
    const RunConfig config = configOf(
        GetParam(),
        {{"sampler.guidance", "1"}, {"sampler.steps", "20"}, {"sampler.top_k", "8"}, {"sampler.start", "1"}});
    const auto model = modelOf(config);
    train(*model, 800);
    const auto made = model->generate(going(400), config, nullptr);
    ASSERT_TRUE(made);
    const auto sources = testing::toySources();
    double one = 0, other = 0;
    for (const auto& row : made->rows) {
        one += second(row) == inner(sources[1]);
        other += second(row) == inner(sources[2]);
    }
    EXPECT_GE(one + other, 0.9 * 400);
    // A fair coin within a tenth, and four standard errors of 400 draws.
    EXPECT_NEAR(one / (one + other), 0.5, 0.15) << one << " " << other;
}

INSTANTIATE_TEST_SUITE_P(Lcm, LcmBranch, ::testing::Values("two-tower", "one-tower", "quant-d"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(Lcm, BaseLiesBetweenTheTwoWays) {
    const RunConfig config = configOf("base");
    const auto model = modelOf(config);
    train(*model, 400);
    RandomStream coin(12, "test.branch");
    const train::DeviceBatch batch = train::toDevice(branching(coin, 200), at::kCPU);
    const torch::NoGradGuard noGrad;
    const auto scores = model->loss(batch, {1, 0, 0}).parts;
    // The mean of two ways is half their distance from either: no nearer than the mean vector of the
    // sentences could be, and the sentence written from it is farther.
    EXPECT_LT(scores.at("l2").item<double>(), 0.75 * scores.at("l2_mean_vector").item<double>() + 1);
    EXPECT_LT(scores.at("exact_sentences").item<double>(), 0.7);
    const auto made = model->generate(going(3), config, nullptr);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->rows[0].best.ids, made->rows[2].best.ids) << "it draws nothing";
}

TEST(Lcm, ADocumentDoesNotDependOnItsNeighbours) {
    for (const char* kind : {"two-tower", "quant-c"}) {
        const RunConfig config = configOf(kind, {{"sampler.top_k", "4"}, {"sampler.max_sentences", "4"}});
        const auto model = modelOf(config);
        RandomStream coin(1, "test.branch");
        (void)model->loss(train::toDevice(branching(coin), at::kCPU), {5, 0, 0});  // codebooks
        const auto all = model->generate(going(5), config, nullptr);
        train::GenerateRequest alone = going(1);
        alone.firstRow = 3;
        const auto one = model->generate(alone, config, nullptr);
        ASSERT_TRUE(all && one);
        EXPECT_EQ(all->rows[3].best.ids, one->rows[0].best.ids);
        train::GenerateRequest mixed = going(5);
        mixed.templates[0].sentences.push_back(testing::toySources()[4]);
        const auto others = model->generate(mixed, config, nullptr);
        ASSERT_TRUE(others);
        EXPECT_EQ(all->rows[3].best.ids, others->rows[3].best.ids);
    }
}

TEST(Lcm, ReplicasQuantizeAlike) {
    const RunConfig config = configOf("quant-d", {{"quantizer.updates", "2"}});
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    for (int r = 0; r < 2; ++r) models.push_back(modelOf(config));
    const std::vector<train::SequenceModel*> both{models[0].get(), models[1].get()};
    train::Trainer trainer(std::move(models), config, at::kCPU);
    RandomStream coin(1, "test.branch");
    for (int step = 0; step < 4; ++step) trainer.step({branching(coin)}, 1e-3);
    const at::Tensor one = both[0]->module().named_buffers()["quantizer.codebooks"],
                     other = both[1]->module().named_buffers()["quantizer.codebooks"];
    EXPECT_GT(one.abs().max().item<float>(), 0);
    EXPECT_TRUE(at::equal(one, other));
}

// Books on a line: the first takes 4 from the vectors near 4 and 0 from those near 0, the second the 1 that
// is left of two of them, and the third has nothing to do.
TEST(Lcm, CodebookScoresCountWhatIsLeftAndWhatIsUsed) {
    Quantizer quantizer(3, 4, 1);
    quantizer->codebooks.copy_(
        at::tensor({4., 0., 90., 91., 1., 0., 90., 91., 0., 80., 81., 82.}).view({3, 4, 1}).to(at::kFloat));
    const at::Tensor x = at::tensor({5., 5., 4., 4., 4., 4., 0., 0.}).view({8, 1}).to(at::kFloat);
    const auto scores = codebookScores(*quantizer, x);
    const auto value = [&](const char* name) { return scores.at(name).item<double>(); };
    const double norm = 2 * 25 + 4 * 16;
    EXPECT_NEAR(value("quantizer_error_1"), 2 / norm, 1e-6);
    EXPECT_NEAR(value("quantizer_error_2"), 0, 1e-6);
    EXPECT_NEAR(value("quantizer_error"), 0, 1e-6);
    // Two centroids of four, by 6 and 2 of eight vectors, in the first two books; one in the third.
    const double entropy = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)) / std::log(4);
    EXPECT_DOUBLE_EQ(value("quantizer_used_1"), 0.5);
    EXPECT_DOUBLE_EQ(value("quantizer_used"), (0.5 + 0.5 + 0.25) / 3);
    EXPECT_NEAR(value("quantizer_entropy_1"), entropy, 1e-12);
    EXPECT_NEAR(value("quantizer_entropy_2"), entropy, 1e-12);
    EXPECT_NEAR(value("quantizer_entropy"), 2 * entropy / 3, 1e-12);
    EXPECT_FALSE(scores.contains("quantizer_error_4"));
    const auto few = codebookScores(*quantizer, x.narrow(0, 5, 2));
    EXPECT_DOUBLE_EQ(few.at("quantizer_used_1").item<double>(), 1) << "two vectors use two at most";
}

TEST(Lcm, SentencesAreKeptOnceTheBooksHoldTheirVectors) {
    const RunConfig config = configOf("quant-d");
    const auto model = modelOf(config);
    RandomStream coin(1, "test.branch");
    const train::DeviceBatch batch = train::toDevice(branching(coin), at::kCPU);
    (void)model->loss(batch, {5, 0, 0});  // its vectors become centroids
    model->module().eval();
    at::Tensor books = model->module().named_buffers()["quantizer.codebooks"];
    const auto scores = [&] {
        const torch::NoGradGuard noGrad;
        return model->loss(batch, {1, 0, 0}).parts;
    };
    const auto value = [](const auto& parts, const char* name) {
        return parts.at(name).template item<double>();
    };
    auto now = scores();
    EXPECT_GT(value(now, "quantizer_exact"), 0.9);
    books.zero_();
    now = scores();
    EXPECT_LT(value(now, "quantizer_exact"), 0.9) << "of one vector alone";
    EXPECT_NEAR(value(now, "quantizer_error"), 1, 1e-6);
    EXPECT_NEAR(value(now, "quantizer_used"), 1. / 8, 1e-9);
}

TEST(Lcm, SaysWhatItCannotBeginFrom) {
    const auto base = modelOf(configOf("base"));
    train::GenerateRequest nothing;
    nothing.sources.resize(1);
    EXPECT_EQ(base->generate(nothing, configOf("base"), nullptr).error().code, "sample.no_context");
    train::GenerateRequest many = going(1);
    for (int i = 0; i < 3; ++i) many.templates[0].sentences.push_back(testing::toySources()[1]);
    EXPECT_EQ(base->generate(many, configOf("base"), nullptr).error().code, "sample.too_long");
    train::GenerateRequest longOne = going(1);
    longOne.templates[0].sentences[0].insert(longOne.templates[0].sentences[0].begin() + 1, 20, 7);
    EXPECT_EQ(base->generate(longOne, configOf("base"), nullptr).error().code, "sample.too_long");
    const auto none = findFamily("lcm")->create(configOf("base", {{"model.concepts", ""}}),
                                                testing::contextFor("lcm", at::kCPU));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().field, "model.concepts");
    const auto steps = findFamily("lcm")->create(configOf("base", {{"sampler.steps", "51"}}),
                                                 testing::contextFor("lcm", at::kCPU));
    ASSERT_FALSE(steps);
    EXPECT_EQ(steps.error().field, "sampler.steps");
}

TEST(Lcm, ATraceHasSentencesWithTheirSteps) {
    const RunConfig config = configOf("two-tower", {{"sampler.steps", "5"}, {"sampler.max_sentences", "3"}});
    const auto model = modelOf(config);
    train::GenerateRequest request = going(1);
    request.what = {"latent"};
    request.textOf = [](const Ids& ids) { return ids.empty() ? std::string() : std::to_string(ids.front()); };
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto made = model->generate(request, config, &sink);
    ASSERT_TRUE(made);
    EXPECT_EQ(trace.unit, trace::Unit::Sentence);
    EXPECT_EQ(trace.positions, 3);
    ASSERT_EQ(trace.steps, 2 * 5);  // two sentences are written
    EXPECT_EQ(trace.outer, (std::vector<std::int32_t>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
    EXPECT_EQ(trace.inner, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
    EXPECT_EQ(trace.stateAt(0, 0), trace::TokenState::Given);
    EXPECT_EQ(trace.textOf(trace.tokenAt(0, 0)), std::to_string(testing::toySources()[0][1]));
    EXPECT_EQ(trace.textOf(trace.tokenAt(9, 2)).empty(), second(made->rows[0]).empty());
    EXPECT_EQ(trace.block("latent")->shape, (std::vector<std::int64_t>{10, 3, 64}));
    EXPECT_TRUE(std::isinf(trace.logSnr[0])) << "the first step has no signal";
}

TEST(Lcm, ATraceNamesTheNearestSentencesAndTheDistances) {
    const RunConfig config = configOf("two-tower", {{"sampler.steps", "5"}, {"sampler.max_sentences", "3"}});
    const auto model = modelOf(config);
    train::GenerateRequest request = going(1);
    request.textOf = [](const Ids& ids) {
        std::string text;
        for (const auto id : ids) text += std::to_string(id) + " ";
        return text;
    };
    request.maybeCorpus = std::make_shared<const train::SentenceCorpus>(testing::toySources());
    request.references = testing::toySources();
    // Sentence 1 stands there from the third step on.
    trace::Edit pin{trace::EditKind::Pin, 2, 1, false, -1, "", {}};
    pin.tokens = inner(testing::toySources()[4]);
    request.edits = {pin};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    ASSERT_TRUE(model->generate(request, config, &sink));
    const std::string text = request.textOf(pin.tokens);
    const auto nearest = trace.candidates(2, 1);
    ASSERT_FALSE(nearest.ids.empty());
    EXPECT_EQ(trace.textOf(nearest.ids[0]), text) << "nothing is nearer to a sentence than itself";
    EXPECT_NEAR(nearest.probabilities[0], 1, 1e-5);
    EXPECT_EQ(trace.textOf(trace.tokenAt(2, 1)), text);
    EXPECT_NE(trace.textOf(trace.tokenAt(1, 1)), text);
    const auto distance = [&](const char* name, int step, int sentence) {
        return trace.block(name)->data[trace.cell(step, sentence)];
    };
    EXPECT_EQ(distance("step_distance", 0, 1), 0);
    EXPECT_GT(distance("step_distance", 2, 1), 0);
    EXPECT_EQ(distance("step_distance", 3, 1), 0) << "what is pinned does not move";
    EXPECT_GT(distance("reference_distance", 2, 1), 0) << "the reference says another sentence";
}

TEST(Lcm, ADocumentGoesOnFromAPinnedSentence) {
    const RunConfig config = configOf("two-tower", {{"sampler.max_sentences", "4"}});
    const auto model = modelOf(config);
    const auto with = [&](std::vector<trace::Edit> edits, const RunConfig& how) {
        train::GenerateRequest request = going(1);
        request.edits = std::move(edits);
        return model->generate(request, how, nullptr);
    };
    trace::Edit pin{trace::EditKind::Pin, 0, 1, false, -1, "", {}};
    pin.tokens = inner(testing::toySources()[4]);
    const auto pinned = with({pin}, config);
    ASSERT_TRUE(pinned) << pinned.error().text();
    const auto& best = pinned->rows[0].best;
    EXPECT_EQ(
        Ids(best.ids.begin() + best.sentences[0], best.ids.begin() + best.sentences[0] + best.sentences[1]),
        pin.tokens);
    // The same as a prompt of those two sentences, but for the noise, which belongs to the place.
    train::GenerateRequest prompted = going(1);
    prompted.templates[0].sentences.push_back(testing::toySources()[4]);
    const auto known = model->generate(prompted, config, nullptr);
    EXPECT_EQ(known->rows[0].best.ids, best.ids);
    pin.position = 0;
    EXPECT_EQ(with({pin}, config).error().code, "branch.position");
    pin.position = 1;
    pin.tokens.resize(100, 7);
    EXPECT_EQ(with({pin}, config).error().code, "branch.token");
}

TEST(Lcm, OtherNoiseAndOtherSettingsChangeNothingBeforeThem) {
    const RunConfig config = configOf("two-tower", {{"sampler.steps", "5"}, {"sampler.max_sentences", "4"}});
    const auto model = modelOf(config);
    const auto estimates = [&](std::vector<trace::Edit> edits) {
        train::GenerateRequest request = going(1);
        request.what = {"latent"};
        request.edits = std::move(edits);
        trace::Trace trace;
        trace::TraceBuilder sink(trace);
        const auto made = model->generate(request, config, &sink);
        EXPECT_TRUE(made) << made.error().text();
        return trace;
    };
    const trace::Trace plain = estimates({});
    const auto sameFrames = [&](const trace::Trace& other) {
        const auto& a = plain.block("latent")->data;
        const auto& b = other.block("latent")->data;
        const auto width = static_cast<std::size_t>(plain.positions) * 64;
        int same = 0;
        while (same < std::min(plain.steps, other.steps) &&
               std::equal(a.begin() + static_cast<std::ptrdiff_t>(same * width),
                          a.begin() + static_cast<std::ptrdiff_t>((same + 1) * width),
                          b.begin() + static_cast<std::ptrdiff_t>(same * width)))
            ++same;
        return same;
    };
    EXPECT_EQ(sameFrames(estimates({})), plain.steps);
    EXPECT_EQ(sameFrames(estimates({{trace::EditKind::Noise, 7, 2, false, -1, "", {}}})), 7);
    trace::Edit settings{trace::EditKind::Sampler, 6, 0, false, -1, "", {}};
    settings.settings = {{"sampler.start", "0.3"}};
    EXPECT_EQ(sameFrames(estimates({settings})), 10) << "the next sentence begins at step 10";
}

// Oracle I of the contrastive accuracy: three documents of two sentences in the plane.
TEST(Lcm, ContrastiveAccuracyCountsOtherDocuments) {
    const at::Tensor truth = at::tensor({0., 0., 1., 0., 3., 0., 0., 4., 2., 2., 5., 5.}).view({6, 2}),
                     document = at::tensor({0, 0, 1, 1, 2, 2}, at::kLong);
    const at::Tensor shifted = truth + at::tensor({0.4, 0.3});
    EXPECT_TRUE(at::equal(contrastiveAccuracy(shifted, truth, document), at::ones({6}, at::kDouble)));
    at::Tensor far = shifted.clone();
    far[1] = at::tensor({2.6, 0.1});
    EXPECT_DOUBLE_EQ(contrastiveAccuracy(far, truth, document)[1].item<double>(), 0.75);
}

}  // namespace
}  // namespace kurve::models::lcm
