#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/kernels/energy_loss/energy_loss.h"

#if defined(__x86_64__) && !defined(KURVE_ONE_INSTRUCTION_SET)
#define KURVE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KURVE_CLONES
#endif

namespace kurve::kernels::cpu {
namespace {

constexpr std::int64_t kLanes = 16;   // of one vector; rows are padded to it with zeros
constexpr std::int64_t kSamples = 4;  // of x, which share a load of y and keep both adders busy
constexpr std::int64_t kRows = 32;    // of y at a time: they stay in the first-level cache

/// A vector of the compiler's own (GCC and clang), which it splits where the machine has shorter ones.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float)), may_alias));

inline const Lanes* lanesAt(const float* at) {
    return reinterpret_cast<const Lanes*>(at);
}
inline Lanes* lanesAt(float* at) {
    return reinterpret_cast<Lanes*>(at);
}

/// By halves: short chains, small rounding errors.
inline float sumOf(const Lanes& lanes) {
    float sum[kLanes];
    std::memcpy(sum, &lanes, sizeof(sum));
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2)
        for (std::int64_t l = 0; l < half; ++l) sum[l] += sum[l + half];
    return sum[0];
}

/// Rows y against all samples x, both `stride` floats apart; results are [rows, padded].
struct EnergyTile {
    const float* x;
    const float* y;
    std::int64_t rows, samples, padded, stride;
};

/// Squared distances; 0 for the samples that only pad.
KURVE_CLONES void squaredDistances(const EnergyTile& tile, float* __restrict square) {
    const std::int64_t stride = tile.stride;
    for (std::int64_t r = 0; r < tile.rows; ++r)
        for (std::int64_t n = 0; n < tile.padded; n += kSamples) {
            const Lanes* __restrict y = lanesAt(tile.y + r * stride);
            const Lanes* __restrict x = lanesAt(tile.x + n * stride);
            Lanes sum[kSamples] = {};
            for (std::int64_t c = 0; c < stride / kLanes; ++c)
                for (std::int64_t k = 0; k < kSamples; ++k) {
                    const Lanes d = y[c] - x[k * (stride / kLanes) + c];
                    sum[k] += d * d;
                }
            for (std::int64_t k = 0; k < kSamples; ++k)
                square[r * tile.padded + n + k] = n + k < tile.samples ? sumOf(sum[k]) : 0.0f;
        }
}

/// value = square^exponent. The exponents of alpha = 0.75, 1, 1.25 … 2 are eighths: products of square roots,
/// which vectorise, where pow does not.
KURVE_CLONES void powers(const float* __restrict square, std::int64_t count, double exponent,
                         float* __restrict value) {
    const int eighths = static_cast<int>(8 * exponent);
    if (eighths != 8 * exponent) {
        for (std::int64_t i = 0; i < count; ++i) value[i] = std::pow(square[i], static_cast<float>(exponent));
        return;
    }
    float root[kLanes];
    for (std::int64_t i = 0; i < count; i += kLanes) {
        for (std::int64_t l = 0; l < kLanes; ++l) root[l] = square[i + l];
        for (std::int64_t l = 0; l < kLanes; ++l) value[i + l] = 1;
        for (int bit = 8, left = eighths; left != 0; bit /= 2) {
            if ((left & bit) != 0)
                for (std::int64_t l = 0; l < kLanes; ++l) value[i + l] *= root[l];
            left &= bit - 1;
            if (left != 0)
                for (std::int64_t l = 0; l < kLanes; ++l) root[l] = std::sqrt(root[l]);
        }
    }
}

/// The sum of the values; the squared distances become weights of x - y in the gradient. NaN stays NaN.
KURVE_CLONES double weigh(const float* __restrict value, std::int64_t count, float factor,
                          float* __restrict square) {
    double sum[kLanes] = {};
    for (std::int64_t i = 0; i < count; i += kLanes)
        for (std::int64_t l = 0; l < kLanes; ++l) {
            const bool same = square[i + l] <= detail::kCoincident;
            sum[l] += static_cast<double>(same ? 0.0f : value[i + l]);
            square[i + l] = same ? 0.0f : factor * value[i + l] / square[i + l];
        }
    double total = 0;
    for (const double part : sum) total += part;
    return total;
}

/// gradient[n] += sum over rows of weight times (x_n - y_r).
KURVE_CLONES void addGradient(const EnergyTile& tile, const float* __restrict weight,
                              float* __restrict gradient) {
    constexpr std::int64_t kChain = 8;  // equal targets round alike: 32 in a row would lose 1e-6
    const std::int64_t stride = tile.stride;
    for (std::int64_t c = 0; c < stride; c += kLanes)
        for (std::int64_t n = 0; n < tile.padded; n += kSamples) {
            Lanes x[kSamples], sum[kSamples] = {};
            for (std::int64_t k = 0; k < kSamples; ++k) x[k] = *lanesAt(tile.x + (n + k) * stride + c);
            for (std::int64_t first = 0; first < tile.rows; first += kChain) {
                Lanes part[kSamples] = {};
                for (std::int64_t r = first; r < std::min(first + kChain, tile.rows); ++r) {
                    const Lanes y = *lanesAt(tile.y + r * stride + c);
                    for (std::int64_t k = 0; k < kSamples; ++k)
                        part[k] += weight[r * tile.padded + n + k] * (x[k] - y);
                }
                for (std::int64_t k = 0; k < kSamples; ++k) sum[k] += part[k];
            }
            for (std::int64_t k = 0; k < kSamples; ++k) *lanesAt(gradient + (n + k) * stride + c) += sum[k];
        }
}

KURVE_CLONES void shiftAndScale(const float* __restrict mean, const float* __restrict deviation,
                                std::int64_t count, float* __restrict noise) {
    for (std::int64_t c = 0; c < count; ++c) noise[c] = mean[c] + deviation[c] * noise[c];
}

std::int64_t roundedUp(std::int64_t count, std::int64_t to) {
    return (count + to - 1) / to * to;
}

/// Floats that start at a cache line, zeroed.
class AlignedFloats {
public:
    explicit AlignedFloats(std::int64_t count)
        : lines_(static_cast<std::size_t>(roundedUp(count, kLanes) / kLanes)) {}
    float* data() { return reinterpret_cast<float*>(lines_.data()); }
    void zero() { std::fill(lines_.begin(), lines_.end(), Line{}); }

private:
    struct alignas(64) Line {
        float values[kLanes] = {};
    };
    std::vector<Line> lines_;
};

/// One position after the other, in the same scratch.
class PositionEnergy {
public:
    PositionEnergy(const EnergyTask<float>& task, const EnergyResult<float>& result)
        : task_(task),
          result_(result),
          padded_(roundedUp(task.samples, kSamples)),
          stride_(roundedUp(task.width, kLanes)),
          x_(padded_ * stride_),
          y_(kRows * stride_),
          square_(kRows * padded_),
          value_(kRows * padded_),
          gradient_(padded_ * stride_) {}

    void compute(std::int64_t position) {
        const std::int64_t samples = task_.samples, targets = task_.targets;
        copyRows(task_.x + position * samples * task_.width, samples, x_.data());
        gradient_.zero();
        const auto pairs = static_cast<double>(samples * targets),
                   ownPairs = static_cast<double>(samples * (samples - 1));
        double across = 0, within = 0;
        for (std::int64_t m = 0; m < targets; m += kRows) {
            const std::int64_t rows = std::min(kRows, targets - m);
            loadTargets(m, rows, position);
            across += addRows(y_.data(), rows, 2 / pairs);
        }
        // A sample's distance to itself is 0 and adds nothing.
        for (std::int64_t k = 0; k < samples; k += kRows)
            within += addRows(x_.data() + k * stride_, std::min(kRows, samples - k), -2 / ownPairs);
        result_.fidelity[position] = static_cast<float>(across / pairs);
        result_.diversity[position] = static_cast<float>(within / ownPairs);
        if (result_.gradient == nullptr) return;
        for (std::int64_t n = 0; n < samples; ++n)
            std::copy_n(gradient_.data() + n * stride_, task_.width,
                        result_.gradient + (position * samples + n) * task_.width);
    }

private:
    void copyRows(const float* from, std::int64_t rows, float* to) const {
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(from + r * task_.width, task_.width, to + r * stride_);
    }
    void loadTargets(std::int64_t first, std::int64_t rows, std::int64_t position) {
        if (task_.y != nullptr)
            return copyRows(task_.y + (position * task_.targets + first) * task_.width, rows, y_.data());
        RandomRows row = task_.noise;
        row.firstRow += static_cast<std::uint64_t>(task_.numberOf(position) * task_.targets + first);
        row.rows = 1;
        row.rowLength = task_.width;
        for (std::int64_t r = 0; r < rows; ++r, ++row.firstRow) {
            float* y = y_.data() + r * stride_;
            fill(row, NormalFill{}, y);
            shiftAndScale(task_.mean + position * task_.width, task_.deviation + position * task_.width,
                          task_.width, y);
        }
    }
    /// Adds `factor` times the gradient of the pairs (x, y); the sum of their values.
    double addRows(const float* y, std::int64_t rows, double factor) {
        const EnergyTile tile{x_.data(), y, rows, task_.samples, padded_, stride_};
        const std::int64_t count = roundedUp(rows * padded_, kLanes);
        square_.zero();
        squaredDistances(tile, square_.data());
        powers(square_.data(), count, task_.alpha / 2, value_.data());
        const double sum =
            weigh(value_.data(), count, static_cast<float>(task_.alpha * factor), square_.data());
        if (result_.gradient != nullptr) addGradient(tile, square_.data(), gradient_.data());
        return sum;
    }

    const EnergyTask<float>& task_;
    const EnergyResult<float>& result_;
    std::int64_t padded_, stride_;
    AlignedFloats x_, y_, square_, value_, gradient_;
};

}  // namespace

void energyLoss(const EnergyTask<float>& task, std::int64_t from, std::int64_t to,
                const EnergyResult<float>& result) {
    PositionEnergy energy(task, result);
    for (std::int64_t p = from; p < to; ++p) energy.compute(p);
}

}  // namespace kurve::kernels::cpu
