#include "core/text/published/byte_bpe_table.h"

#include <fmt/format.h>

#include "core/text/published/byte_alphabet.h"

namespace kurve::text::detail {

TokenIds idsByBytes(const PublishedVocabulary& vocabulary) {
    TokenIds ids;
    ids.reserve(vocabulary.tokens.size());
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
        if (vocabulary.hidden[id] || vocabulary.tokens[id].empty()) continue;
        if (auto bytes = bytesOfSpelling(vocabulary.tokens[id]))
            ids.emplace(std::move(*bytes), static_cast<std::int32_t>(id));
    }
    return ids;
}

Result<std::array<std::int32_t, 256>> findSingleBytes(const TokenIds& ids) {
    std::array<std::int32_t, 256> found{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        const auto at = ids.find(std::string(1, static_cast<char>(byte)));
        const bool inUtf8 = byte < 0xC0 || (byte >= 0xC2 && byte <= 0xF4);
        if (at == ids.end() && inUtf8)
            return unsupportedPart("vocabulary", fmt::format("without the byte {:02X}", byte),
                                   "vocabularies that have a token for each byte");
        found[byte] = at == ids.end() ? SpecialIds::kNone : at->second;
    }
    return found;
}

}  // namespace kurve::text::detail
