#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/philox.h"

namespace kurve {

/// Which stream of random numbers: the experiment's seed, a purpose ("train.noise", "data.shuffle") and a
/// step. Equal ids give equal numbers on every device and at every thread count; streams never overlap in
/// practice, so that inserting a draw for one purpose moves no other.
struct StreamId {
    std::uint64_t key = 0;   ///< mixes seed and purpose
    std::uint64_t step = 0;  ///< upper half of the Philox counter
    StreamId(std::uint64_t seed, std::string_view purpose, std::uint64_t stepNumber);
    [[nodiscard]] StreamId at(std::uint64_t stepNumber) const;

private:
    StreamId() = default;
};

/// Draws in order from one stream. A value is a pure function of (id, position): see core/kernels/random_fill
/// for whole tensors. Not thread-safe; copies continue independently from the same position.
class RandomStream {
public:
    explicit RandomStream(StreamId id) : id_(id) {}
    RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t step = 0)
        : id_(seed, purpose, step) {}

    std::uint32_t bits();
    double uniform();                          ///< [0, 1), 53 bits
    double normal();                           ///< N(0, 1), Box-Muller
    std::uint64_t below(std::uint64_t bound);  ///< uniform on 0..bound-1 without bias; bound >= 1
    [[nodiscard]] std::uint64_t position() const { return position_; }  ///< 32-bit words used so far
    void seek(std::uint64_t position);

    /// Fisher-Yates on indices or values.
    template <class T>
    void shuffle(std::span<T> values) {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

private:
    StreamId id_;
    std::uint64_t position_ = 0;
    PhiloxBlock block_{};
    bool haveBlock_ = false;
};

}  // namespace kurve
