#pragma once

#include <memory>
#include <vector>

#include "core/store/run_reader.h"

namespace kurve::views::detail {

/// One read of a run's new points. Metrics that have the same steps and times share the lists of them.
class SeriesGrowth {
public:
    using Shared = std::shared_ptr<const store::Series>;
    /// `maybeBefore` (null: the metric is new) with `fresh` at its end.
    [[nodiscard]] Shared extended(const Shared& maybeBefore, store::Series fresh);

private:
    struct Extended {
        store::Series before, fresh, after;
    };
    /// With the steps and times of another metric that has the same.
    [[nodiscard]] bool sharesAxes(Extended& now) const;
    std::vector<Extended> done_;  ///< no two of which have the same
};

}  // namespace kurve::views::detail
