#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/special_ids.h"

namespace kurve::text {

/// The smallest data.tokenizer.vocabulary, the specials included.
inline constexpr std::int32_t kMinVocabularySize = 16;

/// How a tokenizer's tokens tell where a word begins.
enum class WordBoundary : unsigned char {
    Mark,          ///< "▁the" follows a space; encode() takes a text's first word for such a one
    Byte,          ///< a space is a byte of a token like others: "Ġthe"
    Continuation,  ///< "##s" goes on with a word
};

/// Text to ids and back. Immutable after load; callable from any thread. encode() adds no BOS or EOS and
/// never emits a special id for text that spells one ("<mask>" in the user's text is ordinary text).
class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    [[nodiscard]] virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
    /// Special tokens are left out but for unk, which shows as "⁇" or as it was published. Ids outside the
    /// vocabulary are a ContractError.
    [[nodiscard]] virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
    [[nodiscard]] virtual std::string token(std::int32_t id) const = 0;  ///< "▁the"; "<s>" for specials
    [[nodiscard]] virtual std::int32_t vocabularySize() const = 0;
    [[nodiscard]] virtual const SpecialIds& special() const = 0;
    [[nodiscard]] virtual WordBoundary wordBoundary() const = 0;
    [[nodiscard]] virtual const std::string& hash() const = 0;  ///< SHA-256 of the model and its settings
};

/// A token as people read it, whatever the tokenizer: "▁the" begins a word, "s" continues one. Of a token
/// whose bytes are no text, or that holds control characters, its own spelling.
[[nodiscard]] std::string shownToken(const Tokenizer& tokenizer, std::int32_t id);

/// Before the name of a published tokenizer in data.tokenizer.kind; it lies in data/tokenizers/NAME.
inline constexpr const char* kPublishedPrefix = "published:";

/// What to train; the data.tokenizer.* fields of an experiment.
struct TokenizerSpec {
    std::string kind = "bpe";  ///< bpe | unigram | character (SentencePiece), word, whitespace, byte
    std::int32_t vocabularySize = 2000;  ///< specials included; for character, word, whitespace the largest
    bool lowerCase = false;
    double characterCoverage = 1.0;  ///< fraction of the text's characters with a token; the rest is <unk>
};

/// SHA-256 of what a tokenizer is made from; tokenizer.json has one, or a list of all that gave the same, as
/// "made_from", so that a tokenizer that is there already need not be trained again.
[[nodiscard]] std::string trainingHash(const TokenizerSpec& spec, std::span<const std::string> lines);
/// Trains on lines (the training split only) and writes FOLDER/model.* + tokenizer.json + vocab.tsv (id,
/// token, count). Errors: tokenizer.empty_corpus, tokenizer.vocabulary (too large for the text; says the
/// largest possible).
Status trainTokenizer(const TokenizerSpec& spec, std::span<const std::string> lines,
                      const std::filesystem::path& folder);
/// Whether a folder holds one that this program wrote, not as others publish theirs.
[[nodiscard]] bool isTokenizerFolder(const std::filesystem::path& folder);
/// Errors: tokenizer.missing, tokenizer.damaged (hash in tokenizer.json does not match the model).
Result<std::shared_ptr<const Tokenizer>> loadTokenizer(const std::filesystem::path& folder);
/// loadTokenizer(), and whether the table of tokens is the one that was written with the model.
[[nodiscard]] Status checkTokenizer(const std::filesystem::path& folder);

}  // namespace kurve::text
