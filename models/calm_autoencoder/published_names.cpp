#include "models/calm_autoencoder/published_names.h"

#include <array>
#include <nlohmann/json.hpp>

namespace kurve::models::calm_autoencoder {
namespace {

using train::PublishedName;

constexpr std::array<const char*, 1> kTypes = {"autoencoder"};

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
}  // namespace

std::map<std::string, std::string> autoencoderNames(const calm_autoencoder::AutoencoderSizes& sizes) {
    auto names = train::namesFor(kAutoencoder, 1);
    names.merge(train::namesFor(kEncoderBlock, sizes.encoderLayers));
    names.merge(train::namesFor(kDecoderBlock, sizes.decoderLayers));
    return names;
}

bool AutoencoderFormat::recognises(const nlohmann::json& config) const {
    return train::namesModel(config, kTypes);
}

Result<train::PublishedModel> AutoencoderFormat::read(const nlohmann::json& config,
                                                      const std::set<std::string>& /*tensors*/,
                                                      const std::filesystem::path& /*folder*/) const {
    AutoencoderSizes sizes;
    KURVE_TRY(sizes.hidden, train::sizeIn(config, "hidden_size"));
    KURVE_TRY(sizes.ffn, train::sizeIn(config, "intermediate_size"));
    KURVE_TRY(sizes.chunk, train::sizeIn(config, "patch_size"));
    KURVE_TRY(sizes.latent, train::sizeIn(config, "latent_size"));
    KURVE_TRY(sizes.encoderLayers, train::sizeIn(config, "num_encoder_layers"));
    KURVE_TRY(sizes.decoderLayers, train::sizeIn(config, "num_decoder_layers"));
    train::PublishedModel model;
    KURVE_TRY(model.vocabulary, train::sizeIn(config, "vocab_size"));
    model.preset = "paper";
    model.settings = {{"model.hidden", std::to_string(sizes.hidden)},
                      {"model.ffn", std::to_string(sizes.ffn)},
                      {"model.encoder_layers", std::to_string(sizes.encoderLayers)},
                      {"model.decoder_layers", std::to_string(sizes.decoderLayers)},
                      {"chunk.tokens", std::to_string(sizes.chunk)},
                      {"chunk.latent", std::to_string(sizes.latent)},
                      {"data.kind", "text"}};
    model.names = autoencoderNames(sizes);
    model.repeated = {{"decoder.lm_head_weight", "encoder.embed_tokens.weight"}};
    return model;
}

}  // namespace kurve::models::calm_autoencoder
