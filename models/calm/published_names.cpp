#include "models/calm/published_names.h"

#include <array>
#include <nlohmann/json.hpp>

#include "models/calm/calm_fields.h"
#include "models/calm/calm_model.h"
#include "models/calm_autoencoder/published_names.h"

namespace kurve::models::calm {
namespace {

using train::PublishedName;

constexpr PublishedName kBackbone[] = {
    {"transformer.layers.#.input_layernorm.weight", "block_#.attention_norm.weight"},
    {"transformer.layers.#.post_attention_layernorm.weight", "block_#.ffn_norm.weight"},
    {"transformer.layers.#.self_attn.q_proj.weight", "block_#.attention.qkv.weight@0/3"},
    {"transformer.layers.#.self_attn.k_proj.weight", "block_#.attention.qkv.weight@1/3"},
    {"transformer.layers.#.self_attn.v_proj.weight", "block_#.attention.qkv.weight@2/3"},
    {"transformer.layers.#.self_attn.o_proj.weight", "block_#.attention.out.weight"},
    {"transformer.layers.#.mlp.gate_proj.weight", "block_#.ffn.in.weight@0/2"},
    {"transformer.layers.#.mlp.up_proj.weight", "block_#.ffn.in.weight@1/2"},
    {"transformer.layers.#.mlp.down_proj.weight", "block_#.ffn.out.weight"},
    {"transformer.norm.weight", "norm.weight"}};
constexpr PublishedName kTokenInput[] = {{"transformer.embed_tokens.weight", "embedding.weight"},
                                         {"embed_proj.0.weight", "compress.in.weight"},
                                         {"embed_proj.0.bias", "compress.in.bias"},
                                         {"embed_proj.2.weight", "compress.out.weight"},
                                         {"embed_proj.2.bias", "compress.out.bias"},
                                         {"embed_proj.3.weight", "compress_norm.weight"},
                                         {"embed_proj.3.bias", "compress_norm.bias"}};
constexpr PublishedName kLatentInput[] = {{"latent_proj.weight", "latent_input.weight"},
                                          {"latent_proj.bias", "latent_input.bias"}};

/// Modules whose weight and bias have the same two names.
struct Module {
    const char *published, *own;
};
constexpr Module kEnergyHead[] = {{"noise_embd", "noise_in"},
                                  {"hidden_embd", "hidden_in"},
                                  {"norm_hidden", "hidden_norm"},
                                  {"norm_noise", "noise_norm"},
                                  {"mlp_blocks.#.in_ln", "block_#.norm"},
                                  {"mlp_blocks.#.linears.0", "block_#.first"},
                                  {"mlp_blocks.#.linears.2", "block_#.second"},
                                  {"mlp_blocks.#.linears.4", "block_#.third"},
                                  {"mlp_blocks.#.down_proj", "block_#.out"},
                                  {"final_layer.in_ln", "final_norm"},
                                  {"final_layer.linears.0", "final_in"},
                                  {"final_layer.linears.2", "final_out"}};
constexpr Module kDenoisingHead[] = {{"input_proj", "input"},
                                     {"cond_embed", "condition"},
                                     {"time_embed.mlp.0", "time.in"},
                                     {"time_embed.mlp.2", "time.out"},
                                     {"res_blocks.#.in_ln", "block_#.norm"},
                                     {"res_blocks.#.mlp.0", "block_#.mlp.in"},
                                     {"res_blocks.#.mlp.2", "block_#.mlp.out"},
                                     {"res_blocks.#.adaLN_modulation.1", "block_#.modulation"},
                                     {"final_layer.adaLN_modulation.1", "final_modulation"},
                                     {"final_layer.linear", "output"}};

std::map<std::string, std::string> namesOf(std::span<const Module> modules, std::int64_t blocks) {
    std::map<std::string, std::string> names;
    for (const Module& module : modules)
        for (const char* part : {".weight", ".bias"}) {
            const std::string published = std::string(module.published) + part,
                              own = std::string(module.own) + part;
            const PublishedName one[] = {{published.c_str(), own.c_str()}};
            names.merge(train::namesFor(one, blocks));
        }
    return names;
}

/// The head's kind, by which its class is called; null where it is none of CALM's.
const char* headOf(const nlohmann::json& config) {
    for (const char* kind : {"energy", "diffusion", "flow"})
        if (train::namesModel(config, std::array<const char*, 1>{kind})) return kind;
    return nullptr;
}

/// How many numbers stand behind `prefix` in the tensors' names.
std::int64_t blocksIn(const std::set<std::string>& tensors, const std::string& prefix) {
    std::int64_t blocks = 0;
    const auto has = [&](std::int64_t number) {
        const std::string one = prefix + std::to_string(number) + ".";
        const auto found = tensors.lower_bound(one);
        return found != tensors.end() && found->starts_with(one);
    };
    while (has(blocks)) ++blocks;
    return blocks;
}

Status checkPositions(const nlohmann::json& config, std::int64_t heads) {
    KURVE_TRY(const std::int64_t keys, train::sizeIn(config, "num_key_value_heads", heads));
    const auto theta = config.value("rope_theta", nlohmann::json(10000));
    const bool plain = keys == heads && theta.is_number() && theta.get<double>() == 10000;
    if (plain) return {};
    return requestError("model.config", keys == heads
                                            ? "has rotary positions of another base than 10,000"
                                            : "shares keys and values among heads, which is not read here")
        .at(keys == heads ? "rope_theta" : "num_key_value_heads");
}

void setHead(train::PublishedModel& model, const std::string& kind, const std::set<std::string>& tensors) {
    constexpr const char *kHead = "generative_head.", *kSame = "mlp_generator.";
    const std::int64_t blocks =
        blocksIn(tensors, std::string(kHead) + (kind == "energy" ? "mlp_blocks." : "res_blocks."));
    for (const auto& [published, own] :
         kind == "energy" ? energyHeadNames(blocks) : denoisingHeadNames(blocks)) {
        model.names.emplace(kHead + published, "head." + own);
        model.repeated.emplace(kSame + published, kHead + published);
    }
    model.settings.emplace_back("head.kind", kind);
    model.settings.emplace_back("head.blocks", std::to_string(std::max<std::int64_t>(blocks, 1)));
}

}  // namespace

std::map<std::string, std::string> backboneNames(const CalmSizes& sizes) {
    auto names = train::namesFor(kBackbone, sizes.layers);
    if (sizes.readsTokens()) names.merge(train::namesFor(kTokenInput, 1));
    if (sizes.readsLatents()) names.merge(train::namesFor(kLatentInput, 1));
    return names;
}

std::map<std::string, std::string> energyHeadNames(std::int64_t blocks) {
    return namesOf(kEnergyHead, blocks);
}

std::map<std::string, std::string> denoisingHeadNames(std::int64_t blocks) {
    return namesOf(kDenoisingHead, blocks);
}

bool CalmFormat::recognises(const nlohmann::json& config) const {
    return headOf(config) != nullptr;
}

Result<train::PublishedModel> CalmFormat::read(const nlohmann::json& config,
                                               const std::set<std::string>& tensors,
                                               const std::filesystem::path& /*folder*/) const {
    CalmSizes sizes;
    KURVE_TRY(sizes.hidden, train::sizeIn(config, "hidden_size"));
    KURVE_TRY(sizes.ffn, train::sizeIn(config, "intermediate_size"));
    KURVE_TRY(sizes.layers, train::sizeIn(config, "num_hidden_layers"));
    KURVE_TRY(sizes.heads, train::sizeIn(config, "num_attention_heads"));
    KURVE_CHECKED(checkPositions(config, sizes.heads));
    const bool tokens = tensors.contains("embed_proj.0.weight"),
               latents = tensors.contains("latent_proj.weight");
    sizes.input = tokens && latents ? ChunkInput::Both
                  : latents         ? ChunkInput::Continuous
                                    : ChunkInput::Discrete;
    train::PublishedModel model;
    KURVE_TRY(model.vocabulary, train::sizeIn(config, "vocab_size"));
    model.preset = "calm-m";
    model.settings = {{"model.hidden", std::to_string(sizes.hidden)},
                      {"model.ffn", std::to_string(sizes.ffn)},
                      {"model.layers", std::to_string(sizes.layers)},
                      {"model.heads", std::to_string(sizes.heads)},
                      {"model.input", tokens && latents ? "both"
                                      : latents         ? "continuous"
                                                        : "discrete"},
                      {"data.kind", "text"}};
    model.names = backboneNames(sizes);
    const char* const head = headOf(config);
    setHead(model, head == nullptr ? "energy" : head, tensors);
    if (tensors.contains("generative_head.noise_embd.weight")) {
        KURVE_TRY(const std::int64_t noise, train::sizeIn(config, "noise_size"));
        model.settings.emplace_back("head.noise", std::to_string(noise));
    }
    return model;
}

std::optional<train::PublishedCopy> CalmFormat::copyIn(train::SequenceModel& model) const {
    auto codec = dynamic_cast<CalmModel&>(model).codec();
    train::PublishedCopy copy{codec.get(), {}, kAutoencoder};
    for (const auto& [published, own] : calm_autoencoder::autoencoderNames(codec->sizes()))
        copy.names.emplace("ae_model." + published, own);
    copy.names.emplace("ae_model.decoder.lm_head_weight", "embedding.weight");
    return copy;
}

}  // namespace kurve::models::calm
