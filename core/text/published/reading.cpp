#include "core/text/published/reading.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;

std::int32_t firstOf(const IdOfToken& idOf, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const std::int32_t id = idOf(name); id != SpecialIds::kNone) return id;
    return SpecialIds::kNone;
}

/// "<s>", or {"content": "<s>", …}; empty for null and where there is none.
std::string nameIn(const json& config, const char* key) {
    const json named = config.value(key, json());
    const json content = named.is_object() ? named.value("content", json()) : named;
    return content.is_string() ? content.get<std::string>() : std::string();
}

}  // namespace

Error damagedTokenizer(const std::string& what) {
    return workError("tokenizer.damaged", what).fix("get the file again from where it was published");
}

Error unsupportedPart(std::string_view part, std::string_view type, std::string_view supported) {
    return requestError("tokenizer.unsupported", fmt::format("the {} \"{}\" is not supported", part, type))
        .fix(fmt::format("supported: {}", supported));
}

Result<std::string> readTokenizerFile(const std::filesystem::path& file) {
    auto bytes = readFile(file, kModelBytes);
    if (!bytes) return damagedTokenizer(bytes.error().message).in(file.string());
    return bytes;
}

Result<json> readTokenizerConfig(const std::filesystem::path& file) {
    const std::filesystem::path beside = file.parent_path() / "tokenizer_config.json";
    std::error_code ignored;
    if (!std::filesystem::exists(beside, ignored)) return json::object();
    KURVE_TRY(const std::string bytes, readTokenizerFile(beside));
    json config = json::parse(bytes, nullptr, false);
    if (!config.is_object()) return damagedTokenizer("is no JSON object").in(beside.string());
    return config;
}

Status placeToken(PublishedVocabulary& vocabulary, std::int64_t id, const std::string& token) {
    if (id < 0 || id >= kMaxTokens)
        return damagedTokenizer(fmt::format("the token \"{}\" has the id {}", token, id));
    const auto at = static_cast<std::size_t>(id);
    if (at >= vocabulary.tokens.size()) {
        vocabulary.tokens.resize(at + 1);
        vocabulary.hidden.resize(at + 1);
    }
    std::string& there = vocabulary.tokens[at];
    if (!there.empty() && there != token)
        return damagedTokenizer(fmt::format("\"{}\" and \"{}\" have the same id {}", there, token, id));
    there = token;
    return {};
}

SpecialIds usualSpecialIds(const IdOfToken& idOf) {
    SpecialIds special;
    special.bos =
        firstOf(idOf, {"<s>", "[CLS]", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<|endoftext|>"});
    special.eos = firstOf(idOf, {"</s>", "[SEP]", "<eos>", "<|end_of_text|>", "<|endoftext|>", "<|im_end|>"});
    special.pad = firstOf(idOf, {"<pad>", "[PAD]", "<|pad|>", "<|padding|>", "<|finetune_right_pad_id|>"});
    special.unk = firstOf(idOf, {"<unk>", "[UNK]", "<|unk|>"});
    special.mask = firstOf(idOf, {"<mask>", "[MASK]", "<|mask|>", "<|mdm_mask|>"});
    return special;
}

Status nameSpecialIds(const json& config, const IdOfToken& idOf, SpecialIds& special) {
    const std::array<std::pair<const char*, std::int32_t*>, 5> parts = {{{"bos_token", &special.bos},
                                                                         {"eos_token", &special.eos},
                                                                         {"cls_token", &special.bos},
                                                                         {"sep_token", &special.eos},
                                                                         {"unk_token", &special.unk}}};
    const auto set = [&](const char* key, std::int32_t* id) -> Status {
        const std::string name = nameIn(config, key);
        if (name.empty()) return {};
        *id = idOf(name);
        if (*id == SpecialIds::kNone)
            return damagedTokenizer(
                fmt::format("tokenizer_config.json names \"{}\" as {}, which is no token", name, key));
        return {};
    };
    for (const auto& [key, id] : parts) KURVE_CHECKED(set(key, id));
    KURVE_CHECKED(set("pad_token", &special.pad));
    return set("mask_token", &special.mask);
}

void sealVocabulary(PublishedVocabulary& vocabulary, std::string_view settings, const std::string& bytes) {
    SpecialIds& special = vocabulary.special;
    // GPT-2 names <|endoftext|> as unknown, too, and no text is unknown to it.
    if (special.unk == special.eos || special.unk == special.bos) special.unk = SpecialIds::kNone;
    for (const std::int32_t id : {special.bos, special.eos, special.pad, special.unk, special.mask})
        if (id != SpecialIds::kNone) vocabulary.hidden[static_cast<std::size_t>(id)] = true;
    vocabulary.hash =
        sha256(fmt::format("published tokenizer 1\n{}\n{} {} {} {} {}\n{}", settings, special.bos,
                           special.eos, special.pad, special.unk, special.mask, sha256(bytes)));
}

}  // namespace kurve::text::detail
