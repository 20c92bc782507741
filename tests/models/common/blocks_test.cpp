// Parts of the families' networks against tests/golden/networks/blocks.py, in doubles.
#include <gtest/gtest.h>

#include "core/base/check.h"
#include "models/common/attention_masks.h"
#include "models/common/bert_encoder.h"
#include "models/common/padding.h"
#include "models/common/pre_norm_block.h"
#include "models/common/time_embedding.h"
#include "tests/support/json_tensors.h"

namespace kurve::models {
namespace {

using kurve::testing::difference, kurve::testing::tensorOf;
using nlohmann::json;

constexpr double kBound = 1e-11;

const json& golden() {
    static const json all = kurve::testing::goldenFile("networks/blocks.json");
    return all;
}

std::int64_t sizeOf(const char* name) {
    return golden().at("sizes").at(name);
}
const std::int64_t kHidden = sizeOf("hidden"), kHeads = sizeOf("heads"), kFfn = sizeOf("ffn");

/// A module of which the parts are named as in the golden file.
struct Parts : torch::nn::Module {};

/// The weights of `wanted`, which are those that the module has.
void setWeights(torch::nn::Module& module, const json& wanted) {
    module.to(at::kDouble);
    const torch::NoGradGuard noGrad;
    const auto parameters = module.named_parameters();
    EXPECT_EQ(parameters.size(), wanted.at("weights").size());
    for (const auto& item : parameters) {
        ASSERT_TRUE(wanted.at("weights").contains(item.key())) << item.key();
        const at::Tensor value = tensorOf(wanted.at("weights").at(item.key()));
        ASSERT_EQ(item.value().sizes(), value.sizes()) << item.key();
        item.value().copy_(value);
    }
}

at::Tensor input(const json& wanted, const char* name) {
    return tensorOf(wanted.at(name)).set_requires_grad(true);
}

/// The output, and the norms of the gradients of the parameters and the inputs.
void expectGolden(const json& wanted, const torch::nn::Module& module, const at::Tensor& output,
                  const std::map<std::string, at::Tensor>& inputs) {
    EXPECT_LE(difference(output, tensorOf(wanted.at("output"))), kBound);
    (output * tensorOf(wanted.at("probe"))).sum().backward();
    std::map<std::string, at::Tensor> leaves = inputs;
    for (const auto& item : module.named_parameters()) leaves[item.key()] = item.value();
    EXPECT_EQ(leaves.size(), wanted.at("gradient_norms").size());
    for (const auto& [name, leaf] : leaves) {
        ASSERT_TRUE(leaf.grad().defined()) << name;
        const double norm = wanted.at("gradient_norms").at(name);
        EXPECT_NEAR(leaf.grad().norm().item<double>(), norm, kBound * std::max(1.0, norm)) << name;
    }
}

TEST(CommonBlocks, RmsNormPlainAndModulated) {
    const json& wanted = golden().at("rms_norm");
    Parts parts;
    ModulatedNorm norm = parts.register_module(
        "norm", ModulatedNorm(kHidden, NormSettings{NormSettings::Kind::RmsNorm, 1e-3}));
    setWeights(parts, wanted);
    const at::Tensor x = input(wanted, "x"), shift = input(wanted, "shift"), scale = input(wanted, "scale");
    EXPECT_LE(difference(norm(x), tensorOf(wanted.at("plain"))), kBound);
    EXPECT_LE(
        difference(norm(x, Modulation{shift[0][0], scale[0][0], {}}), tensorOf(wanted.at("same_for_all"))),
        kBound);
    EXPECT_LE(difference(modulated(norm(x), {shift, scale, {}}), tensorOf(wanted.at("output"))), kBound);
    expectGolden(wanted, parts, norm(x, Modulation{shift, scale, {}}),
                 {{"x", x}, {"shift", shift}, {"scale", scale}});
}

TEST(CommonBlocks, MlpWithEveryActivation) {
    const std::map<std::string, MlpActivation> activations{{"relu", MlpActivation::Relu},
                                                           {"gelu", MlpActivation::Gelu},
                                                           {"gelu_tanh", MlpActivation::GeluTanh},
                                                           {"silu", MlpActivation::Silu},
                                                           {"swiglu", MlpActivation::SwiGlu}};
    EXPECT_EQ(golden().at("mlp").size(), 2 * activations.size());
    for (const auto& [name, wanted] : golden().at("mlp").items()) {
        SCOPED_TRACE(name);
        const bool bias = wanted.at("bias");
        Parts parts;
        Mlp mlp = parts.register_module(
            "ffn", Mlp(MlpImpl::Widths{kHidden, kFfn, kHidden},
                       activations.at(bias ? name : name.substr(0, name.rfind('_'))), bias));
        setWeights(parts, wanted);
        const at::Tensor x = input(wanted, "x");
        expectGolden(wanted, parts, mlp(x), {{"x", x}});
    }
}

/// Pre-norm blocks of the golden file.
struct BlockCase {
    const json& wanted;
    PreNormSizes sizes;
    PreNormBlock block{nullptr};
    at::Tensor x;
    BlockContext context;

    explicit BlockCase(const std::string& name)
        : wanted(golden().at("blocks").at(name)),
          sizes{.hidden = kHidden,
                .heads = kHeads,
                .ffn = kFfn,
                .direction = name == "one_tower" ? AttentionDirection::Both : AttentionDirection::Causal,
                .norm = {NormSettings::Kind::RmsNorm, wanted.at("eps")},
                .activation = name == "one_tower" ? MlpActivation::Gelu : MlpActivation::SwiGlu,
                .attentionBias = wanted.at("attention_bias"),
                .ffnBias = wanted.at("ffn_bias")},
          block(sizes),
          x(input(wanted, "x")) {
        setWeights(*block, wanted);
        if (name == "one_tower")
            context.maybeMask = additiveMask(tensorOf(wanted.at("allowed")).to(at::kBool), x);
        else
            context.rotary = RotaryEmbedding(kHidden / kHeads).table({x.size(1)}, x);
    }
    [[nodiscard]] BlockContext at(std::int64_t first, std::int64_t count) const {
        if (!context.rotary.sine.defined()) return {};
        return {{},
                {},
                {context.rotary.cosine.narrow(0, first, count), context.rotary.sine.narrow(0, first, count)}};
    }
    [[nodiscard]] DecodingCache cache() const {
        return DecodingCache({x.size(0), 1, kHeads, kHidden / kHeads}, x.options().requires_grad(false));
    }
};

class CommonPreNormBlock : public ::testing::TestWithParam<const char*> {};

TEST_P(CommonPreNormBlock, OutputAndGradients) {
    BlockCase golden(GetParam());
    expectGolden(golden.wanted, *golden.block,
                 golden.block(golden.x, golden.context, ForwardPass{}, "block.0"), {{"x", golden.x}});
    for (const auto& item : golden.block->named_parameters())
        EXPECT_TRUE(static_cast<bool>(preNormInitializer(golden.sizes, item.key(), item.value())))
            << item.key();
}

INSTANTIATE_TEST_SUITE_P(Blocks, CommonPreNormBlock, ::testing::Values("llama", "base_lcm", "one_tower"));

TEST(CommonBlocks, TruncatedCacheGoesOnAsIfNothingHadFollowed) {
    BlockCase golden("base_lcm");
    const torch::NoGradGuard noGrad;
    DecodingCache cache = golden.cache();
    std::vector<at::Tensor> parts;
    const auto extend = [&](const at::Tensor& x) {
        parts.push_back(golden.block->extend(x, golden.at(cache.length(), x.size(1)), {cache, 0}));
        cache.advance(x.size(1));
    };
    extend(golden.x.narrow(1, 0, 3));
    for (int i = 0; i < 20; ++i) {  // past the cache's first allocation, with other tokens
        (void)golden.block->extend(golden.x.narrow(1, 0, 1) * i, golden.at(0, 1), {cache, 0});
        cache.advance();
    }
    cache.truncate(3);
    extend(golden.x.narrow(1, 3, 1));
    extend(golden.x.narrow(1, 4, 1));
    EXPECT_LE(difference(at::cat(parts, 1), tensorOf(golden.wanted.at("output"))), kBound);
    cache.truncate(1);  // several at once see each other causally
    parts = {parts[0].narrow(1, 0, 1)};
    extend(golden.x.narrow(1, 1, 3));
    extend(golden.x.narrow(1, 4, 1));
    EXPECT_LE(difference(at::cat(parts, 1), tensorOf(golden.wanted.at("output"))), kBound);
    EXPECT_THROW(cache.truncate(6), ContractError);
}

// One-Tower: clean positions go into the cache, a noisy one is evaluated against it and not kept.
TEST(CommonBlocks, OnePositionAgainstTheCacheWithoutKeepingIt) {
    BlockCase golden("one_tower");
    const torch::NoGradGuard noGrad;
    const at::Tensor wanted = tensorOf(golden.wanted.at("output"));
    DecodingCache cache = golden.cache();
    for (std::int64_t i = 0; i < golden.x.size(1); ++i) {
        const at::Tensor got = golden.block->extend(golden.x.narrow(1, i, 1), {}, {cache, 0});
        EXPECT_LE(difference(got, wanted.narrow(1, i, 1)), kBound);
        if (i % 2 == 1) cache.advance();
    }
    EXPECT_THROW((void)golden.block->extend(golden.x.narrow(1, 0, 2), {}, {cache, 0}), ContractError);
}

TEST(CommonBlocks, SinglePositionsWithBiasesEqualTheWholePass) {
    const torch::NoGradGuard noGrad;
    BlockCase golden("one_tower");
    const at::Tensor some = at::tensor({7, 0, 11, 3}, at::kLong);
    const QueryIndex queries = queryIndex(some, {golden.x.size(0), golden.x.size(1)}, at::kCPU);
    const at::Tensor all = golden.block(golden.x, BlockContext{}, ForwardPass{}, "block.0");
    EXPECT_LE(difference(golden.block->forwardAtPositions(golden.x, {}, queries),
                         all.view({-1, kHidden}).index_select(0, some)),
              kBound);
}

// LCM's Two-Tower denoiser layer, built from the parts as its family will.
TEST(CommonBlocks, DenoiserLayerWithAdaptiveNormAndCrossAttention) {
    const json& wanted = golden().at("denoiser");
    const NormSettings rms{NormSettings::Kind::RmsNorm, 1e-5};
    Parts parts;
    ModulatedNorm attentionNorm = parts.register_module("attention_norm", ModulatedNorm(kHidden, rms)),
                  crossNorm = parts.register_module("cross_norm", ModulatedNorm(kHidden, rms)),
                  ffnNorm = parts.register_module("ffn_norm", ModulatedNorm(kHidden, rms));
    Linear value = parts.register_module("value", Linear(kHidden, kHidden)),
           valueOut = parts.register_module("value_out", Linear(kHidden, kHidden)),
           modulation = parts.register_module("modulation", Linear(kHidden, 9 * kHidden));
    CrossAttention cross = parts.register_module("cross", CrossAttention(kHidden, kHeads));
    Mlp ffn =
        parts.register_module("ffn", Mlp(MlpImpl::Widths{kHidden, kFfn, kHidden}, MlpActivation::SwiGlu));
    setWeights(parts, wanted);
    const at::Tensor x = input(wanted, "x"), keys = input(wanted, "keys"),
                     condition = input(wanted, "condition");

    const std::vector<at::Tensor> m = modulationVectors(modulation, at::silu(condition), 9);
    const ForwardPass pass;
    at::Tensor y = addGated(x, valueOut(value(attentionNorm(x, Modulation{m[0], m[1], {}}))), m[2], pass, "");
    y = addGated(
        y, cross(crossNorm(y, Modulation{m[3], m[4], {}}), cross->project(keys), causalMask(x.size(1), x)),
        m[5], pass, "");
    y = addGated(y, ffn(ffnNorm(y, Modulation{m[6], m[7], {}})), m[8], pass, "");
    expectGolden(wanted, parts, y, {{"x", x}, {"keys", keys}, {"condition", condition}});
}

const MlpActivation kBertActivation = MlpActivation::Gelu;

TEST(CommonBlocks, BertEncoderWithPaddingAndTokenTypes) {
    const json& wanted = golden().at("bert");
    BertEncoder bert(BertSizes{.vocabulary = wanted.at("vocabulary"),
                               .maxPositions = wanted.at("positions"),
                               .layers = wanted.at("layers"),
                               .layer = {kHidden, kHeads, kFfn, kBertActivation, 1e-12}});
    setWeights(*bert, wanted);
    const auto lengths = wanted.at("lengths").get<std::vector<std::int32_t>>();
    const at::Tensor ids = tensorOf(wanted.at("ids")).to(at::kLong),
                     types = tensorOf(wanted.at("types")).to(at::kLong),
                     mask = attentionMask(lengths, ids.size(1), at::kCPU),
                     real = realPositions(lengths, ids.size(1), at::kCPU).unsqueeze(2);
    EXPECT_LE(
        difference(bert(ids, at::Tensor(), mask, ForwardPass{}) * real, tensorOf(wanted.at("first_type"))),
        kBound);
    expectGolden(wanted, *bert, bert(ids, types, mask, ForwardPass{}) * real, {});
    EXPECT_THROW((void)bert(at::zeros({1, 8}, at::kLong), at::Tensor(), at::Tensor(), ForwardPass{}),
                 ContractError);

    BertEncoder without(BertSizes{
        .vocabulary = 9, .maxPositions = 7, .tokenTypes = 0, .layers = 1, .layer = {kHidden, kHeads, kFfn}});
    EXPECT_FALSE(without->named_parameters().contains("token_types.weight"));
    EXPECT_THROW((void)without->embed(ids, types, ForwardPass{}), ContractError);
}

TEST(CommonBlocks, DecoderLayerOfBertsKind) {
    const json& wanted = golden().at("decoder");
    DecoderLayer layer(LayerSizes{kHidden, kHeads, kFfn, kBertActivation, 1e-12});
    setWeights(*layer, wanted);
    const auto lengths = wanted.at("lengths").get<std::vector<std::int32_t>>();
    const at::Tensor x = input(wanted, "x"), memory = input(wanted, "memory");
    const at::Tensor output =
        layer(x, layer->cross->project(memory),
              DecoderLayerImpl::Masks{{}, attentionMask(lengths, memory.size(1), at::kCPU)}, ForwardPass{},
              "decoder.0");
    expectGolden(wanted, *layer, output, {{"x", x}, {"memory", memory}});
}

TEST(CommonBlocks, TimeEmbedding) {
    const json& wanted = golden().at("time");
    const at::Tensor t = tensorOf(wanted.at("t")), features = tensorOf(wanted.at("features"));
    EXPECT_LE(difference(sinusoidFeatures(t, features.size(1)), features), kBound);
    TimeEmbedding embedding(MlpImpl::Widths{features.size(1), kFfn, kHidden});
    setWeights(*embedding, wanted);
    EXPECT_LE(difference(embedding(t[2]), tensorOf(wanted.at("output"))[2]), kBound);
    expectGolden(wanted, *embedding, embedding(t), {});
    EXPECT_THROW((void)sinusoidFeatures(t, 5), ContractError);
}

TEST(CommonBlocks, MasksAllowWhatTheyName) {
    const json& wanted = golden().at("masks");
    const auto prefixes = wanted.at("prefixes").get<std::vector<std::int32_t>>();
    const std::int64_t length = wanted.at("length");
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const at::Tensor like = at::zeros({1}, type);
        const auto expectMask = [&](const at::Tensor& mask, const char* name) {
            EXPECT_EQ(mask.scalar_type(), type);
            EXPECT_TRUE(at::exp(mask).to(at::kDouble).equal(tensorOf(wanted.at(name)))) << name;
        };
        expectMask(causalMask(length, like), "causal");
        expectMask(blockCausalMask(length, wanted.at("block"), like), "block_causal");
        expectMask(prefixMask(prefixes, length, like).squeeze(1), "prefix");
    }
}

}  // namespace
}  // namespace kurve::models
