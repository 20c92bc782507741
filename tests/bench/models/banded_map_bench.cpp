// The banded-map kernel against the dense batched product, forward and backward, for Psi and for Psi+.
// banded_map_bench [rounds]. Processor time, one thread, rounds in turns. "dense" takes padded matrices that
// lie ready; "dense+pad" gathers them from a table by length first, as a training step must.

#include "models/common/curve_maps.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

int main(int count, char** arguments) {
    bench::prepare();
    const int rounds = count > 1 ? std::stoi(arguments[1]) : 15;
    for (const double rho : {1.2, 2.0, 3.5})
        for (const std::int64_t width : {64, 128, 512}) {
            const RunConfig config = bench::config("sclm", {{"map.rho", fmt::format("{}", rho)}});
            models::CurveMaps maps(config, at::kCPU);
            std::vector<std::int32_t> lengths;
            for (int b = 0; b < 32; ++b) lengths.push_back(20 + b % 10);
            const auto batch = maps.batch(lengths, 29);
            const auto measure = [&](const char* name, const tensor::BandedMap& map) {
                const std::int64_t in = map.transposed.outRows;
                const at::Tensor table = tensor::denseOf(map.forward, in),
                                 x = at::randn({32, in, width}).requires_grad_();
                const at::Tensor index = at::arange(32),
                                 gradient = at::randn({32, map.forward.outRows, width});
                const auto both = [&](const at::Tensor& y) { torch::autograd::grad({y}, {x}, {gradient}); };
                constexpr int kTimes = 20;
                const auto times = [&](const std::function<void()>& once) {
                    return [once] {
                        for (int i = 0; i < kTimes; ++i) once();
                    };
                };
                const auto seconds = bench::interleaved(
                    rounds,
                    {times([&] { both(tensor::bandedMap(x, map)); }), times([&] { both(at::bmm(table, x)); }),
                     times([&] { both(at::bmm(table.index_select(0, index), x)); })});
                std::printf(
                    "rho %.1f width %4ld %-7s kernel %7.1f us  dense %7.1f us (%.2f x)  dense+pad %7.1f us "
                    "(%.2f x)\n",
                    rho, width, name, 1e6 / kTimes * bench::median(seconds[0]),
                    1e6 / kTimes * bench::median(seconds[1]), bench::ratio(seconds[1], seconds[0]).middle,
                    1e6 / kTimes * bench::median(seconds[2]), bench::ratio(seconds[2], seconds[0]).middle);
            };
            measure("Psi", batch.psi);
            measure("Psi+", batch.inverse);
        }
}
