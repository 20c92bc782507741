#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/text/tokenizer.h"

namespace kurve::text::detail {

/// The files that every tokenizer's folder has: what it is, and its tokens by id.
inline constexpr const char *kAbout = "tokenizer.json", *kTable = "vocab.tsv";
/// "kind" of a published one.
inline constexpr const char* kPublishedKind = "published";

/// id, token and its count in the training text.
[[nodiscard]] std::string vocabularyTable(const Tokenizer& tokenizer, std::span<const std::string> lines);
/// Writes the files into a new folder, all or none. Errors: io.write.
Status writeTokenizerFolder(const std::filesystem::path& folder,
                            const std::vector<std::pair<std::string, std::string>>& files);
[[nodiscard]] Error damagedTokenizerFile(const std::filesystem::path& file, const std::string& what);

/// A folder that storePublishedTokenizer() made, as its kAbout says. Errors: tokenizer.damaged.
Result<std::shared_ptr<const Tokenizer>> loadPublished(const std::filesystem::path& folder,
                                                       const nlohmann::json& about);

}  // namespace kurve::text::detail
