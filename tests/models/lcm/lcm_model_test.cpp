// LCM on documents: two ways are both drawn, and what a document's numbers depend on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <string_view>

#include "core/tensor/meta_kernels.h"
#include "core/tensor/meta_memory.h"
#include "core/text/trained_specials.h"
#include "core/train/trainer.h"
#include "models/families.h"
#include "models/lcm/lcm_fields.h"
#include "models/lcm/lcm_model.h"
#include "models/lcm/quantizer_scores.h"
#include "models/lcm/sentence_scores.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::lcm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
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
    EXPECT_NEAR(one / (one + other), 0.5, 0.2) << one << " " << other;
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

TEST(Lcm, SentencesWithoutOthersToCompareWithHaveNoScore) {
    const auto model = modelOf(configOf("base"));
    model->module().eval();
    RandomStream coin(1, "test.branch");
    text::Batch batch = branching(coin, 2);
    batch.sentences = {3, 1};
    const torch::NoGradGuard noGrad;
    const auto scores = model->loss(train::toDevice(batch, at::kCPU), {1, 0, 0}).parts;
    EXPECT_TRUE(scores.contains("l2"));
    EXPECT_FALSE(scores.contains("contrastive_accuracy")) << "the other document has no next sentence";
    EXPECT_FALSE(scores.contains("l2_other_document")) << "nor any at their places";
    for (const auto& [name, value] : scores) EXPECT_TRUE(std::isfinite(value.item<double>())) << name;
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

// A value that is read waits for all that a GPU has been given.
TEST(Lcm, CodebooksCountTheirUpdatesWithoutReadingThem) {
    Quantizer quantizer(3, 4, 2);
    const at::Tensor x = at::randn({8, 2});
    const auto observe = [&] { quantizer->observe(x, StreamId(1, "test.quantizer", 0)); };
    observe();
    static std::atomic<int> reads;
    reads = 0;
    const auto callback = at::addThreadLocalCallback(at::RecordFunctionCallback(
        [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
            reads += std::string_view(function.name()) == "aten::_local_scalar_dense";
            return nullptr;
        }));
    observe();
    EXPECT_EQ(quantizer->updatesSoFar(), 2);
    EXPECT_EQ(reads, 0);
    at::removeCallback(callback);
    quantizer->updates.fill_(7);  // as a checkpoint does
    EXPECT_EQ(quantizer->updatesSoFar(), 7);
    observe();
    EXPECT_EQ(quantizer->updates.item<float>(), 8);
    EXPECT_EQ(quantizer->updatesSoFar(), 8);
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

// Of the official modules: 1,649,185,792 (Base), 1,645,538,304 (Two-Tower) and 6,930,781,696 (7B), where each
// denoiser layer has queries and keys for its self-attention, which looks at itself alone. SONAR's vectors.
TEST(LcmSizes, HaveThePapersParameters) {
    const auto sizesOf = [](const std::string& preset) {
        return lcm::sizesOf(*RunConfig::parse(fmt::format("family = \"lcm\"\npreset = \"{}\"\n"
                                                          "[model]\nconcepts = \"sonar\"\n",
                                                          preset),
                                              "sizes.toml", schemaLookup()),
                            1024);
    };
    const auto count = [](const LcmSizes& sizes, const std::string& prefix = {}) {
        const tensor::MadeOnMeta shapesOnly;
        std::int64_t all = 0;
        for (const auto& item : makeNet(sizes)->named_parameters())
            if (item.key().starts_with(prefix)) all += item.value().numel();
        return all;
    };
    EXPECT_EQ(count(sizesOf("1.6b-base")), 1'649'185'792);
    const std::map<std::string, std::int64_t> towers{{"1.6b-two-tower", 1'645'538'304},
                                                     {"7b", 6'930'781'696}};
    for (const auto& [preset, official] : towers) {
        const LcmSizes sizes = sizesOf(preset);
        const std::int64_t unused = 2 * sizes.denoiserLayers * (sizes.hidden * sizes.hidden + sizes.hidden);
        EXPECT_EQ(count(sizes) + unused, official) << preset;
    }
    for (const char* preset : {"1.6b-one-tower", "1.6b-quant-c", "1.6b-quant-d"})
        EXPECT_NEAR(static_cast<double>(count(sizesOf(preset), "block_")) / 1e9, 1.61, 0.005) << preset;
}

/// Documents of so many sentences.
text::Split documentsOf(const std::vector<int>& sentences) {
    struct Packed {
        std::vector<std::int32_t> ids;
        std::vector<std::uint64_t> offset{0}, documents{0};
    };
    auto packed = std::make_shared<Packed>();
    for (const int count : sentences) {
        for (int s = 0; s < count; ++s) {
            const Ids one = testing::toySources()[static_cast<std::size_t>(s % 8)];
            packed->ids.insert(packed->ids.end(), one.begin(), one.end());
            packed->offset.push_back(packed->ids.size());
        }
        packed->documents.push_back(packed->offset.size() - 1);
    }
    text::Split split({{}, packed->ids, packed->offset, packed->documents, packed}, {});
    split.special = text::kTrainedSpecials;
    return split;
}

TEST(Lcm, SaysWhatItsTrainingSplitLacks) {
    const auto checked = [](const std::string& kind, const std::vector<int>& sentences,
                            std::vector<Override> settings = {}) {
        std::vector<std::string> lines;
        const auto status =
            modelOf(configOf(kind, std::move(settings)))->checkTraining(documentsOf(sentences), lines);
        if (!status) lines.push_back(status.error().text());
        return lines;
    };
    EXPECT_THAT(checked("two-tower", {1, 1}), IsEmpty());
    EXPECT_THAT(checked("base", {2, 3}), IsEmpty());
    EXPECT_THAT(checked("base", {1, 3}),
                ElementsAre("train: 1 of 2 documents have one sentence, of which Base "
                            "learns nothing"));
    EXPECT_THAT(checked("base", {1, 1}),
                ElementsAre("data.train: all 2 documents have one sentence; Base predicts the next; give it "
                            "documents of two sentences and more, or set model.kind to \"two-tower\""));
    EXPECT_THAT(checked("quant-d", {3, 4}),
                ElementsAre("quantizer.centroids: a codebook of 8 vectors, but the training split has 7 "
                            "sentences; lower it, or give more documents"));
    EXPECT_THAT(checked("quant-d", {4, 4}), IsEmpty());
    EXPECT_THAT(checked("two-tower", {2}, {{"train.drop_context", "0"}}),
                ElementsAre("sampler.guidance is 1.5, but no sentence is trained without its context; raise "
                            "train.drop_context or set sampler.guidance to 1"));
    EXPECT_THAT(checked("two-tower", {2}, {{"train.drop_context", "0"}, {"sampler.guidance", "1"}}),
                IsEmpty());
}

// It was NaN: nothing over nothing.
TEST(Lcm, BaseLearnsNothingOfOneSentence) {
    const auto model = modelOf(configOf("base"));
    model->module().train();
    const text::Split split = documentsOf({1, 1});
    const auto loss = model->loss(
        train::toDevice(text::makeBatch(split, std::vector<std::int32_t>{0, 1}), at::kCPU), {1, 0, 0});
    EXPECT_EQ(loss.total.item<float>(), 0);
    loss.total.backward();
    for (const at::Tensor& parameter : model->module().parameters())
        if (parameter.grad().defined()) {
            EXPECT_EQ(parameter.grad().abs().max().item<float>(), 0);
        }
}

// What a training takes is measured so before it starts.
TEST(Lcm, FragilityRunsOnShapesAlone) {
    ASSERT_TRUE(tensor::addMetaKernels());
    const train::ModelContext context = testing::contextFor("lcm", at::kMeta);
    const RunConfig config = configOf("two-tower", {{"loss.weight", "fragility"}});
    const text::Batch batch = text::makeBatch(documentsOf({3, 2}), std::vector<std::int32_t>{0, 1});
    const auto model = [&] {
        const tensor::MadeOnMeta shapesOnly;
        auto made = findFamily("lcm")->create(config, context);
        EXPECT_TRUE(made) << made.error().text();
        return std::move(*made);
    }();
    model->module().train();
    const auto loss = model->loss(train::toDevice(batch, at::kMeta), {1, 7, 0});
    loss.total.backward();
    EXPECT_TRUE(loss.rowLoss.is_meta());
}

TEST(Lcm, ScoresLeavePromptsOut) {
    const auto model = modelOf(configOf("base"));
    model->module().eval();
    const text::Split split = documentsOf({4, 4});
    text::Batch batch = text::makeBatch(split, std::vector<std::int32_t>{0, 1});
    const auto scoreOf = [&](std::vector<std::int32_t> prompts) {
        batch.promptSentences = std::move(prompts);
        return model->loss(train::toDevice(batch, at::kCPU), {1, 7, 0})
            .parts.at("l2_mean_vector")
            .item<double>();
    };
    // Both documents have the same sentences: what is left decides.
    EXPECT_DOUBLE_EQ(scoreOf({0, 0}), scoreOf({1, 1}));
    EXPECT_NE(scoreOf({0, 0}), scoreOf({3, 3}));
    EXPECT_NEAR(scoreOf({3, 3}), scoreOf({4, 3}), 1e-6);
}

// Of a document with a prompt, the loss is the answer's; that has no part in what the prompt's sentences are
// worth, but sees them.
TEST(Lcm, OnlyAnswersArePredicted) {
    for (const char* kind : {"base", "two-tower", "one-tower", "quant-c", "quant-d"}) {
        const auto model = modelOf(configOf(kind, {{"quantizer.updates", "1"}}));
        const text::Split split = documentsOf({4, 3});
        text::Batch batch = text::makeBatch(split, std::vector<std::int32_t>{0, 1});
        const auto lossOf = [&](std::vector<std::int32_t> prompts) {
            batch.promptSentences = std::move(prompts);
            model->module().train();
            return model->loss(train::toDevice(batch, at::kCPU), {1, 7, 0});
        };
        (void)lossOf({0, 0});  // codebooks
        const auto all = lossOf({0, 0}), answers = lossOf({2, 1});
        EXPECT_EQ(answers.rowTokens.sum().item<float>(), 2 + 2) << kind;
        const at::Tensor kept = at::tensor({0., 0., 1., 1., 0., 1., 1.}, at::kFloat);
        EXPECT_TRUE(at::allclose(answers.rowLoss, all.rowLoss * kept, 1e-4)) << kind;
        EXPECT_NEAR(answers.total.item<float>(), (all.rowLoss * kept).sum().item<float>() / 4,
                    1e-3 * answers.total.item<float>())
            << kind;
    }
}

TEST(Lcm, FragilityWeightsTheLoss) {
    const auto plain = modelOf(configOf("two-tower")),
               weighted = modelOf(configOf("two-tower", {{"loss.weight", "fragility"}}));
    const text::Split split = documentsOf({4, 3});
    const auto batch = train::toDevice(text::makeBatch(split, std::vector<std::int32_t>{0, 1}), at::kCPU);
    for (const auto* model : {&plain, &weighted}) (*model)->module().train();
    const auto one = plain->loss(batch, {1, 7, 0}), other = weighted->loss(batch, {1, 7, 0});
    const at::Tensor weights = other.rowLoss / one.rowLoss;
    EXPECT_GT(weights.min().item<float>(), 0.377F);
    EXPECT_LT(weights.max().item<float>(), 0.971F);
    EXPECT_GT((weights.max() - weights.min()).item<float>(), 0.01F);
    const double mean = other.parts.at("fragility").item<double>();
    EXPECT_GT(mean, 0.01);
    EXPECT_LT(mean, 0.95);
    EXPECT_FALSE(one.parts.contains("fragility"));
    const auto unfit = findFamily("lcm")->create(configOf("base", {{"loss.weight", "fragility"}}),
                                                 testing::contextFor("lcm", at::kCPU));
    ASSERT_FALSE(unfit);
    EXPECT_EQ(unfit.error().text(),
              "loss.weight: base denoises nothing that could be weighted; set it to "
              "\"none\", or model.kind to \"one-tower\" or \"two-tower\"");
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
