#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/text/published/json_vocabulary.h"
#include "core/text/published/word_piece.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;

Result<std::optional<BertNormalization>> readNormalization(const json& part) {
    const std::string type = typeOf(part);
    if (type == "null") return std::optional<BertNormalization>();
    if (type != "BertNormalizer")
        return unsupportedPart("normalizer", type, "BertNormalizer or none for WordPiece");
    BertNormalization out;
    out.cleansText = part.value("clean_text", true);
    out.spacesChinese = part.value("handle_chinese_chars", true);
    out.lowersCase = part.value("lowercase", true);
    const json strips = partOf(part, "strip_accents");
    out.stripsAccents = strips.is_null() ? out.lowersCase : strips.get<bool>();
    return std::optional(out);
}

Status readDecoder(const json& part, WordPieceParts& out) {
    const std::string type = typeOf(part);
    if (type == "null") return {};
    if (type != "WordPiece") return unsupportedPart("decoder", type, "WordPiece or none for WordPiece");
    if (const std::string prefix = part.at("prefix"); prefix != out.continuation)
        return unsupportedPart("decoder's prefix", prefix, "the model's, \"" + out.continuation + "\"");
    out.tidiesSpaces = part.at("cleanup").get<bool>();
    return {};
}

Status readUnknown(const json& model, const TokenIds& ids, SpecialIds& special) {
    const std::string unknown = model.at("unk_token");
    const auto found = ids.find(unknown);
    if (found == ids.end())
        return damagedTokenizer("the token for unknown words, \"" + unknown + "\", is not in the vocabulary");
    special.unk = found->second;
    return {};
}

TokenIds withoutHidden(TokenIds ids, const PublishedVocabulary& vocabulary) {
    std::erase_if(
        ids, [&](const auto& entry) { return vocabulary.hidden[static_cast<std::size_t>(entry.second)]; });
    return ids;
}

PublishedTokenizer finish(WordPieceParts parts, TokenIds ids) {
    parts.ids = withoutHidden(std::move(ids), parts.vocabulary);
    return {makeWordPiece(std::move(parts)), "wordpiece"};
}

bool isCased(const std::vector<std::string>& tokens) {
    const auto hasCapital = [](const std::string& token) {
        const bool special = token.starts_with('[') && token.ends_with(']');
        return !special &&
               std::any_of(token.begin(), token.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    };
    return std::any_of(tokens.begin(), tokens.end(), hasCapital);
}

BertNormalization normalizationOfList(const json& config, const std::vector<std::string>& tokens) {
    BertNormalization out;
    out.lowersCase = config.value("do_lower_case", !isCased(tokens));
    out.spacesChinese = config.value("tokenize_chinese_chars", true);
    const json strips = partOf(config, "strip_accents");
    out.stripsAccents = strips.is_boolean() ? strips.get<bool>() : out.lowersCase;
    return out;
}

/// Tokens by their lines; of a token that is there twice, the last line counts, as in BERT.
Result<JsonVocabulary> readLines(const std::string& bytes) {
    if (firstInvalidUtf8(bytes)) return damagedTokenizer("is no UTF-8");
    JsonVocabulary out;
    std::vector<std::string> lines = split(bytes, '\n');
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    for (std::size_t id = 0; id < lines.size(); ++id) {
        if (lines[id].ends_with('\r')) lines[id].pop_back();
        KURVE_CHECKED(placeToken(out.vocabulary, static_cast<std::int64_t>(id), lines[id]));
        out.ids.insert_or_assign(lines[id], static_cast<std::int32_t>(id));
    }
    return out;
}

Result<PublishedTokenizer> readList(const std::string& bytes, const json& config) {
    KURVE_TRY(JsonVocabulary read, readLines(bytes));
    const auto idOf = [&](std::string_view token) {
        const auto found = read.ids.find(token);
        return found == read.ids.end() ? SpecialIds::kNone : found->second;
    };
    WordPieceParts parts;
    read.vocabulary.special = usualSpecialIds(idOf);
    KURVE_CHECKED(nameSpecialIds(config, idOf, read.vocabulary.special));
    if (read.vocabulary.special.unk == SpecialIds::kNone)
        return damagedTokenizer("has no token for unknown words ([UNK])");
    const BertNormalization normalization = normalizationOfList(config, read.vocabulary.tokens);
    parts.normalization = normalization;
    parts.vocabulary = std::move(read.vocabulary);
    sealVocabulary(parts.vocabulary,
                   fmt::format("wordpiece {} {} {}", normalization.lowersCase, normalization.spacesChinese,
                               normalization.stripsAccents),
                   bytes);
    return finish(std::move(parts), std::move(read.ids));
}

}  // namespace

Result<PublishedTokenizer> readWordPiece(const json& spec, const json& config, const std::string& bytes) {
    const json& model = spec.at("model");
    if (const std::string type = typeOf(partOf(spec, "pre_tokenizer")); type != "BertPreTokenizer")
        return unsupportedPart("pre_tokenizer", type, "BertPreTokenizer for WordPiece");
    WordPieceParts parts;
    KURVE_TRY(parts.normalization, readNormalization(partOf(spec, "normalizer")));
    parts.continuation = model.at("continuing_subword_prefix");
    parts.longestWord = model.at("max_input_chars_per_word");
    KURVE_CHECKED(readDecoder(partOf(spec, "decoder"), parts));
    KURVE_TRY(JsonVocabulary read, readJsonVocabulary(spec, config, SpecialSource::WholeVocabulary));
    KURVE_CHECKED(readUnknown(model, read.ids, read.vocabulary.special));
    parts.vocabulary = std::move(read.vocabulary);
    sealVocabulary(parts.vocabulary, "wordpiece", bytes);
    return finish(std::move(parts), std::move(read.ids));
}

Result<PublishedTokenizer> readTokenList(const std::filesystem::path& file) {
    KURVE_TRY(const std::string bytes, readTokenizerFile(file));
    KURVE_TRY(const json config, readTokenizerConfig(file));
    try {
        return readList(bytes, config);
    } catch (const json::exception& problem) {  // a setting of another type
        return damagedTokenizer(problem.what());
    }
}

}  // namespace kurve::text::detail
