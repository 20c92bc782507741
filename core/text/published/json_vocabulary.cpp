#include "core/text/published/json_vocabulary.h"

#include <nlohmann/json.hpp>

namespace kurve::text::detail {
namespace {

using nlohmann::json;

Result<std::int64_t> idIn(const json& value, const std::string& token) {
    if (!value.is_number_integer()) return damagedTokenizer("the id of \"" + token + "\" is no whole number");
    return value.get<std::int64_t>();
}

Status addModelTokens(const json& vocab, JsonVocabulary& out) {
    out.ids.reserve(vocab.size());
    for (const auto& [token, value] : vocab.get_ref<const json::object_t&>()) {
        KURVE_TRY(const std::int64_t id, idIn(value, token));
        KURVE_CHECKED(placeToken(out.vocabulary, id, token));
        out.ids.emplace(token, static_cast<std::int32_t>(id));
    }
    return {};
}

/// Returns those tokens by their text.
Result<TokenIds> addAddedTokens(const json& list, JsonVocabulary& out) {
    TokenIds added;
    for (const json& entry : list) {
        const std::string content = entry.at("content");
        KURVE_TRY(const std::int64_t id, idIn(entry.at("id"), content));
        KURVE_CHECKED(placeToken(out.vocabulary, id, content));
        if (entry.value("special", false)) out.vocabulary.hidden[static_cast<std::size_t>(id)] = true;
        added.emplace(content, static_cast<std::int32_t>(id));
    }
    return added;
}

std::int32_t idOrNone(const TokenIds& ids, std::string_view token) {
    const auto found = ids.find(token);
    return found == ids.end() ? SpecialIds::kNone : found->second;
}

}  // namespace

std::string typeOf(const json& part) {
    return part.is_object() ? part.value("type", std::string()) : std::string(part.type_name());
}

json partOf(const json& spec, const char* name) {
    return spec.value(name, json());
}

Result<JsonVocabulary> readJsonVocabulary(const json& spec, const json& config, SpecialSource source) {
    JsonVocabulary out;
    KURVE_CHECKED(addModelTokens(spec.at("model").at("vocab"), out));
    KURVE_TRY(const TokenIds added, addAddedTokens(spec.value("added_tokens", json::array()), out));
    const auto everywhere = [&](std::string_view token) {
        const std::int32_t id = idOrNone(added, token);
        return id == SpecialIds::kNone ? idOrNone(out.ids, token) : id;
    };
    const auto amongAdded = [&](std::string_view token) { return idOrNone(added, token); };
    SpecialIds& special = out.vocabulary.special;
    special =
        source == SpecialSource::AddedTokens ? usualSpecialIds(amongAdded) : usualSpecialIds(everywhere);
    KURVE_CHECKED(nameSpecialIds(config, everywhere, special));
    return out;
}

}  // namespace kurve::text::detail
