#include "models/common/decoding.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "models/common/padding.h"

namespace kurve::models {

PaddedRows padRows(const std::vector<std::vector<std::int32_t>>& rows, std::span<const std::size_t> which,
                   c10::Device device, const Padding& padding) {
    PaddedRows out;
    std::size_t width = 0;
    for (const std::size_t r : which) width = std::max(width, rows[r].size() - padding.skip);
    std::vector<std::int64_t> ids(which.size() * width, padding.id);
    for (std::size_t i = 0; i < which.size(); ++i) {
        const auto& row = rows[which[i]];
        std::copy(row.begin() + static_cast<std::ptrdiff_t>(padding.skip), row.end(),
                  ids.begin() + static_cast<std::ptrdiff_t>(i * width));
        out.lengths.push_back(static_cast<std::int32_t>(row.size() - padding.skip));
    }
    out.ids = toDevice(std::span<const std::int64_t>(ids), device)
                  .view({static_cast<std::int64_t>(which.size()), static_cast<std::int64_t>(width)});
    return out;
}

std::vector<std::vector<std::size_t>> groupsByLength(const std::vector<std::vector<std::int32_t>>& rows,
                                                     std::size_t size) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > 1)
        std::stable_sort(order.begin() + 1, order.end(),
                         [&](std::size_t a, std::size_t b) { return rows[a].size() < rows[b].size(); });
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < order.size(); i += size)
        groups.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(i),
                            order.begin() + static_cast<std::ptrdiff_t>(std::min(i + size, order.size())));
    return groups;
}

std::vector<std::size_t> bestFirst(const std::vector<train::Candidate>& candidates,
                                   std::optional<std::int64_t> maybeFirst) {
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return candidates[a].score > candidates[b].score; });
    if (maybeFirst)
        std::stable_partition(order.begin(), order.end(),
                              [&](std::size_t c) { return c == static_cast<std::size_t>(*maybeFirst); });
    return order;
}

Status checkLengths(const std::vector<std::vector<std::int32_t>>& rows, std::int64_t longest) {
    for (const auto& row : rows)
        if (static_cast<std::int64_t>(row.size()) > longest)
            return requestError(
                       "sample.too_long",
                       fmt::format("the text has {} tokens, the model reads at most {}", row.size(), longest))
                .at("model.max_positions")
                .fix("shorten the text");
    return {};
}

Status checkSources(const train::GenerateRequest& request, std::int64_t longest) {
    return checkLengths(request.sources, longest);
}

}  // namespace kurve::models
