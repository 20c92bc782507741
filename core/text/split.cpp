#include "core/text/split.h"

#include <algorithm>

#include "core/base/check.h"

namespace kurve::text {

Split Split::inMemory(std::vector<std::int32_t> ids, std::vector<std::uint64_t> offset,
                      std::vector<Pair> texts) {
    struct Vectors {
        std::vector<std::int32_t> ids;
        std::vector<std::uint64_t> offset;
    };
    const auto owner = std::make_shared<const Vectors>(std::move(ids), std::move(offset));
    return {{{}, owner->ids, owner->offset, owner},
            [texts = std::move(texts)](std::size_t first, std::size_t count) -> Result<std::vector<Pair>> {
                const auto from = texts.begin() + static_cast<std::ptrdiff_t>(first);
                return std::vector<Pair>(from, from + static_cast<std::ptrdiff_t>(count));
            }};
}

std::size_t Split::length(std::size_t sequence) const {
    KURVE_CHECK(sequence / 2 < size(), "example {} of {}", sequence / 2, size());
    return ids_.offset[sequence + 1] - ids_.offset[sequence];
}

std::vector<std::int32_t> Split::sequence(std::size_t sequence) const {
    const std::size_t count = length(sequence);
    if (ids_.wide.empty()) {
        const auto ids = ids_.narrow.subspan(ids_.offset[sequence], count);
        return {ids.begin(), ids.end()};
    }
    const auto ids = ids_.wide.subspan(ids_.offset[sequence], count);
    return {ids.begin(), ids.end()};
}

std::vector<std::int32_t> Split::source(std::size_t example) const {
    return sequence(2 * example);
}

std::vector<std::int32_t> Split::target(std::size_t example) const {
    return sequence(2 * example + 1);
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
