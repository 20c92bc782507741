// The fused energy loss of CALM, forward and backward, against the official order of operations and against
// distances by matrix products. energy_bench [rounds]. Processor time, one thread, rounds in turns; the noise
// of the targets is drawn in each.

#include "core/tensor/ops/energy_loss.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

constexpr std::int64_t kPositions = 512, kModelSamples = 8, kTargetSamples = 100;

/// energy_score() of shaochenze/calm (modeling_energy.py): x is [N, P, l] there.
at::Tensor officialEnergy(const at::Tensor& x, const at::Tensor& mean, const at::Tensor& logStd) {
    const auto distance = [](const at::Tensor& a, const at::Tensor& b) {
        return at::linalg_vector_norm(a - b, 2, at::IntArrayRef{-1}).pow(1.0);
    };
    const std::int64_t n = x.size(0);
    const at::Tensor within =
        distance(x.unsqueeze(1), x.unsqueeze(0)).flatten(0, 1).sum(0) / static_cast<double>(n * (n - 1));
    const at::Tensor y = mean + at::randn({kTargetSamples, mean.size(0), mean.size(1)}) * logStd.exp();
    const at::Tensor across = distance(x.unsqueeze(1), y.unsqueeze(0)).flatten(0, 1).mean(0);
    return across * 2 - within;
}

/// |x|^2 + |y|^2 - 2 x.y, the same loss without differences in memory; x is [P, N, l].
at::Tensor productEnergy(const at::Tensor& x, const at::Tensor& mean, const at::Tensor& logStd) {
    const std::int64_t n = x.size(1);
    const at::Tensor y = mean.unsqueeze(1) +
                         at::randn({mean.size(0), kTargetSamples, mean.size(1)}) * logStd.exp().unsqueeze(1);
    const at::Tensor square =
        x.square().sum(-1).unsqueeze(2) + y.square().sum(-1).unsqueeze(1) - at::bmm(x, y.transpose(1, 2)) * 2;
    const at::Tensor across = square.clamp_min(1e-12).sqrt().flatten(1).mean(1);
    const at::Tensor within =
        (x.unsqueeze(1) - x.unsqueeze(2)).square().sum(-1).add(1e-12).sqrt().flatten(1).sum(1) /
        static_cast<double>(n * (n - 1));
    return across * 2 - within;
}

void measure(std::int64_t width, int rounds) {
    const at::Tensor mean = at::randn({kPositions, width}), logStd = at::full({kPositions, width}, -1.2);
    const at::Tensor x =
        (mean.unsqueeze(1) + at::randn({kPositions, kModelSamples, width}) * 0.5).requires_grad_();
    const at::Tensor official = x.detach().transpose(0, 1).contiguous().requires_grad_();
    const tensor::EnergyTargets targets{mean, logStd, kTargetSamples, {StreamId(1, "bench.energy", 0), 0}};
    const auto backward = [](const at::Tensor& loss, const at::Tensor& by) {
        torch::autograd::grad({loss.mean()}, {by});
    };
    const auto seconds =
        bench::interleaved(rounds, {[&] { backward(tensor::energyLoss(x, targets).loss, x); },
                                    [&] { backward(officialEnergy(official, mean, logStd), official); },
                                    [&] { backward(productEnergy(x, mean, logStd), x); }});
    std::printf("width %3ld  fused %6.2f ms (best %.2f)\n", static_cast<long>(width),
                1e3 * bench::median(seconds[0]),
                1e3 * *std::min_element(seconds[0].begin(), seconds[0].end()));
    const auto line = [&](const char* name, const std::vector<double>& other) {
        const bench::Ratio ratio = bench::ratio(other, seconds[0]);
        std::printf("           %-9s %6.1f ms (best %.1f)  %.1f x (%.1f-%.1f)\n", name,
                    1e3 * bench::median(other), 1e3 * *std::min_element(other.begin(), other.end()),
                    ratio.middle, ratio.low, ratio.high);
    };
    line("official", seconds[1]);
    line("products", seconds[2]);
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    const int rounds = count > 1 ? std::stoi(arguments[1]) : 15;
    for (const std::int64_t width : {64, 128}) measure(width, rounds);
}
