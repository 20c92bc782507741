#include <cmath>
#include <vector>

#include "core/kernels/energy_loss/energy_loss.h"

namespace kurve::kernels::reference {
namespace {

/// The targets of one position, [M, width].
template <class Real>
std::vector<double> targetsOf(const EnergyTask<Real>& task, std::int64_t position) {
    const std::int64_t size = task.targets * task.width;
    if (task.y != nullptr) return {task.y + position * size, task.y + (position + 1) * size};
    std::vector<float> noise(static_cast<std::size_t>(size));
    RandomRows rows = task.noise;
    rows.firstRow += static_cast<std::uint64_t>(task.numberOf(position) * task.targets);
    rows.rows = task.targets;
    rows.rowLength = task.width;
    fill(rows, NormalFill{}, noise.data());
    std::vector<double> y(noise.begin(), noise.end());
    for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t c = position * task.width + i % task.width;
        y[static_cast<std::size_t>(i)] = task.mean[c] + task.deviation[c] * y[static_cast<std::size_t>(i)];
    }
    return y;
}

struct Pair {
    std::int64_t width;
    double alpha, factor;  ///< of the gradient
};

/// |x - y|^alpha; adds factor times its gradient by x, unless that is null.
template <class Real, class Other>
double addPair(const Pair& pair, const Real* x, const Other* y, double* gradient) {
    double square = 0;
    for (std::int64_t c = 0; c < pair.width; ++c) square += (double{x[c]} - y[c]) * (double{x[c]} - y[c]);
    if (square <= double{detail::kCoincident}) return 0;
    const double value = std::pow(square, pair.alpha / 2), weight = pair.factor * pair.alpha * value / square;
    for (std::int64_t c = 0; gradient != nullptr && c < pair.width; ++c)
        gradient[c] += weight * (double{x[c]} - y[c]);
    return value;
}

}  // namespace

template <class Real>
void energyLoss(const EnergyTask<Real>& task, const EnergyResult<Real>& result) {
    const std::int64_t count = task.samples, width = task.width;
    const auto samples = static_cast<double>(count), targets = static_cast<double>(task.targets);
    const Pair across{width, task.alpha, 2 / (samples * targets)},
        within{width, task.alpha, -2 / (samples * (samples - 1))};
    for (std::int64_t p = 0; p < task.positions; ++p) {
        const std::vector<double> y = targetsOf(task, p);
        const Real* x = task.x + p * count * width;
        double fidelity = 0, diversity = 0;
        for (std::int64_t n = 0; n < count; ++n) {
            std::vector<double> sum(static_cast<std::size_t>(width));
            double* gradient = result.gradient != nullptr ? sum.data() : nullptr;
            for (std::int64_t m = 0; m < task.targets; ++m)
                fidelity += addPair(across, x + n * width, y.data() + m * width, gradient);
            for (std::int64_t k = 0; k < count; ++k)
                if (k != n) diversity += addPair(within, x + n * width, x + k * width, gradient);
            for (std::int64_t c = 0; gradient != nullptr && c < width; ++c)
                result.gradient[(p * count + n) * width + c] = static_cast<Real>(gradient[c]);
        }
        result.fidelity[p] = static_cast<Real>(fidelity / (samples * targets));
        result.diversity[p] = static_cast<Real>(diversity / (samples * (samples - 1)));
    }
}

template void energyLoss(const EnergyTask<float>&, const EnergyResult<float>&);
template void energyLoss(const EnergyTask<double>&, const EnergyResult<double>&);

}  // namespace kurve::kernels::reference
