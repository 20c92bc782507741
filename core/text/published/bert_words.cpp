#include "core/text/published/bert_words.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/text/published/unicode_text.h"

namespace kurve::text::detail {
namespace {

using Characters = std::vector<char32_t>;

/// As published: 2B920 is where the block of 2B820 begins in both `tokenizers` and BERT.
bool isChinese(char32_t p) {
    constexpr std::array<std::pair<char32_t, char32_t>, 8> kBlocks = {{{0x4E00, 0x9FFF},
                                                                       {0x3400, 0x4DBF},
                                                                       {0x20000, 0x2A6DF},
                                                                       {0x2A700, 0x2B73F},
                                                                       {0x2B740, 0x2B81F},
                                                                       {0x2B920, 0x2CEAF},
                                                                       {0xF900, 0xFAFF},
                                                                       {0x2F800, 0x2FA1F}}};
    return std::any_of(kBlocks.begin(), kBlocks.end(),
                       [p](const auto& block) { return p >= block.first && p <= block.second; });
}

bool isPunctuationToBert(char32_t p) {
    if (p >= 0x80) return isUnicodePunctuation(p);
    return (p >= 33 && p <= 47) || (p >= 58 && p <= 64) || (p >= 91 && p <= 96) || (p >= 123 && p <= 126);
}

/// White space need not become spaces here, as in BERT: words end at any of it.
Characters cleaned(const Characters& text) {
    Characters out;
    for (const char32_t p : text) {
        const bool isLineOrTab = p == U'\t' || p == U'\n' || p == U'\r';
        if (isLineOrTab || (p != 0xFFFD && !isUnicodeControl(p))) out.push_back(p);
    }
    return out;
}

Characters withSpacedChinese(const Characters& text) {
    Characters out;
    for (const char32_t p : text) {
        if (isChinese(p))
            out.insert(out.end(), {U' ', p, U' '});
        else
            out.push_back(p);
    }
    return out;
}

Characters normalised(Characters text, const BertNormalization& normalization) {
    if (normalization.cleansText) text = cleaned(text);
    if (normalization.spacesChinese) text = withSpacedChinese(text);
    if (normalization.stripsAccents) {
        text = decompose(text);
        std::erase_if(text, isNonSpacingMark);
    }
    if (!normalization.lowersCase) return text;
    Characters lower;
    lower.reserve(text.size());
    for (const char32_t p : text) appendLowerCase(p, lower);
    return lower;
}

}  // namespace

std::vector<std::string> bertWords(std::string_view text, const BertNormalization* normalization) {
    Characters characters = codePoints(text);
    if (normalization != nullptr) characters = normalised(std::move(characters), *normalization);
    std::vector<std::string> words;
    std::size_t from = 0;
    const auto closeWord = [&](std::size_t end) {
        if (end > from) words.push_back(toUtf8(std::span(characters).subspan(from, end - from)));
        from = end + 1;
    };
    for (std::size_t at = 0; at < characters.size(); ++at) {
        const bool punctuation = isPunctuationToBert(characters[at]);
        if (!punctuation && !isWhiteSpace(characters[at])) continue;
        closeWord(at);
        if (punctuation) words.push_back(toUtf8(std::span(characters).subspan(at, 1)));
    }
    closeWord(characters.size());
    return words;
}

}  // namespace kurve::text::detail
