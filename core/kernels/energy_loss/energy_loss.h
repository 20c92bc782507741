#pragma once

#include <cstdint>

#include "core/base/philox.h"
#include "core/kernels/random_fill/random_fill.h"

namespace kurve::kernels {

/// The energy loss of CALM (Shao et al. 2025, "Continuous Autoregressive Language Models", Eq. 9-10) at each
/// of P positions:
///
///   fidelity = 1 / (N M) sum_{n, m} |y_m - x_n|^alpha
///   diversity = 1 / (N (N - 1)) sum_{n != k} |x_n - x_k|^alpha
///   loss = 2 fidelity - diversity
///
/// with N samples x of the model, M samples y of the target, Euclidean norms. A pair with |d|^2 <= 1e-12
/// counts as equal and adds neither value nor gradient: a head that starts with equal samples would give
/// infinity times 0 where alpha < 1. Targets are read from `y` or, where that is null, drawn: y_m = mean +
/// deviation * eps, eps ~ N(0, I) from row noise.firstRow + numberOf(p) * M + m of random_fill, on every
/// path.
template <class Real>
struct EnergyTask {
    std::int64_t positions = 0;             ///< P
    std::int64_t samples = 0;               ///< N >= 2
    std::int64_t targets = 0;               ///< M >= 1
    std::int64_t width = 0;                 ///< numbers of a sample
    double alpha = 1;                       ///< in (0, 2]
    const Real* x = nullptr;                ///< [P, N, width]
    const Real* y = nullptr;                ///< [P, M, width]
    const Real* mean = nullptr;             ///< [P, width]
    const Real* deviation = nullptr;        ///< [P, width], >= 0
    const std::int64_t* numbers = nullptr;  ///< [P] of the positions, for their noise; null: 0, 1, …
    RandomRows noise;                       ///< its `rows` and `rowLength` are not read

    /// Of a position (a host pointer on the CPU's paths).
    [[nodiscard]] KURVE_HOST_DEVICE std::int64_t numberOf(std::int64_t position) const {
        return numbers == nullptr ? position : numbers[position];
    }
};

template <class Real>
struct EnergyResult {
    Real* fidelity = nullptr;   ///< [P]
    Real* diversity = nullptr;  ///< [P]
    Real* gradient = nullptr;   ///< [P, N, width], of the loss by x; null where it is not wanted
};

namespace reference {
/// Plain loops, sums in double. Real is float or double.
template <class Real>
void energyLoss(const EnergyTask<Real>& task, const EnergyResult<Real>& result);
}  // namespace reference

namespace cpu {
/// Vectorised; positions [from, to), one thread. Equal to the reference to 1e-6 also where x and y are close:
/// it squares differences and adds up short sums. A position's result does not depend on the range that it is
/// computed in. However many targets there are, 32 of them are in memory.
void energyLoss(const EnergyTask<float>& task, std::int64_t from, std::int64_t to,
                const EnergyResult<float>& result);
}  // namespace cpu

#if defined(KURVE_HAS_CUDA)
namespace cuda {
/// One block per position, targets in shared memory; deterministic. Device pointers; `stream` is a
/// cudaStream_t. Asynchronous. Returns the launch's cudaError_t; cudaErrorInvalidValue where one target and N
/// weights exceed 48 KB.
int energyLoss(const EnergyTask<float>& task, const EnergyResult<float>& result, void* stream);
}  // namespace cuda
#endif

namespace detail {
/// Squared distance up to which two samples count as equal.
inline constexpr float kCoincident = 1e-12f;
}  // namespace detail

}  // namespace kurve::kernels
