// DiffuSIA's training and decoding beside what every family keeps (conformance_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/text/trained_specials.h"
#include "core/train/checkpoint.h"
#include "core/train/trainer.h"
#include "models/diffusia/diffusia_model.h"
#include "tests/models/family_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::diffusia {
namespace {

using ::testing::HasSubstr;

RunConfig configOf(std::vector<Override> settings) {
    return models::testing::toyConfig("diffusia", settings);
}

train::DeviceBatch toyBatch() {
    return train::toDevice(models::testing::toyBatch(), at::kCPU);
}

DiffusiaNetImpl& netOf(train::SequenceModel& model) {
    return dynamic_cast<DiffusiaNetImpl&>(model.module());
}

Error errorOf(const std::vector<Override>& settings, bool joint = true) {
    const auto made = findFamily("diffusia")->create(configOf(settings), {models::testing::toyShape(joint)});
    return made ? Error() : made.error();
}

TEST(Diffusia, SettingsThatDoNotFitAreOneClearLine) {
    const auto expect = [](const Error& error, const std::string& field, const std::string& message) {
        EXPECT_EQ(error.code, field);
        EXPECT_EQ(error.field, field);
        EXPECT_EQ(error.message, message);
        EXPECT_FALSE(error.remedy.empty());
    };
    expect(errorOf({{"length.kind", "padding"}, {"model.target_length", "12"}}), "model.target_length",
           "the data has sentences of 16 tokens, targets are padded to 12");
    expect(errorOf({{"model.shared_embeddings", "true"}}, false), "model.shared_embeddings",
           "each side has its own tokenizer: nothing can be shared");
    expect(errorOf({{"model.network", "diffuseq"}, {"length.kind", "padding"}}, false), "model.network",
           "one tower embeds both sides alike, but each has its own tokenizer");
    expect(errorOf({{"model.network", "diffuseq"}}), "length.kind",
           "a single tower has no state of the source alone");
    expect(errorOf({{"length.kind", "padding"}, {"sampler.length_beam", "3"}}), "sampler.length_beam",
           "padding tells the length: there are no others to try");
    expect(errorOf({{"diffusion.step_buckets", "7"}}), "diffusion.step_buckets", "7 do not divide 50 steps");
    expect(errorOf({{"sampler.steps", "51"}}), "sampler.steps", "51 reverse steps, but the process has 50");
    EXPECT_EQ(errorOf({{"diffusion.schedule", "file:schedules/none.toml"}}).field, "diffusion.schedule");
    EXPECT_EQ(errorOf({}).code, "");
    for (const char* layers : {"model.encoder_layers", "model.decoder_layers"}) {
        const auto parsed = RunConfig::parse("family = \"diffusia\"\n", "zero.toml", schemaLookup(),
                                             std::vector<Override>{{layers, "0"}});
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code, "config.out_of_range");
        EXPECT_EQ(parsed.error().field, layers);
    }
}

TEST(Diffusia, TextsThatDoNotFitAreErrors) {
    const RunConfig config = configOf({{"sampler.steps", "2"}});
    const auto model = models::testing::toyModel(config);
    train::GenerateRequest request;
    request.sources = {std::vector<std::int32_t>(25, 7)};
    const auto tooLong = model->generate(request, config, nullptr);
    ASSERT_FALSE(tooLong);
    EXPECT_EQ(tooLong.error().code, "sample.too_long");
    request.sources = {{}};
    const auto empty = model->generate(request, config, nullptr);
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().code, "sample.no_input");
    const auto padding = models::testing::toyModel(configOf({{"length.kind", "padding"}}));
    train::DeviceBatch batch = toyBatch();
    batch.target = at::constant_pad_nd(batch.target, {0, 9}, text::kPad);
    batch.targetLength += 9;
    EXPECT_THAT(
        [&] {
            (void)padding->loss(batch, {1, 1, 0});
        },
        ::testing::ThrowsMessage<std::exception>(HasSubstr("the network takes 16")));
}

TEST(Diffusia, PaddingIsATokenOrNothing) {
    // However wide a batch is, its targets are as wide as the network's; where padding is a token, it counts.
    for (const char* kind : {"padding", "meanpool"}) {
        const auto model = models::testing::toyModel(configOf({{"length.kind", kind}}));
        const train::DeviceBatch batch = toyBatch();
        const double before = model->loss(batch, {1, 1, 0}).total.item<double>();
        const torch::NoGradGuard noGrad;
        netOf(*model).targetEmbedding->weight[text::kPad].add_(0.5);
        const double after = model->loss(batch, {1, 1, 0}).parts.at("loss_diff").item<double>();
        netOf(*model).targetEmbedding->weight[text::kPad].sub_(0.5);
        const double again = model->loss(batch, {1, 1, 0}).parts.at("loss_diff").item<double>();
        EXPECT_EQ(std::abs(after - again) > 1e-4, std::string(kind) == "padding");
        EXPECT_TRUE(std::isfinite(before));
    }
}

TEST(Diffusia, TextsEndWithTheFirstEnd) {
    const RunConfig config =
        configOf({{"length.kind", "padding"}, {"sampler.steps", "2"}, {"sampler.clamp", "false"}});
    const auto model = models::testing::toyModel(config);
    const torch::NoGradGuard noGrad;
    DiffusiaNetImpl& net = netOf(*model);
    // The estimate is 0, so that the bias decides: every word is the same.
    for (auto& item : net.named_parameters())
        if (item.key().rfind("output_projection.out", 0) == 0) item.value().zero_();
    net.roundingBias[9].fill_(1.0);
    train::GenerateRequest request;
    request.sources = {{text::kBos, 7, text::kEos}};
    const auto whole = model->generate(request, config, nullptr);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->rows[0].best.ids, std::vector<std::int32_t>(16, 9));
    net.roundingBias[text::kEos].fill_(2.0);
    const auto ended = model->generate(request, config, nullptr);
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->rows[0].best.ids.empty());
}

TEST(Diffusia, LossAwareStepsResumeBitForBit) {
    const std::vector<Override> settings{{"diffusion.step_sampler", "loss-aware"},
                                         {"diffusion.step_buckets", "5"},
                                         {"diffusion.step_history", "2"},
                                         {"train.cpu_replicas", "1"}};
    const RunConfig config = configOf(settings);
    const auto trainerOf = [&](const RunConfig& of) {
        std::vector<std::unique_ptr<train::SequenceModel>> models;
        models.push_back(models::testing::toyModel(of));
        return std::make_unique<train::Trainer>(std::move(models), of, at::kCPU);
    };
    const auto steps = [](train::Trainer& trainer, int count) {
        for (int i = 0; i < count; ++i) trainer.step({models::testing::toyBatch()}, 1e-3);
    };
    const auto whole = trainerOf(config), first = trainerOf(config), second = trainerOf(config);
    steps(*whole, 16);
    steps(*first, 8);
    EXPECT_EQ(whole->model().healthMetrics().at("step_warmup"), 100);
    EXPECT_LT(whole->model().healthMetrics().at("step_entropy"), std::log(50.0) - 1e-4);
    const kurve::testing::TemporaryFolder folder;
    train::TrainingState state;
    state.step = first->steps();
    state.config = config.canonicalText();
    state.configHash = config.contentHash();
    const auto saved = train::saveCheckpoint(folder.path(), *first, state);
    ASSERT_TRUE(saved) << saved.error().text();
    const auto read = train::readCheckpoint(saved->folder);
    ASSERT_TRUE(read);
    ASSERT_TRUE(train::loadTrainer(saved->folder, *read, *second));
    steps(*second, 8);
    EXPECT_TRUE(at::equal(second->parameters().values(), whole->parameters().values()));
    EXPECT_TRUE(
        at::equal(netOf(second->model()).stepSampler->losses, netOf(whole->model()).stepSampler->losses));

    // Neither other buckets nor as many of a process of other steps.
    for (const Override& changed : {Override{"diffusion.step_buckets", "10"}, {"diffusion.steps", "100"}}) {
        std::vector<Override> others = settings;
        others.push_back(changed);
        const auto other = trainerOf(configOf(others));
        const Status refused = train::loadTrainer(saved->folder, *read, *other);
        ASSERT_FALSE(refused) << changed.first;
        EXPECT_EQ(refused.error().code, "checkpoint.shape");
        EXPECT_THAT(refused.error().text(), HasSubstr("step_sampler.counts"));
    }
}

/// The histories after 30 updates in so many replicas, losses and counts of each step.
std::pair<at::Tensor, at::Tensor> historiesWith(int replicas) {
    const RunConfig config = configOf({{"diffusion.step_sampler", "loss-aware"},
                                       {"diffusion.step_buckets", "5"},
                                       {"diffusion.step_history", "4"}});
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    for (int r = 0; r < replicas; ++r) models.push_back(models::testing::toyModel(config));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    // Two batches a step, so that a replica computes parts that are no neighbours.
    for (int i = 0; i < 30; ++i)
        trainer.step({models::testing::toyBatch(), models::testing::toyBatch(5)}, 1e-3);
    return {netOf(trainer.model()).stepSampler->losses, netOf(trainer.model()).stepSampler->counts};
}

TEST(Diffusia, StepHistoriesDoNotDependOnReplicas) {
    const auto [losses, counts] = historiesWith(1);
    EXPECT_EQ(counts.sum().item<std::int64_t>(), 30 * 13);
    EXPECT_LT(counts.min().item<std::int64_t>() * 3, counts.max().item<std::int64_t>()) << "drawn by loss";
    for (const int replicas : {2, 3}) {
        const auto [same, seen] = historiesWith(replicas);
        EXPECT_TRUE(at::equal(seen, counts)) << replicas;
        EXPECT_TRUE(at::allclose(same, losses, 1e-4, 1e-6)) << replicas;
    }
}

TEST(Diffusia, EvaluationNeitherDrawsByLossNorRemembers) {
    const auto model = models::testing::toyModel(configOf({{"diffusion.step_sampler", "loss-aware"}}));
    model->module().eval();
    EXPECT_FALSE(model->loss(toyBatch(), {1, 1, 0}).noiseStep.defined());
    model->module().train();
    const train::LossReport report = model->loss(toyBatch(), {1, 1, 0});
    EXPECT_EQ(model->healthMetrics().at("step_warmup"), 0) << "the trainer tells of the whole step";
    model->observe(report.noiseStep, report.rowLoss);
    EXPECT_NEAR(model->healthMetrics().at("step_warmup"), 100 * 8.0 / 500, 1e-9);
}

TEST(Diffusia, TellsHowLikelyEachNoiseLevelIs) {
    EXPECT_FALSE(models::testing::toyModel(configOf({}))->levelProbabilities().first.defined());
    const auto model = models::testing::toyModel(configOf({{"diffusion.step_sampler", "loss-aware"}}));
    const auto [levels, shares] = model->levelProbabilities();
    EXPECT_TRUE(at::equal(std::get<0>(levels.sort(0, /*descending=*/true)), levels)) << "t = 0 is the text";
    EXPECT_TRUE(at::allclose(shares, at::full_like(shares, 1.0 / static_cast<double>(levels.numel()))))
        << "uniform during its warm-up";
}

/// Each solver gives the same estimate at the first step, which is the last of one.
TEST(Diffusia, SolversAgreeOnASingleStep) {
    std::vector<std::vector<std::int32_t>> all;
    for (const char* solver : {"ddpm", "ddim", "dpm-solver"}) {
        const RunConfig config = configOf({{"sampler.steps", "1"}, {"sampler.solver", solver}});
        train::GenerateRequest request;
        request.sources = models::testing::toySources();
        const auto made = models::testing::toyModel(config)->generate(request, config, nullptr);
        ASSERT_TRUE(made) << made.error().text();
        all.push_back(made->rows[1].best.ids);
    }
    EXPECT_EQ(all[0], all[1]);
    EXPECT_EQ(all[0], all[2]);
}

TEST(Diffusia, TracesHoldTheConditionsStates) {
    for (const auto& [network, states] : {std::pair{"diffusia", 3}, std::pair{"diffused", 3}}) {
        const RunConfig config =
            configOf({{"model.network", network}, {"sampler.steps", "4"}, {"sampler.noise_beam", "2"}});
        train::GenerateRequest request;
        request.sources = {models::testing::toySources()[1]};
        request.what = {"hidden"};
        trace::Trace trace;
        trace::TraceBuilder sink(trace);
        ASSERT_TRUE(models::testing::toyModel(config)->generate(request, config, &sink));
        const auto length = static_cast<std::int64_t>(request.sources[0].size());
        for (int m = 0; m < states; ++m) {
            const trace::Block* block = trace.block("condition/" + std::to_string(m));
            ASSERT_NE(block, nullptr) << m;
            EXPECT_EQ(block->shape, (std::vector<std::int64_t>{4, length, 32}));
        }
        const trace::Block *similarity = trace.block("condition_similarity"),
                           *distance = trace.block("condition_distance");
        ASSERT_TRUE(similarity != nullptr && distance != nullptr);
        EXPECT_EQ(similarity->shape, (std::vector<std::int64_t>{4, length}));
        const auto after = static_cast<std::size_t>(length);  // of the first step they say nothing
        for (std::size_t i = after; i < distance->data.size(); ++i) {
            if (std::string(network) == "diffused") {
                EXPECT_EQ(distance->data[i], 0);
            } else {
                EXPECT_GT(distance->data[i], 0);
                EXPECT_LT(similarity->data[i], 1);
            }
        }
    }
}

/// Though other sources of the request are longer, and whichever candidate is recorded.
TEST(Diffusia, TracesHoldTheAttentionBetweenTheSides) {
    for (const auto& [network, kind] :
         {std::pair{"diffusia", "meanpool"}, std::pair{"without-si", "padding"},
          std::pair{"diffused", "meanpool"}, std::pair{"diffuseq", "padding"}}) {
        const RunConfig config = configOf({{"model.network", network},
                                           {"length.kind", kind},
                                           {"sampler.steps", "2"},
                                           {"sampler.noise_beam", "2"}});
        train::GenerateRequest request;
        request.sources = models::testing::toySources();
        request.what = {"attention"};
        trace::Trace trace;
        trace::TraceBuilder sink(trace);
        ASSERT_TRUE(models::testing::toyModel(config)->generate(request, config, &sink));
        const auto source = static_cast<std::int64_t>(request.sources[0].size());
        const trace::Block *across = trace.block("cross_attention/1"),
                           *back = trace.block("condition_cross_attention/1");
        ASSERT_NE(across, nullptr) << network;
        const std::int64_t heads = across->shape[1];
        EXPECT_EQ(across->shape, (std::vector<std::int64_t>{2, heads, trace.positions, source})) << network;
        ASSERT_EQ(back != nullptr, std::string(network) != "diffused");
        if (back != nullptr)
            EXPECT_EQ(back->shape, (std::vector<std::int64_t>{2, heads, source, trace.positions}));
        const trace::Block* reads = trace.block("layer_reads");
        ASSERT_NE(reads, nullptr);
        const std::int64_t layers = std::string(network) == "diffuseq" ? 8 : 4;  // a tower of four
        EXPECT_EQ(reads->shape, (std::vector<std::int64_t>{layers, 4}));
        if (std::string(network) == "diffuseq") continue;
        const at::Tensor sums =
            at::tensor(across->data).view({-1, source}).sum(1);  // none is lost to padding
        EXPECT_TRUE(at::allclose(sums, at::ones_like(sums), 1e-3, 1e-3)) << network;
    }
}

TEST(Diffusia, EveryNetworkLearnsAndDecodes) {
    for (const char* network : {"diffusia", "diffused", "without-si", "diffuseq"}) {
        for (const char* form : {"none", "a", "fused"}) {
            const RunConfig config = configOf({{"model.network", network},
                                               {"length.kind", "padding"},
                                               {"model.self_conditioning", form},
                                               {"sampler.noise_beam", "2"},
                                               {"sampler.steps", "3"}});
            const auto model = models::testing::toyModel(config);
            torch::optim::Adam optimizer(model->module().parameters(), torch::optim::AdamOptions(3e-3));
            double first = 0, last = 0;
            for (std::uint64_t step = 0; step < 40; ++step) {
                optimizer.zero_grad();
                const at::Tensor loss = model->loss(toyBatch(), {1, step, 0}).total;
                loss.backward();
                optimizer.step();
                (step < 10 ? first : last) += step < 10 || step >= 30 ? loss.item<double>() : 0;
            }
            EXPECT_LT(last, 0.8 * first) << network << ' ' << form;
            train::GenerateRequest request;
            request.sources = models::testing::toySources();
            const auto made = model->generate(request, config, nullptr);
            ASSERT_TRUE(made) << made.error().text();
            EXPECT_EQ(made->rows[0].candidates.size(), 2U);
        }
    }
}

}  // namespace
}  // namespace kurve::models::diffusia
