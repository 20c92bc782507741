// What a GPU does with a training step and with the banded map: gpu_bench [device] [rounds], device cuda by
// default. Wall time, rounds in turns; every round ends with a value read from the device. Prints the rows of
// two Markdown tables; packaging/gpu-check writes them down.

#include <chrono>

#include "core/text/trained_specials.h"
#include "models/common/curve_maps.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double secondsOf(const std::function<void()>& work) {
    const double start = wallSeconds();
    work();
    return wallSeconds() - start;
}

/// Six layers of 512 on each side, 64 rows of about 60 tokens: the papers' base size.
void measureTraining(const std::string& family, at::Device device, int rounds) {
    const RunConfig config = bench::config(family, {{"model.hidden", "512"},
                                                    {"model.ffn", "2048"},
                                                    {"model.heads", "8"},
                                                    {"model.encoder_layers", "6"},
                                                    {"model.decoder_layers", "6"},
                                                    {"model.dropout", "0.1"}});
    auto made = models::findFamily(family)->create(
        config, {{10'000, 10'000, true, 128, true, text::kTrainedSpecials}, device});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(std::move(*made));
    train::Trainer trainer(std::move(models), config, device);
    const text::Batch batch = bench::batch(64, 60, 60, 10'000);
    constexpr int kSteps = 10;
    const auto round = [&] {
        for (int i = 0; i < kSteps; ++i) trainer.step({batch}, 1e-4);
        (void)trainer.nonFinite();  // waits for the device
    };
    round();
    std::vector<double> seconds;
    for (int i = 0; i < rounds; ++i) seconds.push_back(secondsOf(round) / kSteps);
    const double middle = bench::median(seconds);
    std::printf("| training step | %s | %.1f ms | %.0f target tokens/s |\n", family.c_str(), 1e3 * middle,
                64 * 60 / middle);
    std::fflush(stdout);
}

void measureMap(double rho, std::int64_t width, at::Device device, int rounds) {
    const RunConfig config = bench::config("sclm", {{"map.rho", fmt::format("{}", rho)}});
    models::CurveMaps maps(config, device);
    std::vector<std::int32_t> lengths;
    for (int b = 0; b < 128; ++b) lengths.push_back(40 + b % 20);
    const auto map = maps.batch(lengths, 59).inverse;
    const std::int64_t in = map.transposed.outRows;
    const at::Tensor table = tensor::denseOf(map.forward, in),
                     x = at::randn({128, in, width}, device).requires_grad_(),
                     gradient = at::randn({128, map.forward.outRows, width}, device);
    const auto both = [&](const std::function<at::Tensor()>& product) {
        constexpr int kTimes = 50;
        return secondsOf([&] {
                   at::Tensor last;
                   for (int i = 0; i < kTimes; ++i)
                       last = torch::autograd::grad({product()}, {x}, {gradient}).front();
                   (void)last.sum().item<float>();
               }) /
               kTimes;
    };
    std::vector<double> kernel, dense;
    for (int i = 0; i <= rounds; ++i) {
        const double ours = both([&] { return tensor::bandedMap(x, map); }),
                     theirs = both([&] { return at::bmm(table, x); });
        if (i == 0) continue;
        kernel.push_back(ours);
        dense.push_back(theirs);
    }
    const auto ratio = bench::ratio(dense, kernel);
    std::printf(
        "| Psi+ of 128 rows, forward and backward | rho %.1f, width %ld | %.0f us | %.2f x bmm (%.2f-%.2f) "
        "|\n",
        rho, static_cast<long>(width), 1e6 * bench::median(kernel), ratio.middle, ratio.low, ratio.high);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    const at::Device device(count > 1 ? arguments[1] : "cuda");
    const int rounds = count > 2 ? std::stoi(arguments[2]) : 9;
    for (const auto& family : models::families()) measureTraining(family->ownSchema().family, device, rounds);
    for (const double rho : {1.2, 2.0, 3.5})
        for (const std::int64_t width : {64, 128, 512}) measureMap(rho, width, device, rounds);
}
