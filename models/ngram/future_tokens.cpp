#include "models/ngram/future_tokens.h"

namespace kurve::models::ngram {

FutureTokens futureTokens(std::span<const std::int32_t> lengths, std::int64_t width, std::int64_t n) {
    FutureTokens all;
    const auto rows = static_cast<std::int64_t>(lengths.size());
    const auto length = [&](std::int64_t r) {
        return static_cast<std::int64_t>(lengths[static_cast<std::size_t>(r)]);
    };
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t t = 0; t + 1 < length(r); ++t) all.states.push_back(r * (width - 1) + t);
    const auto states = static_cast<std::int64_t>(all.states.size());
    for (std::int64_t j = 0; j < n; ++j) {
        const std::size_t before = all.target.size();
        std::int64_t first = 0;  // of the row's states
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t t = 0; t + 1 + j < length(r); ++t) {
                all.prediction.push_back(j * states + first + t);
                all.target.push_back(r * width + t + 1 + j);
                all.row.push_back(r);
            }
            first += length(r) - 1;
        }
        all.count.push_back(static_cast<std::int64_t>(all.target.size() - before));
    }
    return all;
}

}  // namespace kurve::models::ngram
