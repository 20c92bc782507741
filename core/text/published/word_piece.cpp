#include "core/text/published/word_piece.h"

#include <algorithm>
#include <array>

namespace kurve::text::detail {
namespace {

bool continuesCharacter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::size_t characterCount(std::string_view text) {
    return text.size() -
           static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continuesCharacter));
}

void replaceAll(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

/// The clean-up of `tokenizers`, in its order; it sees one token at a time.
std::string tidied(std::string token) {
    constexpr std::array<std::pair<const char*, const char*>, 11> kRules = {{{" .", "."},
                                                                             {" ?", "?"},
                                                                             {" !", "!"},
                                                                             {" ,", ","},
                                                                             {" ' ", "'"},
                                                                             {" n't", "n't"},
                                                                             {" 'm", "'m"},
                                                                             {" do not", " don't"},
                                                                             {" 's", "'s"},
                                                                             {" 've", "'ve"},
                                                                             {" 're", "'re"}}};
    for (const auto& [what, with] : kRules) replaceAll(token, what, with);
    return token;
}

class WordPieceTokenizer : public VocabularyTokenizer {
public:
    explicit WordPieceTokenizer(WordPieceParts parts)
        : VocabularyTokenizer(std::move(parts.vocabulary)), parts_(std::move(parts)) {
        for (const auto& [token, id] : parts_.ids) {
            longestToken_ = std::max(longestToken_, token.size());
            if (token.starts_with(parts_.continuation))
                continuing_.emplace(token.substr(parts_.continuation.size()), id);
        }
    }

    [[nodiscard]] WordBoundary wordBoundary() const override { return WordBoundary::Continuation; }

protected:
    [[nodiscard]] std::vector<std::int32_t> encodeValid(std::string_view text) const override {
        const BertNormalization* normalization = parts_.normalization ? &*parts_.normalization : nullptr;
        std::vector<std::int32_t> ids;
        for (const std::string& word : bertWords(text, normalization)) appendWord(word, ids);
        return ids;
    }
    [[nodiscard]] std::string join(std::span<const std::int32_t> ids) const override {
        std::string text;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::string token = ids[i] == vocabulary().special.unk
                                    ? "⁇"
                                    : vocabulary().tokens[static_cast<std::size_t>(ids[i])];
            if (i > 0 && token.starts_with(parts_.continuation))
                token.erase(0, parts_.continuation.size());
            else if (i > 0)
                token.insert(0, " ");
            text += parts_.tidiesSpaces ? tidied(std::move(token)) : token;
        }
        return text;
    }

private:
    void appendWord(std::string_view word, std::vector<std::int32_t>& ids) const {
        const std::size_t first = ids.size();
        bool spelled = characterCount(word) <= parts_.longestWord;
        for (std::size_t from = 0; spelled && from < word.size();) {
            const std::size_t length =
                appendLongest(word.substr(from), from == 0 ? parts_.ids : continuing_, ids);
            spelled = length > 0;
            from += length;
        }
        if (spelled) return;
        ids.resize(first);
        ids.push_back(vocabulary().special.unk);
    }

    /// Bytes of the longest token that begins `rest`; 0 where there is none.
    std::size_t appendLongest(std::string_view rest, const TokenIds& table,
                              std::vector<std::int32_t>& ids) const {
        for (std::size_t end = std::min(rest.size(), longestToken_); end > 0; --end) {
            if (end < rest.size() && continuesCharacter(rest[end])) continue;
            const auto found = table.find(rest.substr(0, end));
            if (found == table.end()) continue;
            ids.push_back(found->second);
            return end;
        }
        return 0;
    }

    WordPieceParts parts_;
    TokenIds continuing_;  ///< by the text after the continuation's mark
    std::size_t longestToken_ = 0;
};

}  // namespace

std::shared_ptr<const Tokenizer> makeWordPiece(WordPieceParts parts) {
    return std::make_shared<WordPieceTokenizer>(std::move(parts));
}

}  // namespace kurve::text::detail
