#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/text/published/reading.h"
#include "core/text/published/token_ids.h"

namespace kurve::text::detail {

/// The tokens of a tokenizer.json, those of its model by their text.
struct JsonVocabulary {
    PublishedVocabulary vocabulary;
    TokenIds ids;
};

/// Where the usual names of special tokens are looked for; with "<s>" among its words, a model of bytes means
/// the text.
enum class SpecialSource : unsigned char { AddedTokens, WholeVocabulary };

/// Reads "model.vocab" and "added_tokens". Errors: tokenizer.damaged. Throws what nlohmann throws.
Result<JsonVocabulary> readJsonVocabulary(const nlohmann::json& spec, const nlohmann::json& config,
                                          SpecialSource source);

/// The type of a part; "null" where there is none.
[[nodiscard]] std::string typeOf(const nlohmann::json& part);
/// A member of `spec`; null where there is none.
[[nodiscard]] nlohmann::json partOf(const nlohmann::json& spec, const char* name);

}  // namespace kurve::text::detail
