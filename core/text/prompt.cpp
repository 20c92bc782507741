#include "core/text/prompt.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/text.h"

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

/// Ids of a text that follows a token without a space between.
Result<std::vector<std::int32_t>> continuation(const Tokenizer& tokenizer, std::string_view text) {
    std::vector<std::int32_t> ids = tokenizer.encode(text);
    if (ids.empty() || ids.front() == kUnk) return ids;
    const std::string first = tokenizer.token(ids.front());
    if (!first.starts_with(kSpace)) return ids;
    const std::string bare = first.substr(kSpace.size());
    if (bare.empty()) {
        ids.erase(ids.begin());
        return ids;
    }
    for (std::int32_t id = kFirstRegularToken; id < tokenizer.vocabularySize(); ++id)
        if (tokenizer.token(id) == bare) {
            ids.front() = id;
            return ids;
        }
    return requestError("prompt.spelling",
                        fmt::format("the tokenizer has no token “{}” without a space before it", bare))
        .at("infill")
        .fix("put a space behind the blank, or a longer blank over the whole word");
}

/// Encodes the parts around the blanks.
Result<TextTemplate> infillTemplate(const Tokenizer& tokenizer, std::string_view text) {
    TextTemplate known{{kBos}, false};
    std::size_t at = 0;
    for (;;) {
        KURVE_TRY(const std::optional<Blank> blank, nextBlank(text, at));
        const std::string_view part = text.substr(at, blank ? blank->from - at : std::string_view::npos);
        const bool continues = at > 0 && !part.empty() && part.front() != ' ';
        if (!trim(part).empty()) {
            KURVE_TRY(const auto ids, continues
                                          ? continuation(tokenizer, trim(part))
                                          : Result<std::vector<std::int32_t>>(tokenizer.encode(trim(part))));
            known.ids.insert(known.ids.end(), ids.begin(), ids.end());
        }
        if (!blank) break;
        known.ids.insert(known.ids.end(), static_cast<std::size_t>(blank->tokens), kMask);
        at = blank->end;
    }
    if (at == 0)
        return requestError("prompt.no_blank", "the text has no blank")
            .at("infill")
            .fix("write [MASK] for each token that is to be filled in");
    known.ids.push_back(kEos);
    return known;
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

Result<EncodedPrompt> encodePrompt(const Tokenizers& tokenizers, const Prompt& prompt) {
    EncodedPrompt out;
    switch (prompt.kind) {
        case PromptKind::Source:
            out.source = tokenizers.source->encode(prompt.text);
            out.source.insert(out.source.begin(), kBos);
            out.source.push_back(kEos);
            break;
        case PromptKind::Nothing:
            break;
        case PromptKind::Prefix: {
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
