#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/text/published/published_tokenizer.h"
#include "core/text/published/vocabulary_tokenizer.h"

namespace kurve::text::detail {

/// A larger id is no id: vocabularies have some 100,000 tokens, and each id takes memory.
inline constexpr std::int64_t kMaxTokens = std::int64_t{1} << 22;

/// The kinds of files. Errors as of readPublishedTokenizer(), without the file's name where it is `file`.
Result<PublishedTokenizer> readTokenizerJson(const std::filesystem::path& file);
Result<PublishedTokenizer> readTiktoken(const std::filesystem::path& file);
Result<PublishedTokenizer> readTokenList(const std::filesystem::path& file);

/// A tokenizer.json by its model; `bytes` are the file's. Exceptions of nlohmann are the caller's.
Result<PublishedTokenizer> readByteBpe(const nlohmann::json& spec, const nlohmann::json& config,
                                       const std::string& bytes);
Result<PublishedTokenizer> readWordPiece(const nlohmann::json& spec, const nlohmann::json& config,
                                         const std::string& bytes);

[[nodiscard]] Error damagedTokenizer(const std::string& what);
/// "the normalizer "Precompiled" is not supported".
[[nodiscard]] Error unsupportedPart(std::string_view part, std::string_view type, std::string_view supported);

/// Whole file. Errors: tokenizer.damaged.
Result<std::string> readTokenizerFile(const std::filesystem::path& file);
/// The object in tokenizer_config.json beside `file`; empty where there is none. Errors: tokenizer.damaged.
Result<nlohmann::json> readTokenizerConfig(const std::filesystem::path& file);

/// Puts a token at its id. Errors: tokenizer.damaged (no possible id, or another token has it).
Status placeToken(PublishedVocabulary& vocabulary, std::int64_t id, const std::string& token);
/// The id of a token, or SpecialIds::kNone.
using IdOfToken = std::function<std::int32_t(std::string_view)>;
/// Ids by the names that published tokenizers give their special tokens.
[[nodiscard]] SpecialIds usualSpecialIds(const IdOfToken& idOf);
/// Ids of the names in a tokenizer_config.json, over what is there. Errors: tokenizer.damaged (a name that is
/// no token).
Status nameSpecialIds(const nlohmann::json& config, const IdOfToken& idOf, SpecialIds& special);
/// Hides the special tokens and says what the tokenizer is made from.
void sealVocabulary(PublishedVocabulary& vocabulary, std::string_view settings, const std::string& bytes);

}  // namespace kurve::text::detail
