#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/dataset.h"
#include "core/text/sentences.h"

namespace kurve::text {

/// What a generation begins from.
enum class PromptKind : std::uint8_t {
    Source,   ///< a text to be rewritten
    Nothing,  ///< an unconditional sample
    Prefix,   ///< a text that goes on
    Infill,   ///< a text with blanks: "[MASK]" is one token, "[MASK:5]" five
};
/// "source", "nothing", "prefix", "infill"
[[nodiscard]] const char* promptKindName(PromptKind kind);
/// Errors: prompt.kind.
Result<PromptKind> promptKindOf(std::string_view name);

struct Prompt {
    std::string text;
    PromptKind kind = PromptKind::Source;
};
/// A line of data.prompts of a text model: with blanks to fill in, else a prefix.
[[nodiscard]] Prompt textPrompt(std::string line);

/// How a document's prompt becomes sentences: as the documents of a training do.
struct DocumentRules {
    std::size_t cap = kSentenceCap;  ///< data.sentence_cap
    std::string promptEnd = {};      ///< data.prompt_end; put behind a prompt that does not end so
};
/// Empty without documents.
[[nodiscard]] std::optional<DocumentRules> documentRules(const RunConfig& config);

/// What is known of a text that is to be generated.
struct TextTemplate {
    std::vector<std::int32_t> ids;  ///< from BOS; the mask where a token is to be generated
    bool open = true;               ///< goes on after ids; else it ends there, with EOS
    /// Of a document its first sentences, with BOS and EOS; the ids are then BOS alone.
    std::vector<std::vector<std::int32_t>> sentences = {};
};
struct EncodedPrompt {
    std::vector<std::int32_t> source;  ///< with BOS and EOS; empty for every kind but Source
    TextTemplate known = {};
};
/// A document's prefix is its lines, cut at the cap, or where it has one line alone, that line's sentences.
/// A blank takes the space before it; what follows without a space continues the blank's word. Errors:
/// prompt.no_blank, prompt.blank (a number of tokens that is none), prompt.spelling.
Result<EncodedPrompt> encodePrompt(const Tokenizers& tokenizers, const Prompt& prompt,
                                   const std::optional<DocumentRules>& maybeDocuments = {});

}  // namespace kurve::text
