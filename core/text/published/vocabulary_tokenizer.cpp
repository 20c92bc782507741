#include "core/text/published/vocabulary_tokenizer.h"

#include "core/base/check.h"
#include "core/base/text.h"

namespace kurve::text::detail {

VocabularyTokenizer::VocabularyTokenizer(PublishedVocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)) {}

std::vector<std::int32_t> VocabularyTokenizer::encode(std::string_view text) const {
    const auto broken = firstInvalidUtf8(text);
    KURVE_CHECK(!broken, "no UTF-8 at byte {}", *broken);
    return encodeValid(text);
}

std::string VocabularyTokenizer::decode(std::span<const std::int32_t> ids) const {
    std::vector<std::int32_t> shown;
    shown.reserve(ids.size());
    for (const std::int32_t id : ids) {
        checkId(id);
        if (id == vocabulary_.special.unk || !vocabulary_.hidden[static_cast<std::size_t>(id)])
            shown.push_back(id);
    }
    return join(shown);
}

std::string VocabularyTokenizer::token(std::int32_t id) const {
    checkId(id);
    const std::string& spelled = vocabulary_.tokens[static_cast<std::size_t>(id)];
    return spelled.empty() ? fmt::format("<unused {}>", id) : spelled;
}

std::int32_t VocabularyTokenizer::vocabularySize() const {
    return static_cast<std::int32_t>(vocabulary_.tokens.size());
}

void VocabularyTokenizer::checkId(std::int32_t id) const {
    KURVE_CHECK(id >= 0 && id < vocabularySize(), "id {} of {}", id, vocabularySize());
}

}  // namespace kurve::text::detail
