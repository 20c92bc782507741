#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/text/published/byte_alphabet.h"
#include "core/text/published/byte_bpe_table.h"

namespace kurve::text::detail {
namespace {

struct AddedSpecial {
    const char* token;
    std::int32_t after;  ///< ids after the last rank
};

/// What tiktoken_ext/openai_public.py says of an encoding.
struct TiktokenEncoding {
    const char* name;
    const char* pattern;
    std::vector<AddedSpecial> specials;
};

constexpr const char* kGpt2 =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr const char* kCl100k =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$)"
    R"(|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr const char* kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::vector<TiktokenEncoding> encodings() {
    return {{"gpt2", kGpt2, {{"<|endoftext|>", 0}}},
            {"r50k_base", kGpt2, {{"<|endoftext|>", 0}}},
            {"cl100k_base",
             kCl100k,
             {{"<|endoftext|>", 1},
              {"<|fim_prefix|>", 2},
              {"<|fim_middle|>", 3},
              {"<|fim_suffix|>", 4},
              {"<|endofprompt|>", 20}}},
            {"o200k_base", kO200k, {{"<|endoftext|>", 1}, {"<|endofprompt|>", 20}}}};
}

int base64Digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> fromBase64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    for (int pads = 0; pads < 2 && text.ends_with('='); ++pads) text.remove_suffix(1);
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        const int digit = base64Digit(c);
        if (digit < 0) return std::nullopt;
        bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFU;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU));
    }
    return bytes;
}

struct RankedToken {
    std::string bytes;
    std::int64_t rank = 0;
};

std::optional<RankedToken> rankedToken(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    auto bytes = fromBase64(line.substr(0, space));
    if (!bytes) return std::nullopt;
    RankedToken token{std::move(*bytes), 0};
    const auto [end, error] = std::from_chars(line.data() + space + 1, line.data() + line.size(), token.rank);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    return token;
}

Result<PublishedVocabulary> readRanks(const std::string& text) {
    PublishedVocabulary vocabulary;
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        const std::string_view trimmed = trim(line);
        if (trimmed.empty()) continue;
        const auto token = rankedToken(trimmed);
        if (!token)
            return damagedTokenizer(fmt::format("line {} is no token in base64 and its rank", number));
        KURVE_CHECKED(placeToken(vocabulary, token->rank, spellBytes(token->bytes)));
    }
    return vocabulary;
}

Status addSpecials(const TiktokenEncoding& encoding, PublishedVocabulary& vocabulary) {
    const auto end = static_cast<std::int32_t>(vocabulary.tokens.size());
    for (const auto& [token, after] : encoding.specials) {
        KURVE_CHECKED(placeToken(vocabulary, end + after, token));
        vocabulary.hidden.back() = true;
    }
    vocabulary.special.bos = vocabulary.special.eos = end + encoding.specials.front().after;
    return {};
}

/// Special tokens as they are written, the others as the bytes that they spell.
std::vector<std::string> bytesOf(const PublishedVocabulary& vocabulary) {
    std::vector<std::string> bytes;
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
        bytes.push_back(vocabulary.hidden[id] ? vocabulary.tokens[id]
                                              : bytesOfSpelling(vocabulary.tokens[id]).value_or(""));
    return bytes;
}

}  // namespace

Result<PublishedTokenizer> readTiktoken(const std::filesystem::path& file) {
    const std::string name = file.stem().string();
    const auto known = encodings();
    const auto encoding =
        std::find_if(known.begin(), known.end(), [&](const auto& e) { return e.name == name; });
    if (encoding == known.end())
        return unsupportedPart("encoding", name,
                               "gpt2, r50k_base, cl100k_base, o200k_base as the file's name");
    KURVE_TRY(const std::string text, readTokenizerFile(file));
    ByteBpeParts parts;
    KURVE_TRY(parts.vocabulary, readRanks(text));
    KURVE_CHECKED(addSpecials(*encoding, parts.vocabulary));
    sealVocabulary(parts.vocabulary, "tiktoken " + name, text);
    parts.bytes = bytesOf(parts.vocabulary);
    parts.wholeWords = std::make_shared<const TokenIds>(idsByBytes(parts.vocabulary));
    KURVE_TRY(parts.idsOfBytes, findSingleBytes(*parts.wholeWords));
    parts.merges = std::make_unique<RankMerges>(parts.wholeWords);
    SplitStep step;
    KURVE_TRY(step.pattern, SplitPattern::compile(encoding->pattern, PatternDialect::Rust));
    parts.steps.push_back(std::move(step));
    return PublishedTokenizer{makeByteBpe(std::move(parts)), "tiktoken"};
}

}  // namespace kurve::text::detail
