// What a GPU does with a training step, with new shapes, with decoding and with the banded map: gpu_bench
// [device] [rounds], device cuda by default. Wall time, rounds in turns; every round ends with a value read
// from the device. Prints the rows of two Markdown tables; packaging/gpu-check writes them down.

#include <chrono>

#include "core/tensor/cuda_library.h"
#include "core/text/trained_specials.h"
#include "models/common/curve_maps.h"
#include "tests/bench/models/bench_common.h"
#include "tests/models/family_fixture.h"

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

/// A family at 512 wide with six layers a side, 64 rows of 60 tokens; and MDLM at its paper's size on 64 rows
/// of 128.
struct Case {
    std::string family;
    std::string size;
    std::int64_t vocabulary;
    int rows, tokens;
    std::vector<Override> settings;
};

std::vector<Override> baseSettings() {
    return {{"model.hidden", "512"},       {"model.latent", "128"},       {"model.ffn", "2048"},
            {"model.heads", "8"},          {"model.layers", "6"},         {"model.encoder_layers", "6"},
            {"model.decoder_layers", "6"}, {"model.conditioning", "128"}, {"model.dropout", "0.1"}};
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const auto& family : models::families()) {
        const Schema schema = family->ownSchema();
        // Else it needs a trained one of this vocabulary.
        if (family->trains() && schema.find("model.autoencoder") == nullptr &&
            schema.find("model.concepts") == nullptr)
            all.push_back({schema.family, "base", 10'000, 64, 60, baseSettings()});
    }
    all.push_back({"mdlm",
                   "paper",
                   30'522,
                   64,
                   126,
                   {{"model.hidden", "768"},
                    {"model.layers", "12"},
                    {"model.heads", "12"},
                    {"model.ffn", "3072"},
                    {"model.conditioning", "128"},
                    {"model.dropout", "0"},
                    {"model.length", "fixed"},
                    {"model.anchor", "false"},
                    {"model.smooth_input", "false"},
                    {"model.tied", "false"},
                    {"train.ema_decay", "0.9999"}}});
    return all;
}

text::Batch batchOf(const Case& c, bool pairs) {
    text::Batch batch = bench::batch(c.rows, c.tokens, c.tokens, c.vocabulary);
    if (pairs) return batch;
    batch.source.clear();
    batch.sourceLength = 0;
    batch.sourceLengths.assign(batch.sourceLengths.size(), 0);
    return batch;
}

std::unique_ptr<train::Trainer> trainerOf(const Case& c, bool pairs, at::Device device) {
    std::vector<Override> settings = models::testing::known(c.family, c.settings);
    if (!pairs) settings.emplace_back("data.kind", "text");
    const RunConfig config = bench::config(c.family, settings);
    auto made = models::findFamily(c.family)->create(
        config, {{c.vocabulary, c.vocabulary, true, 128, pairs, text::kTrainedSpecials}, device});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(std::move(*made));
    return std::make_unique<train::Trainer>(std::move(models), config, device);
}

void measureTraining(const Case& c, at::Device device, int rounds) {
    const bool pairs = c.size == "base" && models::testing::takesPairs(c.family);
    const auto trainer = trainerOf(c, pairs, device);
    const text::Batch batch = batchOf(c, pairs);
    constexpr int kSteps = 10;
    const auto round = [&] {
        for (int i = 0; i < kSteps; ++i) trainer->step({batch}, 1e-4);
        (void)trainer->nonFinite();  // waits for the device
    };
    round();
    std::vector<double> seconds;
    for (int i = 0; i < rounds; ++i) seconds.push_back(secondsOf(round) / kSteps);
    const double middle = bench::median(seconds);
    std::printf("| training step, %s | %s | %.1f ms | %.0f target tokens/s |\n", c.size.c_str(),
                c.family.c_str(), 1e3 * middle, c.rows * c.tokens / middle);
    std::fflush(stdout);
}

/// In bf16: ten steps whose batches each have a shape of their own, for the first time and again.
void measureNewShapes(const std::string& family, at::Device device, int rounds) {
    Case c{family, "base", 10'000, 64, 60, baseSettings()};
    c.settings.emplace_back("train.precision", "bf16");
    const auto trainer = trainerOf(c, /*pairs=*/true, device);
    constexpr int kShapes = 10;
    std::vector<double> first, again;
    for (int i = 0; i <= rounds; ++i) {
        c.rows = 64 - i;
        const auto round = [&] {
            for (c.tokens = 60; c.tokens > 60 - kShapes; --c.tokens)
                trainer->step({batchOf(c, /*pairs=*/true)}, 1e-4);
            (void)trainer->nonFinite();
        };
        const double fresh = secondsOf(round) / kShapes, known = secondsOf(round) / kShapes;
        if (i == 0) continue;
        first.push_back(fresh);
        again.push_back(known);
    }
    const auto ratio = bench::ratio(first, again);
    std::printf(
        "| training step in bf16, shapes of batches not seen before | %s | %.1f ms | %.2f x with known ones "
        "(%.2f-%.2f) |\n",
        family.c_str(), 1e3 * bench::median(first), ratio.middle, ratio.low, ratio.high);
    std::fflush(stdout);
}

/// One sentence, and 64, in 20 steps: with CUDA graphs and without, the same model in turns.
void measureGraphs(const std::string& family, int rows, at::Device device, int rounds) {
    constexpr std::int64_t kVocabulary = 10'000;
    std::vector<Override> settings = models::testing::known(family, baseSettings());
    settings.emplace_back("sampler.steps", "20");
    const RunConfig plain = bench::config(family, settings);
    settings.emplace_back("sampler.cuda_graphs", "true");
    const RunConfig replayed = bench::config(family, settings);
    auto model = models::findFamily(family)->create(
        plain, {{kVocabulary, kVocabulary, true, 64, true, text::kTrainedSpecials}, device});
    KURVE_CHECK(model.has_value(), "{}", model.error().text());
    train::GenerateRequest request;
    const text::Batch batch = bench::batch(rows, 30, 30, kVocabulary);
    for (int r = 0; r < rows; ++r) {
        const auto first = batch.source.begin() + r * batch.sourceLength;
        request.sources.emplace_back(first, first + batch.sourceLengths[static_cast<std::size_t>(r)]);
    }
    std::vector<double> with, without;
    for (int i = 0; i <= rounds; ++i)
        for (const RunConfig* sampler : {&replayed, &plain}) {
            const double seconds = secondsOf([&] {
                const auto generated = (*model)->generate(request, *sampler, nullptr);
                KURVE_CHECK(generated.has_value(), "{}", generated.error().text());
            });
            if (i > 0) (sampler == &replayed ? with : without).push_back(seconds);
        }
    const auto ratio = bench::ratio(without, with);
    std::printf(
        "| decoding with CUDA graphs, 20 steps | %s, %d rows | %.1f ms | %.2f x without (%.2f-%.2f) |\n",
        family.c_str(), rows, 1e3 * bench::median(with), ratio.middle, ratio.low, ratio.high);
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
    (void)tensor::cudaLibrary();  // loads it, where this build has one
    const int rounds = count > 2 ? std::stoi(arguments[2]) : 9;
    for (const Case& c : cases()) measureTraining(c, device, rounds);
    measureNewShapes("difformer", device, rounds);
    for (const char* family : {"difformer", "sclm", "diffusia"})
        for (const int rows : {1, 64}) measureGraphs(family, rows, device, rounds);
    for (const double rho : {1.2, 2.0, 3.5})
        for (const std::int64_t width : {64, 128, 512}) measureMap(rho, width, device, rounds);
}
