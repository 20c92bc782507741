#pragma once

#include <cstdint>

namespace kurve::sampling::detail {

/// log binom(count, m) for 0 <= m <= count; by sums of logarithms, since std::lgamma is not for several
/// threads.
[[nodiscard]] double logBinomial(std::int64_t count, std::int64_t m);

}  // namespace kurve::sampling::detail
