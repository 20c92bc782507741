#include "core/text/split.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/text/trained_specials.h"

namespace kurve::text {

Split Split::inMemory(std::vector<std::int32_t> ids, std::vector<std::uint64_t> offset,
                      std::vector<Pair> texts) {
    struct Vectors {
        std::vector<std::int32_t> ids;
        std::vector<std::uint64_t> offset;
    };
    const auto owner = std::make_shared<const Vectors>(Vectors{std::move(ids), std::move(offset)});
    Split split(
        {{}, owner->ids, owner->offset, {}, owner},
        [texts = std::move(texts)](std::size_t first, std::size_t count) -> Result<std::vector<Pair>> {
            const auto from = texts.begin() + static_cast<std::ptrdiff_t>(first);
            return std::vector<Pair>(from, from + static_cast<std::ptrdiff_t>(count));
        });
    split.special = kTrainedSpecials;
    return split;
}

std::size_t Split::size() const {
    if (hasDocuments()) return ids_.documents.size() - 1;
    return ids_.offset.empty() ? 0 : (ids_.offset.size() - 1) / 2;
}

Split::Sequences Split::targetOf(std::size_t example) const {
    KURVE_CHECK(example < size(), "example {} of {}", example, size());
    if (hasDocuments()) return {ids_.documents[example], ids_.documents[example + 1]};
    return {2 * example + 1, 2 * example + 2};
}

std::size_t Split::length(Sequences sequences) const {
    return ids_.offset[sequences.end] - ids_.offset[sequences.begin];
}

std::vector<std::int32_t> Split::idsOf(Sequences sequences) const {
    const std::size_t from = ids_.offset[sequences.begin], count = length(sequences);
    if (ids_.wide.empty()) {
        const auto ids = ids_.narrow.subspan(from, count);
        return {ids.begin(), ids.end()};
    }
    const auto ids = ids_.wide.subspan(from, count);
    return {ids.begin(), ids.end()};
}

std::size_t Split::sourceLength(std::size_t example) const {
    const Sequences target = targetOf(example);
    return hasDocuments() ? 0 : length({target.begin - 1, target.begin});
}

std::size_t Split::targetLength(std::size_t example) const {
    return length(targetOf(example));
}

std::vector<std::int32_t> Split::source(std::size_t example) const {
    const Sequences target = targetOf(example);
    return hasDocuments() ? std::vector<std::int32_t>() : idsOf({target.begin - 1, target.begin});
}

std::vector<std::int32_t> Split::target(std::size_t example) const {
    return idsOf(targetOf(example));
}

std::size_t Split::sentences(std::size_t example) const {
    const Sequences target = targetOf(example);
    return target.end - target.begin;
}

std::size_t Split::promptSentences(std::size_t example) const {
    if (promptEnd.empty()) return 0;
    for (std::size_t number = 0; number < sentences(example); ++number)
        if (sentence(example, number) == promptEnd) return number + 1;
    return 0;
}

std::vector<std::int32_t> Split::sentence(std::size_t example, std::size_t number) const {
    KURVE_CHECK(number < sentences(example), "sentence {} of {}", number, sentences(example));
    const std::size_t at = targetOf(example).begin + number;
    return idsOf({at, at + 1});
}

std::size_t Split::sentenceLength(std::size_t example, std::size_t number) const {
    KURVE_CHECK(number < sentences(example), "sentence {} of {}", number, sentences(example));
    const std::size_t at = targetOf(example).begin + number;
    return length({at, at + 1});
}

Result<std::vector<Pair>> Split::texts(std::size_t first, std::size_t count) const {
    const std::size_t from = std::min(first, size());
    if (size() == from) return std::vector<Pair>();
    return texts_(from, std::min(count, size() - from));
}

Result<Pair> Split::text(std::size_t example) const {
    KURVE_CHECK(example < size(), "example {} of {}", example, size());
    KURVE_TRY(std::vector<Pair> one, texts(example, 1));
    return std::move(one.front());
}

}  // namespace kurve::text
