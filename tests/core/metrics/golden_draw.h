#pragma once

#include <cstdint>

namespace kurve::metrics {

/// The linear congruential generator of the scripts in tests/golden/metrics: their texts are made, not
/// stored.
class GoldenDraw {
public:
    explicit GoldenDraw(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t count) {
        state_ = 6364136223846793005ULL * state_ + 1442695040888963407ULL;
        return (state_ >> 33) % count;
    }

private:
    std::uint64_t state_;
};

}  // namespace kurve::metrics
