#include "models/calm/published_names.h"

#include "core/train/published_format.h"

namespace kurve::models::calm {
namespace {

using train::PublishedName;

// A weight and, where there is one, a bias of the same name.
constexpr PublishedName kAutoencoder[] = {{"encoder.embed_tokens.weight", "embedding.weight"},
                                          {"encoder.squeeze_layer.weight", "squeeze.weight"},
                                          {"encoder.squeeze_layer.bias", "squeeze.bias"},
                                          {"encoder.norm.weight", "encoder_norm.weight"},
                                          {"encoder.hidden_to_latent.weight", "to_latent.weight"},
                                          {"encoder.hidden_to_latent.bias", "to_latent.bias"},
                                          {"decoder.latent_to_hidden.weight", "from_latent.weight"},
                                          {"decoder.latent_to_hidden.bias", "from_latent.bias"},
                                          {"decoder.expand_layer.weight", "expand.weight"},
                                          {"decoder.expand_layer.bias", "expand.bias"},
                                          {"decoder.norm.weight", "decoder_norm.weight"}};
constexpr PublishedName kEncoderBlock[] = {
    {"encoder.encoder_layers.#.layernorm.weight", "encoder_block_#.norm.weight"},
    {"encoder.encoder_layers.#.mlp.gate_proj.weight", "encoder_block_#.ffn.in.weight@0/2"},
    {"encoder.encoder_layers.#.mlp.up_proj.weight", "encoder_block_#.ffn.in.weight@1/2"},
    {"encoder.encoder_layers.#.mlp.down_proj.weight", "encoder_block_#.ffn.out.weight"}};
constexpr PublishedName kDecoderBlock[] = {
    {"decoder.decoder_layers.#.layernorm.weight", "decoder_block_#.norm.weight"},
    {"decoder.decoder_layers.#.mlp.gate_proj.weight", "decoder_block_#.ffn.in.weight@0/2"},
    {"decoder.decoder_layers.#.mlp.up_proj.weight", "decoder_block_#.ffn.in.weight@1/2"},
    {"decoder.decoder_layers.#.mlp.down_proj.weight", "decoder_block_#.ffn.out.weight"}};
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

}  // namespace

std::map<std::string, std::string> autoencoderNames(const calm_autoencoder::AutoencoderSizes& sizes) {
    auto names = train::namesFor(kAutoencoder, 1);
    names.merge(train::namesFor(kEncoderBlock, sizes.encoderLayers));
    names.merge(train::namesFor(kDecoderBlock, sizes.decoderLayers));
    return names;
}

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

}  // namespace kurve::models::calm
