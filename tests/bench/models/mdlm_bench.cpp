// Speed of MDLM on one thread in processor time: training steps, and texts sampled with 64 ancestral steps.
// mdlm_torch.py runs it in turns with the published operation order in eager PyTorch.
// mdlm_bench SIZE train|sample ROUNDS STEPS: prints steps or texts per second, one line per round.

#include <cstring>

#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

/// What mdlm_torch.py knows by the same name.
struct Size {
    const char* name;
    std::int64_t hidden, layers, heads, ffn, conditioning, vocabulary;
    int rows, length;
};
constexpr Size kSizes[] = {{"tiny", 64, 2, 4, 256, 0, 1000, 16, 32},
                           {"medium", 256, 4, 8, 1024, 128, 8000, 8, 128},
                           {"paper", 768, 12, 12, 3072, 128, 30522, 2, 128}};

RunConfig configOf(const Size& size) {
    const auto text = [](std::int64_t value) { return std::to_string(value); };
    return bench::config("mdlm", {{"data.kind", "text"},
                                  {"model.hidden", text(size.hidden)},
                                  {"model.layers", text(size.layers)},
                                  {"model.heads", text(size.heads)},
                                  {"model.ffn", text(size.ffn)},
                                  {"model.conditioning", text(size.conditioning)},
                                  {"model.dropout", "0"},
                                  {"model.length", "fixed"},
                                  {"model.anchor", "false"},
                                  {"model.smooth_input", "false"},
                                  {"model.tied", "false"},
                                  {"diffusion.t_min", "0.001"},
                                  {"diffusion.t_max", "1"},
                                  {"train.ema_decay", "0.9999"},
                                  {"sampler.rule", "ancestral"},
                                  {"sampler.steps", "64"},
                                  {"sampler.top_p", "1"},
                                  {"sampler.temperature", "1"},
                                  {"sampler.remasking", "none"},
                                  {"sampler.block", "0"}});
}

std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config, const Size& size) {
    auto made = models::findFamily("mdlm")->create(
        config, {{size.vocabulary, size.vocabulary, true, size.length, false, text::kTrainedSpecials}});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

text::Batch textsOf(const Size& size) {
    text::Batch batch = bench::batch(size.rows, 0, size.length, size.vocabulary);
    batch.source.clear();
    batch.sourceLength = 0;
    batch.sourceLengths.assign(static_cast<std::size_t>(size.rows), 0);
    batch.targetLength = size.length;
    batch.targetLengths.assign(static_cast<std::size_t>(size.rows), size.length);
    batch.target.assign(static_cast<std::size_t>(size.rows * size.length), text::kFirstRegularToken);
    RandomStream random(1, "bench.texts");
    for (auto& id : batch.target)
        id += static_cast<std::int32_t>(
            random.below(static_cast<std::uint64_t>(size.vocabulary - text::kFirstRegularToken)));
    return batch;
}

void trainRounds(const Size& size, int rounds, int steps) {
    const RunConfig config = configOf(size);
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(modelOf(config, size));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    const text::Batch batch = textsOf(size);
    const auto run = [&](int count) {
        for (int i = 0; i < count; ++i) {
            trainer.step({batch}, 1e-4);
            (void)trainer.nonFinite();
        }
    };
    run(3);
    for (int round = 0; round < rounds; ++round) {
        const double start = bench::cpuSeconds();
        run(steps);
        std::printf("%.4f\n", steps / (bench::cpuSeconds() - start));
    }
}

void sampleRounds(const Size& size, int rounds, int texts) {
    const RunConfig config = configOf(size);
    const auto model = modelOf(config, size);
    model->module().eval();
    train::GenerateRequest request;
    request.sources.resize(static_cast<std::size_t>(texts));
    for (int round = -1; round < rounds; ++round) {
        request.seed = static_cast<std::uint64_t>(round + 2);
        const double start = bench::cpuSeconds();
        const auto made = model->generate(request, config, nullptr);
        KURVE_CHECK(made.has_value(), "{}", made.error().text());
        if (round >= 0) std::printf("%.4f\n", texts / (bench::cpuSeconds() - start));
    }
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    if (count < 5) return std::fprintf(stderr, "mdlm_bench SIZE train|sample ROUNDS STEPS\n"), 2;
    const std::string mode = arguments[2];
    const int rounds = std::stoi(arguments[3]), steps = std::stoi(arguments[4]);
    for (const Size& size : kSizes)
        if (std::strcmp(size.name, arguments[1]) == 0)
            return mode == "train" ? trainRounds(size, rounds, steps) : sampleRounds(size, rounds, steps), 0;
    return std::fprintf(stderr, "no size %s\n", arguments[1]), 2;
}
