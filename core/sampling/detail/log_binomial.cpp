#include "core/sampling/detail/log_binomial.h"

#include <algorithm>
#include <cmath>

namespace kurve::sampling::detail {

double logBinomial(std::int64_t count, std::int64_t m) {
    double sum = 0;
    for (std::int64_t i = 1; i <= std::min(m, count - m); ++i)
        sum += std::log(static_cast<double>(count - i + 1) / static_cast<double>(i));
    return sum;
}

}  // namespace kurve::sampling::detail
