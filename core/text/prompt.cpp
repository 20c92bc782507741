#include "core/text/prompt.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/text/lower_case.h"
#include "core/text/sentences.h"

namespace kurve::text {
namespace {

constexpr std::array<const char*, 4> kNames = {"source", "nothing", "prefix", "infill"};
constexpr std::string_view kBlank = "[MASK", kSpace = "▁";
constexpr std::int64_t kMostMasked = 4096;

/// A blank in a text: where it stands and how many tokens it has.
struct Blank {
    std::size_t from = 0, end = 0;
    std::int64_t tokens = 1;
};

Error blankError(std::string_view text, std::size_t at) {
    return requestError("prompt.blank", fmt::format("“{}” is no blank", text.substr(at, 12)))
        .at("infill")
        .fix(fmt::format("write [MASK] for one token or [MASK:5] for five, up to {}", kMostMasked));
}

/// The first blank from `at`, nothing where there is none.
Result<std::optional<Blank>> nextBlank(std::string_view text, std::size_t at) {
    const std::size_t from = text.find(kBlank, at), body = from + kBlank.size();
    if (from == std::string_view::npos) return std::optional<Blank>();
    Blank blank{from, body + 1, 1};
    if (body < text.size() && text[body] == ']') return std::optional(blank);
    if (body >= text.size() || text[body] != ':') return blankError(text, from);
    const auto parsed = std::from_chars(text.data() + body + 1, text.data() + text.size(), blank.tokens);
    const auto close = static_cast<std::size_t>(parsed.ptr - text.data());
    if (parsed.ec != std::errc() || close >= text.size() || text[close] != ']' || blank.tokens < 1 ||
        blank.tokens > kMostMasked)
        return blankError(text, from);
    blank.end = close + 1;
    return std::optional(blank);
}

/// How a token that begins a word is spelled where it continues one; nothing for one that begins no word.
std::optional<std::string> continuing(const Tokenizer& tokenizer, std::int32_t id) {
    const std::string token = tokenizer.token(id);
    if (id == tokenizer.special().unk || tokenizer.wordBoundary() == WordBoundary::Byte) return std::nullopt;
    if (tokenizer.wordBoundary() == WordBoundary::Mark)
        return token.starts_with(kSpace) ? std::optional(token.substr(kSpace.size())) : std::nullopt;
    return isPunctuation(codePoints(token).front()) ? std::nullopt : std::optional("##" + token);
}

/// Ids of a text that follows a token without a space between.
Result<std::vector<std::int32_t>> continuation(const Tokenizer& tokenizer, std::string_view text) {
    std::vector<std::int32_t> ids = tokenizer.encode(text);
    const auto bare = ids.empty() ? std::nullopt : continuing(tokenizer, ids.front());
    if (!bare) return ids;
    if (bare->empty()) {
        ids.erase(ids.begin());
        return ids;
    }
    for (std::int32_t id = 0; id < tokenizer.vocabularySize(); ++id)
        if (tokenizer.token(id) == *bare) {
            ids.front() = id;
            return ids;
        }
    return requestError("prompt.spelling",
                        fmt::format("the tokenizer has no token “{}” without a space before it", *bare))
        .at("infill")
        .fix("put a space behind the blank, or a longer blank over the whole word");
}

/// Ids of a part around blanks.
Result<std::vector<std::int32_t>> encodePart(const Tokenizer& tokenizer, std::string_view part, bool first) {
    const std::string_view bare = trim(part);
    if (bare.empty()) return std::vector<std::int32_t>();
    if (!first && part.front() != ' ') return continuation(tokenizer, bare);
    const bool spaceFirst = !first && tokenizer.wordBoundary() == WordBoundary::Byte;
    return tokenizer.encode(spaceFirst ? " " + std::string(bare) : std::string(bare));
}

/// Encodes the parts around the blanks.
Result<TextTemplate> infillTemplate(const Tokenizer& tokenizer, std::string_view text) {
    TextTemplate known{{tokenizer.special().bos}, false};
    std::size_t at = 0;
    for (;;) {
        KURVE_TRY(const std::optional<Blank> blank, nextBlank(text, at));
        const std::string_view part = text.substr(at, blank ? blank->from - at : std::string_view::npos);
        KURVE_TRY(const auto ids, encodePart(tokenizer, part, at == 0));
        known.ids.insert(known.ids.end(), ids.begin(), ids.end());
        if (!blank) break;
        known.ids.insert(known.ids.end(), static_cast<std::size_t>(blank->tokens), tokenizer.special().mask);
        at = blank->end;
    }
    if (at == 0)
        return requestError("prompt.no_blank", "the text has no blank")
            .at("infill")
            .fix("write [MASK] for each token that is to be filled in");
    known.ids.push_back(tokenizer.special().eos);
    return known;
}

std::vector<std::string> documentLines(const std::string& text, const DocumentRules& rules) {
    const std::vector<std::string> lines = split(text, '\n');
    std::vector<std::string> sentences;
    if (lines.size() == 1) {
        sentences = sentencesOf(text, rules.cap);
    } else {
        for (const std::string& line : lines)
            std::ranges::move(capped(line, rules.cap), std::back_inserter(sentences));
    }
    if (!rules.promptEnd.empty() && (sentences.empty() || sentences.back() != rules.promptEnd))
        sentences.push_back(rules.promptEnd);
    return sentences;
}

std::vector<std::vector<std::int32_t>> sentencesIn(const Tokenizer& tokenizer, const std::string& text,
                                                   const DocumentRules& rules) {
    std::vector<std::vector<std::int32_t>> sentences;
    for (const std::string& sentence : documentLines(text, rules)) {
        std::vector<std::int32_t> ids = tokenizer.encode(sentence);
        ids.insert(ids.begin(), tokenizer.special().bos);
        ids.push_back(tokenizer.special().eos);
        sentences.push_back(std::move(ids));
    }
    return sentences;
}

}  // namespace

const char* promptKindName(PromptKind kind) {
    return kNames[static_cast<std::size_t>(kind)];
}

Result<PromptKind> promptKindOf(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == kNames[i]) return static_cast<PromptKind>(i);
    return requestError("prompt.kind", fmt::format("“{}” is no kind of prompt", name))
        .at("prompt")
        .fix("known: source, nothing, prefix, infill");
}

Prompt textPrompt(std::string line) {
    const PromptKind kind = line.find(kBlank) == std::string::npos ? PromptKind::Prefix : PromptKind::Infill;
    return {std::move(line), kind};
}

std::optional<DocumentRules> documentRules(const RunConfig& config) {
    if (!isDocuments(config)) return std::nullopt;
    return DocumentRules{static_cast<std::size_t>(config.integer("data.sentence_cap")),
                         config.text("data.prompt_end")};
}

Result<EncodedPrompt> encodePrompt(const Tokenizers& tokenizers, const Prompt& prompt,
                                   const std::optional<DocumentRules>& maybeDocuments) {
    EncodedPrompt out;
    out.known.ids = {tokenizers.target->special().bos};
    switch (prompt.kind) {
        case PromptKind::Source:
            out.source = tokenizers.source->encode(prompt.text);
            out.source.insert(out.source.begin(), tokenizers.source->special().bos);
            out.source.push_back(tokenizers.source->special().eos);
            break;
        case PromptKind::Nothing:
            break;
        case PromptKind::Prefix: {
            if (maybeDocuments) {
                out.known.sentences = sentencesIn(*tokenizers.target, prompt.text, *maybeDocuments);
                break;
            }
            const auto ids = tokenizers.target->encode(trim(prompt.text));
            out.known.ids.insert(out.known.ids.end(), ids.begin(), ids.end());
            break;
        }
        case PromptKind::Infill: {
            KURVE_TRY(out.known, infillTemplate(*tokenizers.target, prompt.text));
            break;
        }
    }
    return out;
}

}  // namespace kurve::text
