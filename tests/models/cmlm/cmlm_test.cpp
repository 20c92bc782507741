// The numbers of tests/golden/oracles/make_cmlm.py, parameter counts, masking and bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "core/text/trained_specials.h"
#include "core/train/trainer.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/cmlm_model.h"
#include "models/cmlm/contrastive.h"
#include "models/cmlm/isotropy.h"
#include "tests/models/family_fixture.h"

namespace kurve::models::cmlm {
namespace {

using nlohmann::json;

const json& oracle(const char* group) {
    static const json all = [] {
        std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/oracles/cmlm.json");
        return json::parse(file);
    }();
    return all.at(group);
}

at::Tensor tensorOf(const json& rows) {
    std::vector<std::int64_t> shape;
    for (const json* at = &rows; at->is_array(); at = &at->front())
        shape.push_back(static_cast<std::int64_t>(at->size()));
    const json flat = rows.flatten();
    std::vector<double> values;
    const std::function<void(const json&)> collect = [&](const json& node) {
        if (!node.is_array()) return values.push_back(node.get<double>());
        for (const json& child : node) collect(child);
    };
    collect(rows);
    return at::tensor(values, at::kDouble).view(shape);
}

void expectNear(const at::Tensor& got, const json& expected, double within = 1e-6) {
    const at::Tensor wanted = tensorOf(expected);
    ASSERT_EQ(got.sizes(), wanted.sizes());
    EXPECT_LE((got.to(at::kDouble) - wanted).abs().max().item<double>(), within) << got << expected;
}

/// First `length` of `width` positions of each row; without BOS and EOS if `ordinary`.
at::Tensor included(const std::vector<std::int32_t>& lengths, std::int64_t width, bool ordinary = false) {
    at::Tensor part = at::zeros({static_cast<std::int64_t>(lengths.size()), width}, at::kBool);
    for (std::size_t r = 0; r < lengths.size(); ++r)
        part[static_cast<std::int64_t>(r)]
            .narrow(0, ordinary ? 1 : 0, lengths[r] - (ordinary ? 2 : 0))
            .fill_(true);
    return part;
}

double contrast(const at::Tensor& states, const std::vector<std::int32_t>& lengths,
                const ContrastiveForm& form, bool ordinary = false) {
    std::vector<std::int32_t> positions = lengths;
    if (ordinary)
        for (auto& n : positions) n -= 2;
    const at::Tensor sum = contrastiveSum(gramOf(states), included(lengths, states.size(1), ordinary), form);
    return sum.item<double>() / pairCount(positions, form);
}

TEST(Contrastive, PlainOracle) {
    const json& all = oracle("contrastive").at("plain");
    const at::Tensor rows = tensorOf(all.at("rows")).unsqueeze(0);
    for (const json& c : all.at("cases")) {
        EXPECT_NEAR(contrast(rows, {3}, {c.at("margin"), false, false}), c.at("official"), 1e-7) << c;
        EXPECT_NEAR(contrast(rows, {3}, {c.at("margin"), true, false}), c.at("paper"), 1e-7) << c;
    }
    for (const bool paper : {false, true}) {
        const at::Tensor x = rows.clone().requires_grad_();
        const ContrastiveForm form{0.4, paper, false};
        (contrastiveSum(gramOf(x), included({3}, 3), form) / pairCount(std::vector<std::int32_t>{3}, form))
            .backward();
        expectNear(x.grad()[0], all.at("gradient_0.4"), 1e-7);
    }
}

at::Tensor waves(const json& shape, double offset, double factor) {
    const std::vector<std::int64_t> sizes = shape;
    const auto o = at::TensorOptions(at::kDouble);
    const at::Tensor index = at::arange(sizes[0], o).view({-1, 1, 1}) * 100 +
                             at::arange(sizes[1], o).view({1, -1, 1}) * 10 + at::arange(sizes[2], o);
    return offset + factor * at::sin(1 + index);
}

void expectCases(const at::Tensor& rows, const json& cases) {
    for (const json& c : cases) {
        const std::vector<std::int32_t> lengths = c.at("lengths");
        const bool ordinary = c.value("positions", "") == "ordinary";
        EXPECT_NEAR(contrast(rows, lengths, {c.at("margin"), false, false}, ordinary), c.at("official_micro"),
                    1e-7)
            << c;
        if (c.contains("paper_macro"))
            EXPECT_NEAR(contrast(rows, lengths, {c.at("margin"), true, true}), c.at("paper_macro"), 1e-7)
                << c;
    }
}

TEST(Contrastive, WaveOracles) {
    const json& shifted = oracle("contrastive").at("shifted");
    const at::Tensor rows = waves(shifted.at("shape"), 1, 0.5);
    expectCases(rows, shifted.at("cases"));
    const at::Tensor x = rows.clone().requires_grad_();
    const ContrastiveForm form{0.4, false, false};
    const std::vector<std::int32_t> lengths{4, 3};
    (contrastiveSum(gramOf(x), included(lengths, 4), form) / pairCount(lengths, form)).backward();
    const json& gradient = shifted.at("gradient_0.4_lengths_4_3");
    EXPECT_NEAR(x.grad().abs().sum().item<double>(), gradient.at("sum_abs"), 1e-6);
    for (const json& cell : gradient.at("cells"))
        expectNear(x.grad()[cell.at("at")[0].get<int>()][cell.at("at")[1].get<int>()], cell.at("row"), 1e-7);
    const json& sines = oracle("contrastive").at("sines");
    expectCases(waves(sines.at("shape"), 0, 1), sines.at("cases"));
}

TEST(Contrastive, EqualRowsCostTheMarginAndOneRowNothing) {
    const json& all = oracle("contrastive").at("equal_rows");
    const at::Tensor rows = at::ones({2, 4, 3}, at::kDouble);
    EXPECT_NEAR(contrast(rows, {4, 2}, {all.at("margin"), false, false}), all.at("official"), 1e-12);
    EXPECT_NEAR(contrast(rows, {4, 2}, {all.at("margin"), true, false}), all.at("paper"), 1e-12);
    const at::Tensor zero = at::zeros({1, 4, 3}, at::kDouble).requires_grad_();
    const at::Tensor one = contrastiveSum(gramOf(zero), included({3}, 4, true), {});
    EXPECT_EQ(one.item<double>(), 0);
    EXPECT_EQ(pairCount(std::vector<std::int32_t>{1, 0}, {}), 0);
    contrastiveSum(gramOf(zero), included({4}, 4), {}).backward();
    EXPECT_TRUE(at::isfinite(zero.grad()).all().item<bool>());
}

/// The loss as published: logits, their norms, a product over the vocabulary.
at::Tensor direct(const at::Tensor& states, const at::Tensor& table, bool centred) {
    at::Tensor logits = at::matmul(states, table.t());
    if (centred) logits = logits - logits.mean(-1, true);
    return gramOf(logits / logits.norm(2, -1, true));
}

TEST(Contrastive, TheGramFormEqualsTheDirectForm) {
    torch::manual_seed(3);
    const at::Tensor states = (torch::randn({3, 7, 16}) + 2).requires_grad_(),
                     table = (torch::randn({90, 16}) * 0.2).requires_grad_();
    const at::Tensor part = included({7, 5, 2}, 7);
    for (const bool centred : {false, true}) {
        const at::Tensor a = contrastiveSum(gramOfLogits(states, table, centred), part, {}) / 64,
                         b = contrastiveSum(direct(states, table, centred), part, {}) / 64;
        EXPECT_NEAR(a.item<double>(), b.item<double>(), 1e-6);
        EXPECT_GT(b.item<double>(), 0.01);
        const auto ga = torch::autograd::grad({a}, {states, table}),
                   gb = torch::autograd::grad({b}, {states, table});
        EXPECT_LE((ga[0] - gb[0]).abs().max().item<double>(), 1e-6);
        EXPECT_LE((ga[1] - gb[1]).abs().max().item<double>(), 1e-6);
    }
}

TEST(LookNeighbors, MaskOracle) {
    const json& all = oracle("neighbour_mask");
    const auto texts = [](const at::Tensor& mask) {
        std::vector<std::string> rows;
        for (std::int64_t i = 0; i < mask.size(0); ++i) {
            rows.emplace_back();
            for (std::int64_t j = 0; j < mask.size(1); ++j)
                rows.back() += mask[i][j].item<float>() == 0 ? '1' : '0';
        }
        return rows;
    };
    const std::vector<std::int32_t> lengths{5, 3};
    const at::Tensor mask = neighbourMask(lengths, 5, 1, at::kCPU);
    EXPECT_EQ(texts(mask[0][0]), all.at("allowed").get<std::vector<std::string>>());
    EXPECT_EQ(texts(mask[1][0]), all.at("of_three").get<std::vector<std::string>>());
    for (const auto& [length, counts] : all.at("allowed_keys").items()) {
        const std::vector<std::int32_t> one{std::stoi(length)};
        const at::Tensor allowed = neighbourMask(one, one[0], 1, at::kCPU).isfinite().sum({0, 1, 3});
        for (std::size_t i = 0; i < counts.size(); ++i)
            EXPECT_EQ(allowed[static_cast<std::int64_t>(i)].item<int>(), counts[i].get<int>());
    }
}

TEST(LookNeighbors, AttentionOracle) {
    const json& all = oracle("neighbour_attention");
    const at::Tensor x = tensorOf(all.at("rows")).view({1, 1, 5, 2});
    const std::vector<std::int32_t> five{5}, three{3};
    const at::Tensor near = attend(x, x, x, neighbourMask(five, 5, 1, at::kCPU))[0][0],
                     full = attend(x, x, x, {})[0][0];
    expectNear(near, all.at("neighbour"));
    expectNear(full, all.at("full"));
    const at::Tensor alpha = at::full({}, 0.5, at::kDouble).requires_grad_();
    const at::Tensor merged = near + alpha * (full - near);
    expectNear(merged.detach(), all.at("merged"));
    EXPECT_NEAR(merged.sum().item<double>(), all.at("sum"), 1e-6);
    merged.sum().backward();
    EXPECT_NEAR(alpha.grad().item<double>(), all.at("d_sum_d_alpha"), 1e-6);
    const at::Tensor padded = attend(x, x, x, neighbourMask(three, 5, 1, at::kCPU))[0][0];
    expectNear(padded.narrow(0, 0, 3), all.at("of_three"));
    EXPECT_TRUE(at::isfinite(padded).all().item<bool>());
}

at::Tensor alternating(std::int64_t rows, std::int64_t columns,
                       const std::function<double(double, double)>& magnitude) {
    at::Tensor out = at::empty({rows, columns});
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            out[r][c] =
                magnitude(static_cast<double>(r), static_cast<double>(c)) * ((r + c) % 2 == 0 ? 1 : -1);
    return out;
}

TEST(LookNeighbors, TopOracle) {
    const json& all = oracle("neighbour_concat");
    const torch::NoGradGuard noGrad;
    const at::Tensor x = tensorOf(all.at("rows")).to(at::kFloat).unsqueeze(0);
    const std::vector<std::int32_t> lengths{5};
    LookNeighborsTop official(LookNeighborsTopImpl::Shape{2, 4, true}),
        paper(LookNeighborsTopImpl::Shape{2, 0, true});
    official->in->weight.copy_(alternating(4, 4, [](double r, double c) { return 0.1 * (r + 1) * (c + 1); }));
    official->out->weight.copy_(alternating(2, 4, [](double, double c) { return 0.2 * (c + 1); }));
    paper->out->weight.copy_(tensorOf(all.at("paper_weight")));
    expectNear(official->forward(x, lengths, {})[0], all.at("official"), 1e-6);
    expectNear(paper->forward(x, lengths, {})[0], all.at("paper"), 1e-6);
}

TEST(LookNeighbors, ByDefaultASentenceDoesNotDependOnPadding) {
    const torch::NoGradGuard noGrad;
    torch::manual_seed(1);
    const at::Tensor x = torch::randn({1, 8, 4});
    LookNeighborsTop ours(LookNeighborsTopImpl::Shape{4, 8, true}),
        published(LookNeighborsTopImpl::Shape{4, 8, false});
    torch::nn::init::normal_(ours->in->weight), torch::nn::init::normal_(ours->out->weight);
    published->in->weight.copy_(ours->in->weight), published->out->weight.copy_(ours->out->weight);
    const std::vector<std::int32_t> six{6};
    const at::Tensor alone = ours->forward(x.narrow(1, 0, 6), six, {}),
                     padded = ours->forward(x, six, {}).narrow(1, 0, 6);
    EXPECT_TRUE(at::equal(alone, padded));
    EXPECT_TRUE(at::equal(alone, published->forward(x.narrow(1, 0, 6), six, {})));
    EXPECT_FALSE(at::allclose(alone[0][5], published->forward(x, six, {})[0][5]));  // its EOS
}

TEST(CmlmLoss, SmoothingOracle) {
    const json& all = oracle("label_smoothing");
    const at::Tensor logits = tensorOf(all.at("logits"));
    const std::vector<std::int64_t> targets = all.at("targets");
    // E = identity: the logits are the states themselves.
    const at::Tensor table = at::eye(4, at::kDouble);
    const diffusion::TokenNll token =
        diffusion::fusedLinearCrossEntropy(logits, table, table.index_select(0, at::tensor(targets)));
    const double e = all.at("epsilon");
    const double loss = ((1 - e) * token.nll + e * token.smooth).mean().item<double>();
    EXPECT_NEAR(token.nll.mean().item<double>(), all.at("nll"), 1e-8);
    EXPECT_NEAR(loss, all.at("loss"), 1e-8);
    EXPECT_NEAR(0.5 * loss, all.at("half"), 1e-8);
}

TEST(CmlmLoss, LengthHeadOracle) {
    const json& all = oracle("length_head");
    const std::vector<std::int32_t> lengths = all.at("lengths");
    const at::Tensor pooled = meanState(tensorOf(all.at("states")), lengths);
    expectNear(pooled, all.at("pooled"), 1e-12);
    const at::Tensor logits = at::linear(pooled, tensorOf(all.at("weight")));
    expectNear(logits, all.at("logits"), 1e-12);
    const std::vector<std::int64_t> targets = all.at("targets");
    EXPECT_NEAR(at::cross_entropy_loss(logits, at::tensor(targets)).item<double>(), all.at("loss"), 1e-8);
}

train::MeanAccumulator pooled(const std::vector<Similarity>& all) {
    train::MeanAccumulator sum;
    for (const Similarity& one : all) {
        sum.sum += one.similarity.sum;
        sum.count += one.similarity.count;
    }
    return sum;
}

TEST(AverageSimilarity, Oracle) {
    const json& all = oracle("average_similarity");
    const at::Tensor first = tensorOf(all.at("sentences")[0]).to(at::kFloat),
                     second = tensorOf(all.at("sentences")[1]).to(at::kFloat);
    const at::Tensor both = at::stack({first, at::constant_pad_nd(second, {0, 0, 0, 1}, 5)});
    const std::vector<std::int32_t> lengths{5, 4};
    const train::MeanAccumulator micro = pooled(similarityOf(both, lengths, 0.6));
    EXPECT_EQ(micro.count, 8);
    EXPECT_NEAR(micro.sum / micro.count, all.at("micro"), 1e-6);
    const std::vector<std::int32_t> one{5}, empty{2};
    const train::MeanAccumulator alone = similarityOf(first.unsqueeze(0), one, 0.6).front().similarity;
    EXPECT_NEAR(alone.sum / alone.count, all.at("ordinary")[0], 1e-6);
    EXPECT_EQ(similarityOf(first.unsqueeze(0), empty, 0.6).front().similarity.count, 0);
}

// tests/golden/metrics/make_isotropy.py wrote these numbers, with the logits of the whole vocabulary.
TEST(Isotropy, EqualsNumpy) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/metrics/isotropy.json");
    const json golden = json::parse(file);
    const std::vector<std::int32_t> lengths = golden.at("lengths"), sourceTokens{9, 10, 39, 400};
    std::vector<at::Tensor> rows;
    for (const auto& row : golden.at("states")) rows.push_back(tensorOf(row).to(at::kFloat));
    IsotropyMeter meter(tensorOf(golden.at("table")).to(at::kFloat), golden.at("threshold"), 10);
    // Two groups, the second narrower; the first row with two passes.
    const std::span<const std::int32_t> all(lengths), words(sourceTokens);
    meter.add({at::stack({rows[0], rows[0]}), {4, 10}, all.first(1), words.first(1)});
    meter.add(
        {at::stack({rows[1], rows[2], rows[3]}).narrow(1, 0, 5), {10}, all.subspan(1), words.subspan(1)});
    const auto statistics = meter.take();
    ASSERT_EQ(statistics.size(), 4U);
    const std::vector<std::string> buckets{"_from0", "_from10", "_from30", "_from40"};
    for (std::size_t r = 0; r < 4; ++r)
        for (const std::string site : {"logits", "centred", "features"}) {
            SCOPED_TRACE(site + std::to_string(r));
            const json& wanted = golden.at("sentences")[r].at(site);
            const auto value = [&](const std::string& name) {
                const train::MeanAccumulator& mean = statistics[r].at(name);
                EXPECT_EQ(mean.count, name.starts_with("rank") ? 1 : wanted.at("pairs").get<double>());
                return mean.sum / mean.count;
            };
            if (wanted.at("pairs") == 0) {
                EXPECT_EQ(statistics[r].at("similarity_" + site + "_10").count, 0);
                continue;
            }
            EXPECT_NEAR(value("similarity_" + site + "_10"), wanted.at("similarity"), 1e-5);
            if (site == "features") continue;
            EXPECT_NEAR(value("similarity_" + site + "_10" + buckets[r]), wanted.at("similarity"), 1e-5);
            EXPECT_NEAR(value("above_margin_" + site + "_10"), wanted.at("above"), 1e-6);
            EXPECT_NEAR(value("rank_" + site + "_10"), wanted.at("rank"), 1e-4);
        }
    EXPECT_EQ(statistics[1].size(), 9U) << "one bucket, one pass";
    EXPECT_EQ(statistics[0].size(), 9U + 5U) << "pass 4 has neither bucket nor rank";
    EXPECT_NEAR(statistics[0].at("similarity_logits_4").sum, statistics[0].at("similarity_logits_10").sum,
                1e-5);
    EXPECT_TRUE(meter.take().empty()) << "cleared by take()";
}

TEST(AverageSimilarity, TheFactorHasTheLogitsInnerProducts) {
    torch::manual_seed(2);
    const at::Tensor states = torch::randn({5, 8}), table = torch::randn({30, 8});
    const at::Tensor logits = at::mm(states, table.t()), ours = at::mm(states, logitFactor(table));
    EXPECT_TRUE(at::allclose(at::mm(ours, ours.t()), at::mm(logits, logits.t()), 1e-4, 1e-3));
}

TEST(AverageSimilarity, AConstantInTheLogitsChangesTheRawValueOnly) {
    torch::manual_seed(4);
    at::Tensor table = torch::randn({30, 8});
    table.select(1, 7).fill_(1);  // the last feature is added to every word's logit
    at::Tensor states = torch::randn({2, 6, 8});
    states.select(2, 7).fill_(40);
    const std::vector<std::int32_t> lengths{6, 6}, sourceTokens{4, 4};
    IsotropyMeter meter(table, 0.6, 4);
    meter.add({states, {4}, lengths, sourceTokens});
    const auto statistics = meter.take();
    const auto value = [&](const char* name) {
        const train::MeanAccumulator &one = statistics[0].at(name), &two = statistics[1].at(name);
        EXPECT_EQ(one.count + two.count, 24);
        return (one.sum + two.sum) / (one.count + two.count);
    };
    EXPECT_GT(value("similarity_logits_4"), 0.98);
    const at::Tensor logits = at::matmul(states, table.t());
    const train::MeanAccumulator direct = pooled(similarityOf(logits - logits.mean(-1, true), lengths, 0.6));
    EXPECT_NEAR(value("similarity_centred_4"), direct.sum / direct.count, 1e-4);
    EXPECT_LT(value("similarity_centred_4"), 0.5);
}

std::int64_t parameterCount(const std::string& preset, std::int64_t vocabulary,
                            const std::vector<Override>& settings = {}) {
    const auto config = RunConfig::parse("family = \"cmlm\"\npreset = \"" + preset + "\"\n", "paper.toml",
                                         schemaLookup(), settings);
    EXPECT_TRUE(config) << config.error().text();
    const CmlmNet net(*config,
                      train::TextShape{vocabulary, vocabulary, true, 1024, true, text::kTrainedSpecials});
    std::int64_t count = 0;
    for (const auto& parameter : net->parameters()) count += parameter.numel();
    return count;
}

TEST(CmlmSizes, HaveThePapersParameterCounts) {
    EXPECT_EQ(parameterCount("cmlm", 1000), 45320192 + 512 * 1000);
    EXPECT_EQ(parameterCount("corr", 1000), 45320192 + 512 * 1000);
    EXPECT_EQ(parameterCount("cmlm-ln", 1000), 45320192 + 512 * 1000 + 6 * (1050624 + 1) + 3145728);
    EXPECT_EQ(parameterCount("cmlm-ln", 1000, {{"look_neighbors.top", "paper"}}),
              45320192 + 512 * 1000 + 6 * (1050624 + 1) + 512 * 1024);
    EXPECT_EQ(parameterCount("cmlm", 1000, {{"length.kind", "token"}}),
              45320192 + 512 * 1000 - 131072 + 512 * 1024);
}

TEST(CmlmInit, FollowsTheFields) {
    const auto paper =
        RunConfig::parse("family = \"cmlm\"\npreset = \"cmlm-ln\"\n[model]\nmax_positions = 64\n",
                         "init.toml", schemaLookup());
    const auto made =
        findFamily("cmlm")->create(*paper, {{500, 500, true, 64, true, text::kTrainedSpecials}, at::kCPU});
    ASSERT_TRUE(made) << made.error().text();
    auto parameters = (*made)->module().named_parameters();
    for (const char* name : {"embedding.weight", "encoder_positions.weight", "decoder_positions.weight",
                             "length", "decoder_layer_3.neighbours.qkv.weight", "decoder_top.in.weight"})
        EXPECT_NEAR(parameters[name].std().item<double>(), 0.02, 1e-3) << name;
    EXPECT_EQ(parameters["embedding.weight"][1].abs().sum().item<double>(), 0);
    EXPECT_EQ(parameters["decoder_layer_0.ffn.in.bias"].abs().sum().item<double>(), 0);
    EXPECT_EQ(parameters["decoder_layer_5.alpha"].item<double>(), 0.5);
    const auto tiny = testing::toyModel(testing::toyConfig("cmlm"));
    parameters = tiny->module().named_parameters();
    EXPECT_TRUE(at::equal(parameters["encoder_positions.weight"].narrow(0, 2, 24),
                          parameters["decoder_positions.weight"].narrow(0, 2, 24)));
    EXPECT_NEAR(parameters["decoder_positions.weight"][7].norm().item<double>(), 0.25 * std::sqrt(32.0),
                1e-4);
    EXPECT_TRUE(at::equal(parameters["decoder_layer_0.cross.query.weight"], at::eye(32)));
}

TEST(CmlmMasking, AMaskNeedsAToken) {
    train::TextShape shape = testing::toyShape();
    shape.special.unk = text::SpecialIds::kNone;
    const auto create = [&](const char* isUnk) {
        return findFamily("cmlm")->create(testing::toyConfig("cmlm", {{"mask.is_unk", isUnk}}),
                                          {shape, at::kCPU});
    };
    EXPECT_TRUE(create("false"));
    const auto refused = create("true");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "mask.is_unk");
}

TEST(CmlmMasking, MasksAsManyAsCountedAndReplacesOnlyRevealedTokens) {
    const RunConfig config = testing::toyConfig("cmlm");
    const train::DeviceBatch batch = train::toDevice(testing::toyBatch(), at::kCPU);
    bool replacedAny = false;
    for (std::uint64_t step = 0; step < 40; ++step) {
        const MaskDraw draw = drawMasks(batch, {3, step, 0}, config, true);
        const MaskCounts counts = countMasks(batch, {3, step, 0}, config, true);
        EXPECT_EQ(counts.masked, draw.masked);
        std::vector<std::int32_t> masked(8), replaced(8);
        for (const auto at : draw.maskedAt) ++masked[static_cast<std::size_t>(at / batch.targetLength)];
        for (const auto at : draw.replacedAt) {
            ++replaced[static_cast<std::size_t>(at / batch.targetLength)];
            EXPECT_EQ(std::count(draw.maskedAt.begin(), draw.maskedAt.end(), at), 0);
            EXPECT_EQ(std::count(draw.ordinaryAt.begin(), draw.ordinaryAt.end(), at), 1);
        }
        EXPECT_EQ(masked, draw.masked);
        EXPECT_EQ(replaced, draw.replaced);
        replacedAny = replacedAny || !draw.replacedAt.empty();
        for (std::size_t r = 0; r < 8; ++r) {
            EXPECT_EQ(draw.ordinary[r], batch.targetLengths[r] - 2);
            EXPECT_EQ(draw.replaced[r], static_cast<int>(0.3 * (draw.ordinary[r] - draw.masked[r]) + 1e-9));
        }
    }
    EXPECT_TRUE(replacedAny);
}

TEST(CmlmBadInput, IsNamed) {
    const auto fails = [](const std::vector<Override>& settings) {
        const auto made =
            findFamily("cmlm")->create(testing::toyConfig("cmlm", settings), {testing::toyShape(), at::kCPU});
        return made ? std::string() : made.error().code + " " + made.error().field;
    };
    EXPECT_EQ(fails({{"sampler.length_beam", "23"}}), "sample.length_beam sampler.length_beam");
    EXPECT_EQ(fails({{"sampler.length_beam", "22"}}), "");
    const auto noPass =
        RunConfig::parse("family = \"cmlm\"\n[sampler]\nsteps = 0\n", "t.toml", schemaLookup());
    ASSERT_FALSE(noPass);
    EXPECT_EQ(noPass.error().code, "config.out_of_range");

    const RunConfig config = testing::toyConfig("cmlm", {{"look_neighbors.attention", "true"}});
    const auto model = testing::toyModel(config);
    train::GenerateRequest request;
    request.sources = {std::vector<std::int32_t>(25, text::kFirstRegularToken)};
    EXPECT_EQ(model->generate(request, config, nullptr).error().code, "sample.too_long");
    request.sources = testing::toySources();
    const torch::NoGradGuard noGrad;
    model->module().named_parameters()["decoder_layer_1.alpha"].fill_(std::nan(""));
    const auto broken = model->generate(request, config, nullptr);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, "model.not_finite");
    EXPECT_EQ(broken.error().field, "decoder_layer_1.alpha");
    EXPECT_TRUE(std::isnan(model->healthMetrics().at("alpha_1")));
    EXPECT_EQ(model->healthMetrics().at("alpha_0"), 0.5);
}

TEST(CmlmBadInput, ContrastOfOneWordTargetsIsNothing) {
    const RunConfig config =
        testing::toyConfig("cmlm", {{"contrastive.weight", "1"}, {"contrastive.positions", "ordinary"}});
    const auto model = testing::toyModel(config);
    train::DeviceBatch batch = train::toDevice(testing::toyBatch(), at::kCPU);
    batch.target = at::full({8, 3}, text::kFirstRegularToken, at::kLong);
    batch.targetMask = at::ones({8, 3}, at::kBool);
    batch.targetLengths.assign(8, 3);
    batch.targetLength = 3;
    batch.targetTokens = 24;
    const train::LossReport report = model->loss(batch, {1, 0, 0});
    EXPECT_EQ(report.parts.at("loss_cl_features").item<double>(), 0);
    EXPECT_TRUE(std::isfinite(report.total.item<double>()));
}

}  // namespace
}  // namespace kurve::models::cmlm
