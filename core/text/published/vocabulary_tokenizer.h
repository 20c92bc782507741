#pragma once

#include <string>
#include <vector>

#include "core/text/special_ids.h"
#include "core/text/tokenizer.h"

namespace kurve::text::detail {

/// The tokens of a published tokenizer, by id. An id that the file leaves out has an empty token.
struct PublishedVocabulary {
    std::vector<std::string> tokens;  ///< as the file spells them
    std::vector<bool> hidden;         ///< special tokens, which decode() leaves out; as long as tokens
    SpecialIds special;
    std::string hash;
};

/// What the kinds of published tokenizers share: checks of ids, special tokens, names. Immutable.
class VocabularyTokenizer : public Tokenizer {
public:
    explicit VocabularyTokenizer(PublishedVocabulary vocabulary);

    /// Refuses text that is no UTF-8 (ContractError).
    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const final;
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const final;
    /// "<unused 7>" for an id without a token.
    [[nodiscard]] std::string token(std::int32_t id) const final;
    [[nodiscard]] std::int32_t vocabularySize() const final;
    [[nodiscard]] const SpecialIds& special() const final { return vocabulary_.special; }
    [[nodiscard]] const std::string& hash() const final { return vocabulary_.hash; }

protected:
    [[nodiscard]] virtual std::vector<std::int32_t> encodeValid(std::string_view text) const = 0;
    /// The text of ids that are not hidden, special.unk included.
    [[nodiscard]] virtual std::string join(std::span<const std::int32_t> ids) const = 0;
    [[nodiscard]] const PublishedVocabulary& vocabulary() const { return vocabulary_; }

private:
    void checkId(std::int32_t id) const;

    PublishedVocabulary vocabulary_;
};

}  // namespace kurve::text::detail
