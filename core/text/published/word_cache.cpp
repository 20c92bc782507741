#include "core/text/published/word_cache.h"

namespace kurve::text::detail {

bool WordCache::find(std::string_view word, std::vector<std::int32_t>& ids) {
    if (word.size() > kWordBytes) return false;
    Part& part = partOf(word);
    const std::lock_guard lock(part.mutex);
    const auto found = part.words.find(word);
    if (found == part.words.end()) return false;
    ids.insert(ids.end(), found->second.begin(), found->second.end());
    return true;
}

void WordCache::keep(std::string_view word, std::span<const std::int32_t> ids) {
    if (word.size() > kWordBytes) return;
    Part& part = partOf(word);
    const std::lock_guard lock(part.mutex);
    if (part.words.size() < kWords / kParts)
        part.words.try_emplace(std::string(word), std::vector<std::int32_t>(ids.begin(), ids.end()));
}

}  // namespace kurve::text::detail
