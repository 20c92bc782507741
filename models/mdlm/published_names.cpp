#include "models/mdlm/published_names.h"

#include <array>
#include <nlohmann/json.hpp>

namespace kurve::models::mdlm {
namespace {

using train::PublishedName;

constexpr std::array<const char*, 2> kTypes = {"mdlm", "dit"};
constexpr std::int64_t kMlpRatio = 4;  // DDiTBlock's mlp_ratio

constexpr std::array<PublishedName, 20> kNames = {
    {{"vocab_embed.embedding", "embedding.weight"},
     {"sigma_map.mlp.0.weight", "time.in.weight"},
     {"sigma_map.mlp.0.bias", "time.in.bias"},
     {"sigma_map.mlp.2.weight", "time.out.weight"},
     {"sigma_map.mlp.2.bias", "time.out.bias"},
     {"blocks.#.norm1.weight", "block_#.attention_norm.weight"},
     {"blocks.#.attn_qkv.weight", "block_#.attention.qkv.weight"},
     {"blocks.#.attn_out.weight", "block_#.attention.out.weight"},
     {"blocks.#.norm2.weight", "block_#.ffn_norm.weight"},
     {"blocks.#.mlp.0.weight", "block_#.ffn.in.weight"},
     {"blocks.#.mlp.0.bias", "block_#.ffn.in.bias"},
     {"blocks.#.mlp.2.weight", "block_#.ffn.out.weight"},
     {"blocks.#.mlp.2.bias", "block_#.ffn.out.bias"},
     {"blocks.#.adaLN_modulation.weight", "block_#.modulation.weight"},
     {"blocks.#.adaLN_modulation.bias", "block_#.modulation.bias"},
     {"output_layer.norm_final.weight", "norm.weight"},
     {"output_layer.adaLN_modulation.weight", "modulation.weight"},
     {"output_layer.adaLN_modulation.bias", "modulation.bias"},
     {"output_layer.linear.weight", "output.weight"},
     {"output_layer.linear.bias", "output.bias"}}};

/// Both spellings of the sizes: config.json of Hugging Face, and the "model" of the code's own config.
Result<std::int64_t> sizeOf(const nlohmann::json& config, const char* key, const char* ownKey) {
    return train::sizeIn(config, config.contains(ownKey) ? ownKey : key);
}

}  // namespace

bool MdlmFormat::recognises(const nlohmann::json& config) const {
    return train::namesModel(config, kTypes);
}

Result<train::PublishedModel> MdlmFormat::read(const nlohmann::json& config,
                                               const std::set<std::string>& /*tensors*/,
                                               const std::filesystem::path& /*folder*/) const {
    KURVE_TRY(const std::int64_t hidden, sizeOf(config, "hidden_dim", "hidden_size"));
    KURVE_TRY(const std::int64_t length, sizeOf(config, "model_length", "length"));
    KURVE_TRY(const std::int64_t blocks, train::sizeIn(config, "n_blocks"));
    KURVE_TRY(const std::int64_t heads, train::sizeIn(config, "n_heads"));
    KURVE_TRY(const std::int64_t conditioning, train::sizeIn(config, "cond_dim"));
    train::PublishedModel model;
    KURVE_TRY(model.vocabulary, train::sizeIn(config, "vocab_size"));
    const auto time = config.value("time_conditioning", nlohmann::json(false));
    const bool readsTime = time.is_boolean() && time.get<bool>();
    model.preset = "small";  // the published training, and texts as it reads them
    model.settings = {{"model.hidden", std::to_string(hidden)},
                      {"model.layers", std::to_string(blocks)},
                      {"model.heads", std::to_string(heads)},
                      {"model.ffn", std::to_string(kMlpRatio * hidden)},
                      {"model.conditioning", std::to_string(conditioning)},
                      {"model.time_conditioning", readsTime ? "true" : "false"},
                      {"data.kind", "text"},
                      {"data.format", "running"},
                      {"data.block", std::to_string(length)},
                      {"data.max_length", std::to_string(length)},
                      {"sampler.ban_specials", "false"}};
    model.names = train::namesFor(kNames, blocks);
    model.computed = {"rotary_emb.inv_freq"};
    model.prefix = "backbone.";
    return model;
}

}  // namespace kurve::models::mdlm
