#include "core/metrics/detail/ngrams.h"

#include <algorithm>

namespace kurve::metrics::detail {

NgramCounts countNgrams(std::span<const std::uint32_t> tokens, int order) {
    const auto n = static_cast<std::size_t>(order);
    if (tokens.size() < n) return {};
    std::vector<Ngram> all(tokens.size() - n + 1);
    for (std::size_t i = 0; i < all.size(); ++i)
        std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(i), n, all[i].begin());
    std::sort(all.begin(), all.end());
    NgramCounts counts;
    for (const Ngram& ngram : all) {
        if (counts.empty() || counts.back().ngram != ngram) counts.push_back({ngram, 0});
        ++counts.back().count;
    }
    return counts;
}

int matches(const NgramCounts& left, const NgramCounts& right) {
    int common = 0;
    for (auto l = left.begin(), r = right.begin(); l != left.end() && r != right.end();) {
        if (l->ngram < r->ngram) {
            ++l;
        } else if (r->ngram < l->ngram) {
            ++r;
        } else {
            common += std::min(l->count, r->count);
            ++l, ++r;
        }
    }
    return common;
}

NgramCounts unite(const NgramCounts& left, const NgramCounts& right) {
    NgramCounts both;
    std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both),
               [](const NgramCount& a, const NgramCount& b) { return a.ngram < b.ngram; });
    NgramCounts united;
    for (const NgramCount& entry : both) {
        if (united.empty() || united.back().ngram != entry.ngram)
            united.push_back(entry);
        else
            united.back().count = std::max(united.back().count, entry.count);
    }
    return united;
}

}  // namespace kurve::metrics::detail
