#include "models/sentence_encoder/published_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/inside.h"
#include "core/base/text.h"

namespace kurve::models::sentence_encoder {
namespace {

using nlohmann::json;
using train::PublishedName;
namespace fs = std::filesystem;

constexpr std::array<const char*, 1> kTypes = {"bert"};
constexpr const char* kPrefix = "bert.";

constexpr PublishedName kEmbeddings[] = {
    {"embeddings.word_embeddings.weight", "bert.words.weight"},
    {"embeddings.position_embeddings.weight", "bert.positions.weight"},
    {"embeddings.token_type_embeddings.weight", "bert.token_types.weight"},
    {"embeddings.LayerNorm.weight", "bert.embedding_norm.weight"},
    {"embeddings.LayerNorm.bias", "bert.embedding_norm.bias"}};
// A weight and a bias each.
constexpr PublishedName kLayer[] = {
    {"encoder.layer.#.attention.self.query.%", "bert.layer_#.attention.qkv.%@0/3"},
    {"encoder.layer.#.attention.self.key.%", "bert.layer_#.attention.qkv.%@1/3"},
    {"encoder.layer.#.attention.self.value.%", "bert.layer_#.attention.qkv.%@2/3"},
    {"encoder.layer.#.attention.output.dense.%", "bert.layer_#.attention.out.%"},
    {"encoder.layer.#.attention.output.LayerNorm.%", "bert.layer_#.attention_norm.%"},
    {"encoder.layer.#.intermediate.dense.%", "bert.layer_#.ffn.in.%"},
    {"encoder.layer.#.output.dense.%", "bert.layer_#.ffn.out.%"},
    {"encoder.layer.#.output.LayerNorm.%", "bert.layer_#.ffn_norm.%"}};

std::map<std::string, std::string> namesOf(std::int64_t layers) {
    auto names = train::namesFor(kEmbeddings, 1);
    const auto with = [](std::string name, const char* part) {
        return name.replace(name.find('%'), 1, part);
    };
    for (const auto& [published, own] : kLayer)
        for (const char* part : {"weight", "bias"}) {
            const std::string theirs = with(published, part), ours = with(own, part);
            const PublishedName one[] = {{theirs.c_str(), ours.c_str()}};
            names.merge(train::namesFor(one, layers));
        }
    return names;
}

/// Of BERT, but no part of a sentence's vector: the pooler, the heads of its training, positions counted up.
bool isUnused(const std::string& name) {
    return name.starts_with("pooler.") || name.starts_with("cls.") || name == "embeddings.position_ids";
}

Error unsupported(const char* key, const std::string& what, const char* known) {
    return requestError("model.config", what + ", which is not read here").at(key).fix(known);
}

Result<std::string> activationOf(const json& config) {
    const json value = config.value("hidden_act", json("gelu"));
    const std::string name = value.is_string() ? value.get<std::string>() : value.dump();
    for (const auto& [theirs, ours] : {std::pair("gelu", "gelu"), std::pair("gelu_new", "gelu-tanh"),
                                       std::pair("gelu_pytorch_tanh", "gelu-tanh"), std::pair("relu", "relu"),
                                       std::pair("silu", "silu"), std::pair("swish", "silu")})
        if (name == theirs) return std::string(ours);
    return unsupported("hidden_act", "has the activation \"" + name + "\"",
                       "known: gelu, gelu_new, gelu_pytorch_tanh, relu, silu, swish");
}

Status checkPlainBert(const json& config) {
    const json positions = config.value("position_embedding_type", json("absolute"));
    if (positions != "absolute")
        return unsupported("position_embedding_type", "has positions of the type " + positions.dump(),
                           "known: absolute");
    const json decoder = config.value("is_decoder", json(false));
    if (decoder != false)
        return unsupported("is_decoder", "is a decoder", "give a model that reads both ways");
    return {};
}

Result<double> epsilonOf(const json& config) {
    const json value = config.value("layer_norm_eps", json(1e-12));
    if (value.is_number() && value.get<double>() > 0) return value.get<double>();
    return requestError("model.config", "\"layer_norm_eps\" must be a number above 0").at("layer_norm_eps");
}

struct SentencePart {
    std::string pooling = "mean";
    bool normalize = false;
};

/// JSON of a file; null where there is none.
Result<json> jsonOf(const fs::path& file) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return json();
    KURVE_TRY(const std::string text, readFile(file));
    json read = json::parse(text, nullptr, false);
    if (read.is_discarded()) return requestError("model.config", "is no JSON").in(file.string());
    return read;
}

/// Of {"pooling_mode_mean_tokens": true, …}.
Result<std::string> poolingOf(const fs::path& file) {
    KURVE_TRY(const json config, jsonOf(file));
    if (!config.is_object()) return std::string("mean");
    std::vector<std::string> modes;
    for (const auto& [key, value] : config.items())
        if (key.starts_with("pooling_mode_") && value == true) modes.push_back(key);
    constexpr const char *kMean = "pooling_mode_mean_tokens", *kFirst = "pooling_mode_cls_token";
    if (modes.empty() || modes == std::vector<std::string>{kMean}) return std::string("mean");
    if (modes == std::vector<std::string>{kFirst}) return std::string("first");
    const auto other = std::find_if(modes.begin(), modes.end(),
                                    [&](const auto& mode) { return mode != kMean && mode != kFirst; });
    return unsupported(other == modes.end() ? kFirst : other->c_str(),
                       "pools its states by " + join(modes, ", "),
                       "known: pooling_mode_mean_tokens or pooling_mode_cls_token, one of them")
        .in(file.string());
}

/// Of a list of {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}.
Result<SentencePart> sentencePart(const fs::path& folder) {
    const fs::path file = folder / "modules.json";
    KURVE_TRY(const json modules, jsonOf(file));
    SentencePart part;
    if (!modules.is_array()) return part;
    for (const json& module : modules) {
        const json type = module.is_object() ? module.value("type", json()) : json(),
                   path = module.is_object() ? module.value("path", json("")) : json();
        const std::string name = type.is_string() ? type.get<std::string>() : type.dump(),
                          kind = name.substr(name.rfind('.') + 1);
        if (kind == "Pooling" && path.is_string() && isFileName(path.get<std::string>())) {
            KURVE_TRY(part.pooling, poolingOf(folder / path.get<std::string>() / "config.json"));
        } else if (kind == "Normalize") {
            part.normalize = true;
        } else if (kind != "Transformer" || path != "") {  // NOLINT(readability-container-size-empty): JSON
            return unsupported("type", "has a module " + name + " in " + path.dump(),
                               "known: Transformer in the folder itself, Pooling, Normalize")
                .in(file.string());
        }
    }
    return part;
}

}  // namespace

bool EncoderFormat::recognises(const json& config) const {
    const json type = config.value("model_type", json());
    return type.is_string() ? type == kTypes.front() : train::namesModel(config, kTypes);
}

Result<train::PublishedModel> EncoderFormat::read(const json& config, const std::set<std::string>& tensors,
                                                  const fs::path& folder) const {
    KURVE_CHECKED(checkPlainBert(config));
    train::PublishedModel model;
    KURVE_TRY(model.vocabulary, train::sizeIn(config, "vocab_size"));
    KURVE_TRY(const std::int64_t layers, train::sizeIn(config, "num_hidden_layers"));
    KURVE_TRY(const std::string activation, activationOf(config));
    KURVE_TRY(const double epsilon, epsilonOf(config));
    KURVE_TRY(const SentencePart sentence, sentencePart(folder));
    model.preset = "minilm-l6";
    model.settings = {{"model.layers", std::to_string(layers)},
                      {"model.activation", activation},
                      {"model.norm_epsilon", fmt::format("{}", epsilon)},
                      {"model.pooling", sentence.pooling},
                      {"model.normalize", sentence.normalize ? "true" : "false"},
                      {"data.kind", "text"}};
    for (const auto& [key, setting] :
         {std::pair("hidden_size", "model.hidden"), std::pair("intermediate_size", "model.ffn"),
          std::pair("num_attention_heads", "model.heads"),
          std::pair("max_position_embeddings", "model.max_positions"),
          std::pair("type_vocab_size", "model.token_types")}) {
        KURVE_TRY(const std::int64_t size, train::sizeIn(config, key));
        model.settings.emplace_back(setting, std::to_string(size));
    }
    model.names = namesOf(layers);
    model.prefix = kPrefix;
    for (const std::string& tensor : tensors) {
        std::string name = tensor.starts_with(kPrefix) ? tensor.substr(std::string(kPrefix).size()) : tensor;
        if (isUnused(name)) model.unused.push_back(std::move(name));
    }
    return model;
}

}  // namespace kurve::models::sentence_encoder
