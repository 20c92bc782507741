#include "core/base/random_stream.h"

#include <cmath>
#include <numbers>

#include "core/base/check.h"
#include "core/base/hash.h"

namespace kurve {
namespace {

/// splitmix64's finaliser: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

}  // namespace

StreamId::StreamId(std::uint64_t seed, std::string_view purpose, std::uint64_t stepNumber)
    : key(mix(seed) ^ mix(fnv1a(purpose))), step(stepNumber) {}

StreamId StreamId::at(std::uint64_t stepNumber) const {
    StreamId other;
    other.key = key;
    other.step = stepNumber;
    return other;
}

std::uint32_t RandomStream::bits() {
    const unsigned lane = position_ % 4;
    if (lane == 0 || !haveBlock_) {
        const std::uint64_t index = position_ / 4;
        block_ =
            philox4x32({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                         static_cast<std::uint32_t>(id_.step), static_cast<std::uint32_t>(id_.step >> 32)}},
                       static_cast<std::uint32_t>(id_.key), static_cast<std::uint32_t>(id_.key >> 32));
        haveBlock_ = true;
    }
    ++position_;
    return block_.word[lane];
}

double RandomStream::uniform() {
    const std::uint64_t high = bits();
    const std::uint64_t low = bits();
    return static_cast<double>(((high << 32) | low) >> 11) * 0x1.0p-53;
}

double RandomStream::normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
    KURVE_CHECK(bound >= 1, "bound {}", bound);
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % bound);
    for (;;) {
        const std::uint64_t high = bits();
        const std::uint64_t value = (high << 32) | bits();
        if (value < limit) return value % bound;
    }
}

void RandomStream::seek(std::uint64_t position) {
    position_ = position;
    haveBlock_ = false;
}

}  // namespace kurve
