#include "views/common/data/series_growth.h"

#include <algorithm>
#include <utility>

namespace kurve::views::detail {

namespace {

template <class T>
void appendAll(GrowingList<T>& list, const GrowingList<T>& more) {
    // The first points as they were read: nothing to copy.
    if (list.empty())
        list = more;
    else
        list.append(more.begin(), more.end());
}

/// From the end, where lists of a run differ if they do.
template <class T>
bool isEqual(const GrowingList<T>& a, const GrowingList<T>& b) {
    return a.isSameAs(b) || std::equal(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

}  // namespace

SeriesGrowth::Shared SeriesGrowth::extended(const Shared& maybeBefore, store::Series fresh) {
    Extended now{maybeBefore ? *maybeBefore : store::Series(), std::move(fresh), {}};
    now.after = now.before;
    appendAll(now.after.value, now.fresh.value);
    const bool shares = sharesAxes(now);
    auto shared = std::make_shared<const store::Series>(now.after);
    if (!shares) done_.push_back(std::move(now));
    return shared;
}

bool SeriesGrowth::sharesAxes(Extended& now) const {
    const auto take = [&now](const Extended& other) {
        now.after.step = other.after.step;
        now.after.wall = other.after.wall;
        return true;
    };
    for (const Extended& other : done_)
        if (other.before.step.isSameAs(now.before.step) && other.before.wall.isSameAs(now.before.wall) &&
            isEqual(other.fresh.step, now.fresh.step) && isEqual(other.fresh.wall, now.fresh.wall))
            return take(other);
    appendAll(now.after.step, now.fresh.step);
    appendAll(now.after.wall, now.fresh.wall);
    // Metrics of one log call part where a read comes between them, and meet again with the next.
    for (const Extended& other : done_)
        if (isEqual(other.after.step, now.after.step) && isEqual(other.after.wall, now.after.wall))
            return take(other);
    return false;
}

}  // namespace kurve::views::detail
