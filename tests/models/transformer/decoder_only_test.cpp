// The Transformer of texts without a source: the numbers of tests/golden/networks/decoder_only.py, its loss
// and likelihood, and its cache.
#include "tests/models/transformer/decoder_only_fixture.h"

#include <torch/torch.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/tensor/meta_kernels.h"
#include "core/tensor/meta_memory.h"
#include "core/train/tensor_histograms.h"
#include "core/train/trainer.h"

namespace kurve::models::transformer::texts {
namespace {

using nlohmann::json;

/// A vector or a matrix.
at::Tensor tensorOf(const json& rows) {
    if (!rows.front().is_array()) return at::tensor(rows.get<std::vector<double>>(), at::kDouble);
    std::vector<at::Tensor> all;
    for (const json& row : rows) all.push_back(tensorOf(row));
    return at::stack(all);
}

class DecoderOnlyGolden : public ::testing::Test {
protected:
    DecoderOnlyGolden() {
        net_.to(torch::kDouble);
        const torch::NoGradGuard noGrad;
        for (auto& item : net_.named_parameters())
            item.value().copy_(tensorOf(golden_.at("weights").at(item.key())));
    }
    static json file() {
        std::ifstream in(KURVE_SOURCE_DIR "/tests/golden/networks/decoder_only.json");
        return json::parse(in);
    }
    static RunConfig sizes(const json& golden) {
        const json& size = golden.at("sizes");
        return configOf({{"model.hidden", size.at("hidden").dump()},
                         {"model.decoder_layers", size.at("layers").dump()},
                         {"model.heads", size.at("heads").dump()},
                         {"model.ffn", size.at("ffn").dump()},
                         {"loss.label_smoothing", golden.at("smoothing").dump()}});
    }
    [[nodiscard]] std::vector<Ids> texts() const {
        std::vector<Ids> all;
        for (const json& words : golden_.at("texts")) all.push_back(textOf(words.get<Ids>()));
        return all;
    }

    json golden_ = file();
    RunConfig config_ = sizes(golden_);
    std::unique_ptr<train::SequenceModel> model_ =
        modelOf(config_, {golden_.at("sizes").at("vocabulary"), golden_.at("sizes").at("longest")});
    DecoderOnlyNetImpl& net_ = netOf(*model_);
};

TEST_F(DecoderOnlyGolden, LossAndGradients) {
    const train::LossReport report = model_->loss(batchOf(texts()), {1, 0, 0});
    EXPECT_NEAR(report.total.item<double>(), golden_.at("loss").get<double>(), 1e-9);
    EXPECT_NEAR(report.parts.at("nll").item<double>(), golden_.at("nll").get<double>(), 1e-9);
    report.total.backward();
    const json& norms = golden_.at("gradient_norms");
    ASSERT_EQ(net_.named_parameters().size(), norms.size());
    for (const auto& item : net_.named_parameters())
        EXPECT_NEAR(item.value().grad().norm().item<double>(), norms.at(item.key()).get<double>(), 1e-9)
            << item.key();
}

TEST_F(DecoderOnlyGolden, Logits) {
    const torch::NoGradGuard noGrad;
    const std::vector<Ids> all = texts();
    for (std::size_t r = 0; r < all.size(); ++r) {
        const at::Tensor target = batchOf({all[r]}).target;
        const std::vector<std::int32_t> length{static_cast<std::int32_t>(target.size(1)) - 1};
        const at::Tensor found =
            net_.logits(net_.read(target.narrow(1, 0, target.size(1) - 1), length, {}))[0];
        const at::Tensor expected = tensorOf(golden_.at("logits")[r]);
        ASSERT_EQ(found.sizes(), expected.sizes());
        EXPECT_LE((found - expected).abs().max().item<double>(), 1e-9);
    }
}

TEST_F(DecoderOnlyGolden, GreedyTextsGoOnAfterTheirPrefix) {
    std::vector<text::TextTemplate> known;
    for (const json& row : golden_.at("greedy")) known.push_back(prefixOf(row.at("prefix").get<Ids>()));
    const train::Generation all = generated(*model_, config_, requestOf(known));
    for (std::size_t r = 0; r < known.size(); ++r) {
        EXPECT_EQ(all.rows[r].best.ids, golden_.at("greedy")[r].at("ids").get<Ids>());
        EXPECT_NEAR(all.rows[r].best.score, golden_.at("greedy")[r].at("score").get<double>(), 1e-6);
    }
}

TEST(DecoderOnlySizes, ThePresetsHaveMdlmsBlocks) {
    const tensor::MadeOnMeta shapesOnly;
    for (const auto& [preset, layers, d, ffn] :
         {std::tuple("tiny-text", 2, 64, 256), std::tuple("small-text", 12, 768, 3072)}) {
        const auto config = RunConfig::parse(
            "family = \"transformer\"\npreset = \"" + std::string(preset) + "\"\n", "p.toml", schemaLookup());
        ASSERT_TRUE(config) << config.error().text();
        const auto made =
            findFamily("transformer")
                ->create(*config, {{100, 100, true, 64, false, text::kTrainedSpecials}, at::kMeta});
        ASSERT_TRUE(made) << made.error().text();
        std::int64_t count = 0;
        for (const auto& parameter : (*made)->module().parameters()) count += parameter.numel();
        EXPECT_EQ(count, layers * (4 * d * d + 2 * d * ffn + ffn + d + 2 * d) + d + 100 * d) << preset;
        EXPECT_EQ(config->text("data.kind"), "text");
    }
}

// On shapes without data, as the memory is estimated before a start.
TEST(DecoderOnlySizes, LossAndDecodingRunWithoutData) {
    const RunConfig config = configOf({{"sampler.max_length_b", "9"}, {"sampler.beam", "3"}});
    ASSERT_TRUE(tensor::addMetaKernels());
    const auto model = [&] {
        const tensor::MadeOnMeta shapesOnly;
        return modelOf(config, {}, at::kMeta);
    }();
    const train::DeviceBatch batch = batchOf({textOf({7, 8, 9}), textOf({7})}, at::kMeta);
    model->loss(batch, {1, 0, 0}).total.backward();
    model->dryRunDecoding(batch, config, at::kMeta);
}

class DecoderOnly : public ::testing::Test {
protected:
    DecoderOnly() {
        for (const Ids& source : testing::toySources()) texts_.push_back(source);
    }
    std::vector<Ids> texts_;  ///< of different lengths
};

TEST_F(DecoderOnly, LikelihoodsSumToTheLoss) {
    const auto model = modelOf(configOf());
    const train::LossReport report = model->loss(batchOf(texts_), {1, 0, 0});
    train::LikelihoodRequest request;
    request.sources.resize(texts_.size());
    request.targets = texts_;
    request.states = true;
    const auto scored = model->likelihood()->score(request);
    ASSERT_TRUE(scored) << scored.error().text();
    double sum = 0, tokens = 0;
    for (std::size_t r = 0; r < texts_.size(); ++r) {
        ASSERT_EQ(scored->logProbability[r].size(), texts_[r].size() - 1) << "EOS counts, BOS does not";
        EXPECT_EQ(scored->pooledState[r].size(), 32U);
        EXPECT_NEAR(-sumOf(scored->logProbability[r]) / static_cast<double>(texts_[r].size() - 1),
                    report.rowLoss[static_cast<std::int64_t>(r)].item<double>(), 1e-5);
        sum -= sumOf(scored->logProbability[r]);
        tokens += static_cast<double>(texts_[r].size() - 1);
    }
    EXPECT_NEAR(report.total.item<double>(), sum / tokens, 1e-5);
    EXPECT_NEAR(report.parts.at("nll").item<double>(), sum / tokens, 1e-5);
    EXPECT_EQ(model->lossDenominators(batchOf(texts_), {1, 0, 0}), std::vector<double>{tokens});
    EXPECT_EQ(report.rowTokens.sum().item<double>(), tokens);
}

TEST_F(DecoderOnly, PaddingChangesNothing) {
    const auto model = modelOf(configOf());
    const train::LossReport together = model->loss(batchOf({texts_[0], texts_[3]}), {1, 0, 0});
    ASSERT_LT(texts_[0].size(), texts_[3].size());
    const train::LossReport alone = model->loss(batchOf({texts_[0]}), {1, 0, 0});
    EXPECT_NEAR(together.rowLoss[0].item<double>(), alone.total.item<double>(), 1e-6);
}

// Lengths differ, so that the mean of the parts' means is not the mean.
TEST_F(DecoderOnly, ASplitStepIsTheWholeStep) {
    const RunConfig config =
        configOf({{"model.dropout", "0.1"}, {"train.max_grad_norm", "0"}, {"loss.label_smoothing", "0.1"}});
    const auto stepOf = [&](int replicas) {
        std::vector<std::unique_ptr<train::SequenceModel>> models;
        for (int r = 0; r < replicas; ++r) models.push_back(modelOf(config));
        train::Trainer trainer(std::move(models), config, at::kCPU);
        const std::vector<Ids> first(texts_.begin(), texts_.begin() + 5);
        const train::StepReport report = trainer.step({hostBatch(first), hostBatch(texts_)}, 0);
        return std::make_pair(trainer.gradients().clone(), report.loss.item<double>());
    };
    const auto [whole, wholeLoss] = stepOf(1);
    const auto [split, splitLoss] = stepOf(3);
    EXPECT_NEAR(wholeLoss, splitLoss, 5e-6);
    EXPECT_LE((whole - split).abs().max().item<double>(), 5e-6);
    EXPECT_GT(whole.abs().max().item<double>(), 1e-3);
}

TEST_F(DecoderOnly, LearnsTheToyTextsAtThePresetsRate) {
    const auto config =
        RunConfig::parse("family = \"transformer\"\npreset = \"tiny-text\"\n", "t.toml", schemaLookup());
    ASSERT_TRUE(config) << config.error().text();
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(modelOf(*config));
    train::Trainer trainer(std::move(models), *config, at::kCPU);
    double last = 0;
    for (int step = 0; step < 120; ++step) {
        const double rate = config->real("train.lr") * std::min(1.0, (step + 1) / 50.0);
        last = trainer.step({hostBatch(texts_)}, rate).loss.item<double>();
        ASSERT_FALSE(trainer.nonFinite());
    }
    double tokens = 0;
    for (const Ids& one : texts_) tokens += static_cast<double>(one.size() - 1);
    const double entropy = 8 * std::log(8.0) / tokens;  // of eight texts, each as likely
    EXPECT_LT(last, entropy + 0.05);
    EXPECT_GT(last, entropy - 0.01);
}

TEST_F(DecoderOnly, KeepsActivationsByTheGroupsOfItsParameters) {
    const auto model = modelOf(configOf());
    train::Activations kept;
    model->keepActivations(&kept);
    (void)model->loss(batchOf(texts_), {1, 0, 0});
    std::set<std::string> groups;
    for (const auto& item : model->module().named_parameters()) groups.insert(train::layerGroup(item.key()));
    ASSERT_EQ(kept.size(), 2U);
    for (const auto& [group, activation] : kept) {
        EXPECT_TRUE(groups.contains(group)) << group;
        EXPECT_EQ(activation.values.sizes(), at::IntArrayRef({8, 8, 32}));
        EXPECT_EQ(activation.maybeMask.sizes(), at::IntArrayRef({8, 1, 1, 8}));
    }
}

/// Logits of every position: `given` ids at once, the others one by one, and all at once.
std::pair<at::Tensor, at::Tensor> bothWays(DecoderOnlyNetImpl& net, const at::Tensor& ids,
                                           std::int64_t given) {
    TextGroup group;
    for (std::int64_t r = 0; r < ids.size(0); ++r) {
        group.numbers.push_back(group.numbers.size());
        group.known.emplace_back();
        for (std::int64_t i = 0; i < given; ++i) group.known.back().push_back(ids[r][i].item<std::int32_t>());
    }
    const auto decoder = net.begin(group);
    std::vector<at::Tensor> steps;
    for (std::int64_t i = given - 1; i < ids.size(1); ++i)
        steps.push_back(decoder->extend(ids.select(1, i).contiguous()));
    const std::vector<std::int32_t> lengths(group.known.size(), static_cast<std::int32_t>(ids.size(1)));
    return {at::stack(steps, 1),
            net.logits(net.read(ids, lengths, {})).narrow(1, given - 1, ids.size(1) - given + 1)};
}

// Prefixes of one token, of some, and of more than the cache's first block holds.
TEST_F(DecoderOnly, TheCacheEqualsTheWholePass) {
    const auto model = confidentModel(configOf(), {.longest = 48});
    DecoderOnlyNetImpl& net = netOf(*model);
    const torch::NoGradGuard noGrad;
    const at::Tensor ids = (at::arange(3 * 40).view({3, 40}) * 7) % 20 + kWord;
    for (const auto type : {at::kFloat, at::kDouble}) {
        net.to(type);
        for (const std::int64_t given : {1, 5, 16, 17, 35}) {
            const auto [cached, whole] = bothWays(net, ids, given);
            const double close = type == at::kFloat ? 1e-5 : 1e-13;
            EXPECT_LE((cached - whole).abs().max().item<double>() / whole.abs().max().item<double>(), close)
                << given;
        }
    }
}

}  // namespace
}  // namespace kurve::models::transformer::texts
