#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

/// Where each segment of a run.db is shadowed by a later one.
class Shadows {
public:
    explicit Shadows(Database& db) {
        Statement& rows = db.kept("SELECT id, start_step FROM segments ORDER BY id");
        rows.each([&] { starts_.emplace_back(rows.integer(0), rows.integer(1)); });
    }
    /// First step of `segment` that is not shown.
    [[nodiscard]] std::int64_t from(std::int64_t segment) const {
        std::int64_t step = INT64_MAX;
        for (const auto& [id, start] : starts_)
            if (id > segment) step = std::min(step, start);
        return step;
    }
    [[nodiscard]] std::int64_t newest() const { return starts_.empty() ? 0 : starts_.back().first; }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> starts_;
};

}  // namespace kurve::store::detail
