// What every model family must keep; a new family is tested by being in models/families.cpp.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text/trained_specials.h"
#include "core/train/checkpoint.h"
#include "core/train/tensor_file.h"
#include "core/train/tensor_histograms.h"
#include "core/train/trainer.h"
#include "tests/models/family_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models {
namespace {

using testing::toyModel;

const train::StepRandom kRandom{5, 3, 0};

at::Tensor totalLoss(train::SequenceModel& model, const text::Batch& batch,
                     const train::StepRandom& random = kRandom) {
    return model.loss(train::toDevice(batch, at::kCPU), random).total;
}

/// Keeps the batch's padding, which train::toDevice would remove.
train::DeviceBatch widened(const train::DeviceBatch& batch, std::int64_t by) {
    train::DeviceBatch out = batch;
    out.source = at::constant_pad_nd(batch.source, {0, by}, text::kPad);
    out.target = at::constant_pad_nd(batch.target, {0, by}, text::kPad);
    out.sourceMask = at::constant_pad_nd(batch.sourceMask, {0, by}, 0);
    out.targetMask = at::constant_pad_nd(batch.targetMask, {0, by}, 0);
    out.sourceLength += by;
    out.targetLength += by;
    return out;
}

/// The toy config, with those of the settings that the family has: nothing here asks for a field.
RunConfig toyConfig(const std::string& family, const std::vector<Override>& settings = {}) {
    return testing::toyConfig(family, testing::known(family, settings));
}

/// A count that a family may let the user choose, else one.
std::size_t chosen(const RunConfig& config, const std::string& key) {
    return config.has(key) ? static_cast<std::size_t>(config.integer(key)) : 1;
}

class Conformance : public ::testing::TestWithParam<std::string> {
protected:
    static text::Batch toyBatch() { return testing::batchFor(GetParam()); }
    /// Of the second text.
    static train::GenerateRequest oneRequest() {
        train::GenerateRequest request = testing::requestFor(GetParam());
        request.sources = {request.sources[1]};
        if (!request.templates.empty()) request.templates = {request.templates[1]};
        return request;
    }
};

TEST_P(Conformance, ConfigSurvivesItsCanonicalText) {
    const RunConfig config = toyConfig(GetParam(), {{"model.dropout", "0.25"}});
    const auto again = RunConfig::parse(config.canonicalText(), "again.toml", schemaLookup());
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->contentHash(), config.contentHash());
    EXPECT_EQ(again->canonicalText(), config.canonicalText());
}

TEST_P(Conformance, EveryPresetIsAConfig) {
    for (const Preset& preset : findFamily(GetParam())->ownSchema().presets) {
        const auto config = RunConfig::parse(
            "family = \"" + GetParam() + "\"\npreset = \"" + preset.name + "\"\n", "p.toml", schemaLookup());
        ASSERT_TRUE(config) << config.error().text();
    }
}

TEST_P(Conformance, SameSeedSameLossBitForBit) {
    const RunConfig config = toyConfig(GetParam(), {{"model.dropout", "0.1"}});
    const auto a = toyModel(config), b = toyModel(config);
    EXPECT_TRUE(at::equal(totalLoss(*a, toyBatch()), totalLoss(*b, toyBatch())));
    EXPECT_FALSE(at::equal(totalLoss(*a, toyBatch()), totalLoss(*a, toyBatch(), {5, 4, 0})));
    const auto other = toyModel(toyConfig(GetParam(), {{"model.dropout", "0.1"}, {"seed", "2"}}));
    EXPECT_FALSE(at::equal(totalLoss(*a, toyBatch()), totalLoss(*other, toyBatch())));
}

TEST_P(Conformance, EveryParameterGetsAFiniteGradient) {
    const auto model = toyModel(toyConfig(GetParam()));
    at::Tensor total;
    for (std::uint64_t step = 0; step < 4; ++step) {  // with and without self-conditioning
        const at::Tensor loss = totalLoss(*model, toyBatch(), {5, step, 0});
        total = total.defined() ? total + loss : loss;
    }
    total.backward();
    for (const auto& item : model->module().named_parameters()) {
        ASSERT_TRUE(item.value().grad().defined()) << item.key();
        EXPECT_TRUE(at::isfinite(item.value().grad()).all().item<bool>()) << item.key();
        EXPECT_GT(item.value().grad().abs().max().item<float>(), 0) << item.key();
    }
}

/// The gradient of a few training steps, as one vector, and the loss of each.
struct Descent {
    std::vector<double> losses;
    at::Tensor gradient;
};
Descent descent(const RunConfig& config, const text::Batch& batch) {
    const auto model = toyModel(config);
    Descent made;
    for (std::uint64_t step = 0; step < 4; ++step) {  // with and without self-conditioning
        const at::Tensor loss =
            train::trainingLoss(*model, train::toDevice(batch, at::kCPU), {5, step, 0}, config).total;
        EXPECT_EQ(loss.scalar_type(), at::kFloat);
        loss.backward();
        made.losses.push_back(loss.item<double>());
    }
    std::vector<at::Tensor> parts;
    for (const auto& item : model->module().named_parameters()) {
        EXPECT_TRUE(item.value().grad().defined()) << item.key();
        if (!item.value().grad().defined()) continue;
        EXPECT_GT(item.value().grad().abs().max().item<float>(), 0) << item.key();
        parts.push_back(item.value().grad().flatten());
    }
    made.gradient = at::cat(parts);
    return made;
}

TEST_P(Conformance, StepsInBf16FollowThoseInFp32) {
    const std::vector<Override> dropout{{"model.dropout", "0.1"}};
    auto low = dropout;
    low.emplace_back("train.precision", "bf16");
    const Descent full = descent(toyConfig(GetParam(), dropout), toyBatch()),
                  half = descent(toyConfig(GetParam(), low), toyBatch());
    EXPECT_FALSE(at::equal(full.gradient, half.gradient)) << "computed in fp32";
    for (std::size_t i = 0; i < full.losses.size(); ++i)
        EXPECT_NEAR(half.losses[i], full.losses[i], 0.02 * std::abs(full.losses[i])) << i;
    EXPECT_GT(at::cosine_similarity(full.gradient, half.gradient, 0).item<double>(), 0.99);
    EXPECT_NEAR((half.gradient.norm() / full.gradient.norm()).item<double>(), 1, 0.05);
}

TEST_P(Conformance, ActivationCheckpointingChangesNoGradient) {
    for (const char* precision : {"fp32", "bf16"}) {
        const std::vector<Override> all{{"model.dropout", "0.1"},
                                        {"train.precision", precision},
                                        {"train.activation_checkpointing", "true"}};
        const Descent again = descent(toyConfig(GetParam(), all), toyBatch()),
                      kept = descent(toyConfig(GetParam(), {all[0], all[1]}), toyBatch());
        EXPECT_EQ(again.losses, kept.losses) << precision;
        EXPECT_TRUE(at::equal(again.gradient, kept.gradient)) << precision;
    }
}

TEST_P(Conformance, ActivationsAreKeptByLayerWithoutPadding) {
    const auto model = toyModel(toyConfig(GetParam(), {{"model.dropout", "0.1"}}));
    const train::DeviceBatch batch = train::toDevice(toyBatch(), at::kCPU);
    const at::Tensor before = model->loss(batch, kRandom).total;
    train::Activations kept;
    model->keepActivations(&kept);
    EXPECT_TRUE(at::equal(model->loss(batch, kRandom).total, before)) << "keeping changes nothing";
    std::set<std::string> groups;
    for (const auto& item : model->module().named_parameters()) groups.insert(train::layerGroup(item.key()));
    for (const auto& [group, activation] : kept) {
        EXPECT_TRUE(groups.contains(group)) << group;
        EXPECT_FALSE(activation.values.requires_grad()) << group;
    }
    const auto narrow = train::magnitudeHistograms(kept);
    (void)model->loss(widened(batch, 5), kRandom);
    for (const auto& [group, bins] : train::magnitudeHistograms(kept)) {
        // A value on the edge of a bin may fall on its other side.
        std::int64_t moved = 0, all = 0;
        for (std::size_t i = 0; i < bins["weights"].size(); ++i) {
            moved += std::abs(bins["weights"][i].get<std::int64_t>() -
                              narrow.at(group)["weights"][i].get<std::int64_t>());
            all += bins["weights"][i].get<std::int64_t>();
        }
        EXPECT_GT(all, 100) << group;
        EXPECT_LE(moved, 4) << group;
    }
    model->keepActivations(nullptr);
    kept.clear();
    (void)model->loss(batch, kRandom);
    EXPECT_TRUE(kept.empty());
}

TEST_P(Conformance, PaddingChangesNothing) {
    const auto model = toyModel(toyConfig(GetParam(), {{"model.dropout", "0.1"}}));
    const train::DeviceBatch batch = train::toDevice(toyBatch(), at::kCPU);
    const train::LossReport narrow = model->loss(batch, kRandom),
                            wide = model->loss(widened(batch, 3), kRandom);
    EXPECT_NEAR(narrow.total.item<double>(), wide.total.item<double>(), 2e-5);
    EXPECT_TRUE(at::allclose(narrow.rowLoss, wide.rowLoss, 1e-4, 1e-4));
}

TEST_P(Conformance, RowsDoNotDependOnHowABatchIsSplit) {
    const auto model = toyModel(toyConfig(GetParam(), {{"model.dropout", "0.1"}}));
    const train::LossReport whole = model->loss(train::toDevice(toyBatch(), at::kCPU), kRandom);
    train::StepRandom second = kRandom;
    second.row = 5;
    const at::Tensor first = model->loss(train::toDevice(toyBatch(), 0, 5, at::kCPU), kRandom).rowLoss;
    const at::Tensor rest = model->loss(train::toDevice(toyBatch(), 5, 3, at::kCPU), second).rowLoss;
    EXPECT_TRUE(at::allclose(whole.rowLoss, at::cat({first, rest}), 1e-4, 1e-4));
}

TEST_P(Conformance, RowLossesAndPartsAgreeWithTheTotal) {
    const RunConfig config = toyConfig(GetParam());
    const auto model = toyModel(config);
    const train::DeviceBatch batch = train::toDevice(toyBatch(), at::kCPU);
    const train::LossReport report = model->loss(batch, kRandom);
    double weighted = 0, tokens = 0, length = 0;
    for (std::int64_t r = 0; r < batch.rows; ++r) {
        const double count = report.rowTokens.defined() ? report.rowTokens[r].item<double>()
                                                        : batch.targetLengths[static_cast<std::size_t>(r)];
        weighted += report.rowLoss[r].item<double>() * count;
        tokens += count;
    }
    EXPECT_LE(tokens, static_cast<double>(batch.targetTokens));
    if (report.parts.contains("loss_length"))
        length = report.parts.at("loss_length").item<double>() * config.real("loss.length_weight");
    EXPECT_NEAR(weighted / tokens + length, report.total.item<double>(), 1e-4);
    if (report.logSnr.defined()) EXPECT_EQ(report.logSnr.sizes(), at::IntArrayRef({8}));
}

TEST_P(Conformance, ParametersRoundTripBitForBit) {
    const RunConfig config = toyConfig(GetParam());
    const auto from = toyModel(config), to = toyModel(toyConfig(GetParam(), {{"seed", "9"}}));
    const torch::NoGradGuard noGrad;
    const auto source = from->module().named_parameters();
    for (auto& item : to->module().named_parameters()) item.value().copy_(source[item.key()]);
    EXPECT_TRUE(at::equal(totalLoss(*from, toyBatch()), totalLoss(*to, toyBatch())));
    const auto buffers = from->module().named_buffers();
    const train::NamedTensors saved = train::moduleTensors(from->module());
    for (const auto& buffer : buffers) EXPECT_TRUE(saved.contains(buffer.key())) << buffer.key();
}

train::Generation generated(train::SequenceModel& model, const RunConfig& config, std::size_t sources = 8) {
    train::GenerateRequest request = testing::requestFor(config.family());
    request.sources.resize(sources);
    if (!request.templates.empty()) request.templates.resize(sources);
    auto result = model.generate(request, config, nullptr);
    EXPECT_TRUE(result) << result.error().text();
    return std::move(*result);
}

TEST_P(Conformance, GenerationDependsOnSeedAndSourceOnly) {
    const RunConfig config = toyConfig(GetParam(), {{"sampler.length_beam", "3"},
                                                    {"sampler.noise_beam", "2"},
                                                    {"sampler.beam", "3"},
                                                    {"sampler.steps", "5"}});
    const auto model = toyModel(config);
    const train::Generation all = generated(*model, config), few = generated(*model, config, 3);
    ASSERT_EQ(all.rows.size(), 8u);
    if (config.has("sampler.steps")) {
        EXPECT_GT(all.networkCalls, 0);
        EXPECT_EQ(all.networkCalls % 5, 0);  // whole chains, of as many rows as suit the device
    }
    const std::size_t candidates = chosen(config, "sampler.length_beam") *
                                   chosen(config, "sampler.noise_beam") * chosen(config, "sampler.beam");
    for (std::size_t r = 0; r < 3; ++r) {
        ASSERT_EQ(all.rows[r].candidates.size(), candidates);
        for (std::size_t c = 0; c < candidates; ++c)
            EXPECT_EQ(all.rows[r].candidates[c].ids, few.rows[r].candidates[c].ids);
        EXPECT_EQ(all.rows[r].best.ids, all.rows[r].candidates[0].ids);
        const bool draws = config.has("sampler.method") && config.text("sampler.method") == "sample";
        if (!draws)  // the first draw is the sample, whatever its score
            EXPECT_GE(all.rows[r].candidates.front().score, all.rows[r].candidates.back().score);
    }
}

TEST_P(Conformance, AnEmptySourceIsDecodedAlike) {
    const RunConfig config = toyConfig(GetParam(), {{"sampler.steps", "3"}});
    const auto model = toyModel(config);
    train::GenerateRequest request = testing::requestFor(GetParam()), empty;
    empty.sources = {std::vector<std::int32_t>()};
    if (testing::takesPairs(GetParam()) || testing::rewritesTexts(GetParam()))
        empty.sources = {{text::kBos, text::kEos}};
    else
        empty.templates = {{{text::kBos}}};
    const auto alone = model->generate(empty, config, nullptr);
    ASSERT_TRUE(alone) << alone.error().text();
    EXPECT_TRUE(std::isfinite(alone->rows[0].best.score));
    request.sources.insert(request.sources.begin(), empty.sources.front());
    if (!empty.templates.empty())
        request.templates.insert(request.templates.begin(), empty.templates.front());
    const auto among = model->generate(request, config, nullptr);
    ASSERT_TRUE(among) << among.error().text();
    EXPECT_EQ(among->rows[0].best.ids, alone->rows[0].best.ids);
}

TEST_P(Conformance, ATraceHoldsTheGeneratedTokens) {
    if (testing::takesDocuments(GetParam())) return;  // its positions are sentences
    const RunConfig config = toyConfig(GetParam(), {{"sampler.noise_beam", "2"}, {"sampler.steps", "5"}});
    const auto model = toyModel(config);
    train::GenerateRequest request = oneRequest();
    request.what = {"latent", "curve", "hidden", "attention"};
    trace::Trace all;
    trace::TraceBuilder sink(all);
    const auto result = model->generate(request, config, &sink);
    ASSERT_TRUE(result);
    const trace::Trace& trace = all.below ? *all.below : all;  // of tokens
    const auto cells = static_cast<std::size_t>(trace.steps * trace.positions);
    const bool byBudget = config.has("sampler.order");  // no more steps than masks, which it draws
    if (config.has("sampler.steps") && !byBudget)
        EXPECT_EQ(trace.steps, static_cast<int>(chosen(config, "sampler.steps")));
    ASSERT_GT(trace.steps, 0);
    EXPECT_EQ(trace.tokens.size(), cells);
    EXPECT_EQ(trace.topIds.size(), cells * 8);
    std::vector<std::int32_t> last;
    for (int n = 0; n < trace.positions; ++n) {
        const std::uint32_t id = trace.tokens[trace.cell(trace.steps - 1, n)];
        if (id != text::kBos && id != text::kEos && id != text::kPad)
            last.push_back(static_cast<std::int32_t>(id));
    }
    EXPECT_EQ(last, result->rows[0].best.ids);
    for (std::size_t i = 0; i < cells; ++i) {
        const float c = trace.confidence[i];
        const bool empty =
            !trace.state.empty() && trace.state[i] == static_cast<std::uint8_t>(trace::TokenState::Masked);
        EXPECT_TRUE((c > 0 || (empty && c == 0)) && c <= 1) << c;
    }
    for (const float e : trace.entropy) EXPECT_TRUE(e >= -1e-5 && e <= std::log(25.0) + 1e-4);
    if (trace.steps > 1) {
        EXPECT_GT(all.t.front(), all.t.back());
        const bool noisy = std::isfinite(all.logSnr.front()) || config.has("diffusion.steps");
        if (noisy) EXPECT_LT(all.logSnr.front(), all.logSnr.back());
    }
    const bool scheduled = config.has("diffusion.schedule");
    if (trace.masks() && !scheduled)  // the two agree: the fraction that is masked
        for (std::size_t s = 0; s < all.t.size(); ++s)
            if (std::isfinite(all.logSnr[s]))
                EXPECT_NEAR(all.logSnr[s], std::log((1 - all.t[s]) / all.t[s]), 1e-9) << s;
}

TEST_P(Conformance, AModelWithLatentsRecordsThem) {
    const RunConfig config = toyConfig(GetParam(), {{"sampler.steps", "5"}});
    if (!config.has("model.latent")) return;  // nothing to record
    train::GenerateRequest request = oneRequest();
    request.what = {"latent", "hidden", "attention"};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    ASSERT_TRUE(toyModel(config)->generate(request, config, &sink));
    ASSERT_NE(trace.block("latent"), nullptr);
    EXPECT_EQ(trace.block("latent")->shape, (std::vector<std::int64_t>{5, trace.positions, 16}));
    ASSERT_NE(trace.block("attention/0"), nullptr);
    EXPECT_EQ(trace.block("hidden/1")->shape[0], 5);
    ASSERT_NE(trace.block("vocab/ids"), nullptr);
}

TEST_P(Conformance, ACancelledGenerationReportsIt) {
    const RunConfig config = toyConfig(GetParam());
    const auto model = toyModel(config);
    train::GenerateRequest request = testing::requestFor(GetParam());
    request.cancel.request();
    const auto result = model->generate(request, config, nullptr);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->cancelled);
}

TEST_P(Conformance, OverfitsEightSentencesToExactOutput) {
    // One that only draws has no best output; its own tests ask for the law of its draws.
    if (GetParam() == "calm" || testing::takesDocuments(GetParam())) return;
    const RunConfig config = toyConfig(GetParam(), {{"loss.label_smoothing", "0"}});
    const auto model = toyModel(config);
    torch::optim::Adam optimizer(model->module().parameters(), torch::optim::AdamOptions(3e-3));
    const auto expected = testing::answersFor(GetParam());
    const text::Batch batch = toyBatch();
    std::vector<std::vector<std::int32_t>> got;
    for (std::uint64_t step = 0; step < 600 && got != expected; ++step) {
        optimizer.zero_grad();
        totalLoss(*model, batch, {1, step, 0}).backward();
        optimizer.step();
        if (step % 50 != 49) continue;
        got.clear();
        for (const auto& row : generated(*model, config).rows) got.push_back(row.best.ids);
    }
    EXPECT_EQ(got, expected);
}

/// Steps of a trainer on fresh data from a stream, from where the stream stands.
void trainFor(train::Trainer& trainer, text::BatchStream& data, int steps) {
    for (int i = 0; i < steps; ++i) trainer.step({data.next()}, 1e-3);
}

std::shared_ptr<const text::Split> toySplit() {
    std::vector<std::int32_t> ids;
    std::vector<std::uint64_t> offset{0};
    for (const auto& source : testing::toySources())
        for (int side = 0; side < 2; ++side) {
            ids.insert(ids.end(), source.begin(), source.end());
            offset.push_back(ids.size());
        }
    return std::make_shared<text::Split>(text::Split::inMemory(std::move(ids), std::move(offset)));
}

/// Those sentences as documents of two.
std::shared_ptr<const text::Split> toyDocuments() {
    struct Packed {
        std::vector<std::int32_t> ids;
        std::vector<std::uint64_t> offset{0}, documents{0};
    };
    const auto packed = std::make_shared<Packed>();
    for (const auto& source : testing::toySources()) {
        packed->ids.insert(packed->ids.end(), source.begin(), source.end());
        packed->offset.push_back(packed->ids.size());
        if (packed->offset.size() % 2 == 1) packed->documents.push_back(packed->offset.size() - 1);
    }
    text::PackedIds views;
    views.wide = packed->ids;
    views.offset = packed->offset;
    views.documents = packed->documents;
    views.owner = packed;
    const auto split = std::make_shared<text::Split>(views, text::TextReader());
    split->special = text::kTrainedSpecials;
    return split;
}

std::unique_ptr<train::Trainer> trainerOf(const RunConfig& config) {
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(toyModel(config));
    return std::make_unique<train::Trainer>(std::move(models), config, at::kCPU);
}

TEST_P(Conformance, StopAndResumeEqualsGoingOnBitForBit) {
    const RunConfig config = toyConfig(GetParam(), {{"model.dropout", "0.1"}});
    const auto whole = trainerOf(config), first = trainerOf(config),
               second = trainerOf(toyConfig(GetParam(), {{"model.dropout", "0.1"}, {"seed", "7"}}));
    const auto split = testing::takesDocuments(GetParam()) ? toyDocuments() : toySplit();
    text::BatchStream wholeData(split, 32, 3), data(split, 32, 3), rest(split, 32, 3);
    trainFor(*whole, wholeData, 10);
    trainFor(*first, data, 5);
    const kurve::testing::TemporaryFolder folder;
    train::TrainingState state;
    state.step = first->steps();
    state.data = data.position();
    state.plan = train::StepPlan(config);
    state.config = config.canonicalText();
    state.configHash = config.contentHash();
    const auto saved = train::saveCheckpoint(folder.path(), *first, state);
    ASSERT_TRUE(saved) << saved.error().text();
    const auto read = train::readCheckpoint(saved->folder);
    ASSERT_TRUE(read) << read.error().text();
    second->setConfig(config);
    const Status loaded = train::loadTrainer(saved->folder, *read, *second);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_TRUE(at::equal(second->parameters().values(), first->parameters().values()));
    rest.seek(read->data);
    trainFor(*second, rest, 5);
    EXPECT_TRUE(at::equal(second->parameters().values(), whole->parameters().values()));
}

TEST_P(Conformance, WrongSizesAreErrorsWithTheirField) {
    const Schema schema = train::schemaOf(*findFamily(GetParam()));
    const auto fails = [&](const std::vector<Override>& settings, const std::string& field) {
        if (schema.find(field) == nullptr) return;
        const auto made =
            findFamily(GetParam())
                ->create(toyConfig(GetParam(), settings), {testing::shapeFor(GetParam()), at::kCPU});
        ASSERT_FALSE(made) << field;
        EXPECT_EQ(made.error().field, field);
        EXPECT_FALSE(made.error().remedy.empty());
    };
    fails({{"model.heads", "3"}}, "model.heads");
    fails({{"model.max_positions", "8"}}, "model.max_positions");
    const bool respaced = schema.find("sampler.skip_last_steps") != nullptr;  // the training's own steps
    if (respaced) fails({{"sampler.steps", "51"}}, "sampler.steps");
}

INSTANTIATE_TEST_SUITE_P(Families, Conformance, ::testing::ValuesIn(testing::familyIds()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kurve::models
