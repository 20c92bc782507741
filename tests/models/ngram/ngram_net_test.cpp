// The numbers of tests/golden/networks/ngram.py: logits, loss, gradients, greedy texts; and parameter counts.
#include "models/ngram/ngram_net.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/tensor/meta_kernels.h"
#include "core/tensor/meta_memory.h"
#include "core/train/multi_token_prediction.h"
#include "models/ngram/ngram_fields.h"
#include "tests/models/transformer/decoder_only_fixture.h"
#include "tests/support/json_tensors.h"

namespace kurve::models::ngram {
namespace {

using kurve::testing::difference, kurve::testing::tensorOf;
using nlohmann::json;
using transformer::texts::Ids;

const json& golden() {
    static const json all = kurve::testing::goldenFile("networks/ngram.json");
    return all;
}

/// The model of a variant with its weights, in doubles.
class NgramGolden : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const json& size = golden().at("sizes");
        std::vector<Override> settings{{"model.hidden", size.at("hidden").dump()},
                                       {"model.layers", size.at("layers").dump()},
                                       {"model.heads", size.at("heads").dump()},
                                       {"model.ffn", size.at("ffn").dump()},
                                       {"ngram.n", variant.at("n").dump()},
                                       {"map.curves", variant.at("curves").dump()},
                                       {"sampler.method", "beam"}};
        if (!variant.at("rho").is_null()) {
            settings.emplace_back("map.kind", "spline");
            settings.emplace_back("map.rho", variant.at("rho").dump());
            settings.emplace_back("map.degree", variant.at("degree").dump());
        }
        config.emplace(testing::toyConfig("ngram", settings));
        const std::int64_t vocabulary = size.at("vocabulary");
        auto made = findFamily("ngram")->create(
            *config,
            {{vocabulary, vocabulary, true, size.at("longest"), false, text::kTrainedSpecials}, at::kCPU});
        ASSERT_TRUE(made) << made.error().text();
        model = std::move(*made);
        model->module().to(torch::kDouble);
        const torch::NoGradGuard noGrad;
        for (auto& item : model->module().named_parameters()) {
            const bool head = item.key().starts_with("head.");
            item.value().copy_(tensorOf((head ? variant : golden()).at("weights").at(item.key())));
        }
    }
    NgramNetImpl& net() { return dynamic_cast<NgramNetImpl&>(model->module()); }
    static std::vector<Ids> texts() {
        std::vector<Ids> all;
        for (const json& words : golden().at("texts"))
            all.push_back(transformer::texts::textOf(words.get<Ids>()));
        return all;
    }
    /// [L, n, V] of the text up to its EOS.
    at::Tensor logitsOf(const Ids& text, bool decoding) {
        const torch::NoGradGuard noGrad;
        const at::Tensor ids = transformer::texts::batchOf({text}).target.narrow(
            1, 0, static_cast<std::int64_t>(text.size()) - 1);
        const std::vector<std::int32_t> lengths{static_cast<std::int32_t>(ids.size(1))};
        ForwardPass pass;
        pass.decoding = decoding;
        return net().logits(net().head(net().read(ids, lengths, {})[0], pass).transpose(0, 1));
    }

    const json& variant = golden().at("variants").at(GetParam());
    std::optional<RunConfig> config;
    std::unique_ptr<train::SequenceModel> model;
};

constexpr double kBound = 1e-9;

TEST_P(NgramGolden, Logits) {
    const std::vector<Ids> all = texts();
    for (std::size_t r = 0; r < all.size(); ++r)
        EXPECT_LE(difference(logitsOf(all[r], false), tensorOf(variant.at("logits")[r])), kBound) << r;
    EXPECT_LE(difference(logitsOf(all[0], true), tensorOf(variant.at("decoding_logits"))), kBound);
}

TEST_P(NgramGolden, LossItsPartsAndGradients) {
    const train::LossReport report = model->loss(transformer::texts::batchOf(texts()), {1, 0, 0});
    EXPECT_NEAR(report.total.item<double>(), variant.at("loss").get<double>(), kBound);
    const auto nll = variant.at("nll").get<std::vector<double>>();
    ASSERT_EQ(report.parts.size(), nll.size());
    for (std::size_t j = 0; j < nll.size(); ++j)
        EXPECT_NEAR(report.parts.at(futureNllAt(static_cast<std::int64_t>(j) + 1)).item<double>(), nll[j],
                    kBound);
    report.total.backward();
    const json& norms = variant.at("gradient_norms");
    ASSERT_EQ(net().named_parameters().size(), norms.size());
    for (const auto& item : net().named_parameters())
        EXPECT_NEAR(item.value().grad().norm().item<double>(), norms.at(item.key()).get<double>(), kBound)
            << item.key();
}

TEST_P(NgramGolden, FutureNllOfEachPosition) {
    train::LikelihoodRequest request;
    request.targets = texts();
    request.sources.resize(request.targets.size());
    const auto found = model->multiTokenPrediction()->futureNll(request);
    ASSERT_TRUE(found) << found.error().text();
    const auto nll = variant.at("nll").get<std::vector<double>>();
    for (std::size_t j = 0; j < nll.size(); ++j) {
        double nats = 0, tokens = 0;
        for (const auto& text : found->texts) {
            nats += text.nats[j];
            tokens += text.tokens[j];
        }
        EXPECT_EQ(tokens, variant.at("counts")[j].get<double>());
        EXPECT_NEAR(nats / tokens, nll[j], kBound);
    }
}

TEST_P(NgramGolden, GreedyTextsWriteNTokensAtOnce) {
    std::vector<text::TextTemplate> known;
    for (const json& row : variant.at("greedy"))
        known.push_back(transformer::texts::prefixOf(row.at("prefix").get<Ids>()));
    const train::Generation all =
        transformer::texts::generated(*model, *config, transformer::texts::requestOf(known));
    for (std::size_t r = 0; r < known.size(); ++r) {
        EXPECT_EQ(all.rows[r].best.ids, variant.at("greedy")[r].at("ids").get<Ids>());
        EXPECT_NEAR(all.rows[r].best.score, variant.at("greedy")[r].at("score").get<double>(), 1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, NgramGolden,
                         ::testing::Values("baseline", "one", "spline", "curves", "baseline_curves",
                                           "table5"),
                         [](const auto& info) { return std::string(info.param); });

// SCLM, Table 5: M, k and N of 3, 4 and 5 tokens; the head beside the Transformer's own parameters.
TEST(NgramPresets, HaveTheTablesCurves) {
    const tensor::MadeOnMeta shapesOnly;
    struct Row {
        const char* preset;
        std::int64_t n, steps, curves;
    };
    for (const auto& [preset, n, steps, curves] : {Row{"wikitext2-3", 3, 3, 1},
                                                   {"wikitext2-4", 4, 4, 1},
                                                   {"wikitext2-5", 5, 5, 1},
                                                   {"wikitext2-3-curve", 3, 18, 4},
                                                   {"wikitext2-4-curve", 4, 20, 4},
                                                   {"wikitext2-5-curve", 5, 20, 6}}) {
        const auto config = RunConfig::parse("family = \"ngram\"\npreset = \"" + std::string(preset) + "\"\n",
                                             "p.toml", schemaLookup());
        ASSERT_TRUE(config) << config.error().text();
        const NgramSizes sizes = sizesOf(*config, {33278, 33278, true, 128, false, text::kTrainedSpecials});
        EXPECT_EQ(sizes.head.tokens, n);
        EXPECT_EQ(sizes.head.curves, curves);
        EXPECT_EQ(sizes.head.steps(), steps) << preset;
        NgramNet net(sizes);
        std::int64_t head = 0;
        for (const auto& item : net->head->named_parameters()) head += item.value().numel();
        const std::int64_t h = 512, scorer = curves > 1 ? curves * h + h * h + 2 * h + 1 : 0;
        EXPECT_EQ(head, steps * h + 8 * h * h + 4 * h + scorer) << preset;
    }
}

}  // namespace
}  // namespace kurve::models::ngram
