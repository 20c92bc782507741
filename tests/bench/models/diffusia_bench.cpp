// Speed of DiffuSIA and DiffuED on one thread in processor time: training steps, and sampling of 20 steps
// with clamping. diffusia_torch.py runs it in turns with the published operation order in eager PyTorch.
// diffusia_bench SIZE NETWORK ROUNDS STEPS: prints training steps per second, one line per round.
// diffusia_bench SIZE NETWORK ROUNDS REPEATS FILE: sentences per second; weights, inputs, noise and ids go to
// FILE.

#include <cstring>

#include "core/train/tensor_file.h"
#include "models/common/candidates.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

constexpr std::int64_t kVocabulary = 2000, kSteps = 20;

/// What diffusia_torch.py knows by the same name.
struct Size {
    const char* name;
    std::int64_t hidden, ffn, heads, layers, latent;
    int rows, length;
};
constexpr Size kSizes[] = {{"tiny", 128, 256, 4, 2, 32, 10, 24}, {"small", 256, 1024, 8, 4, 64, 32, 32}};

std::string text(std::int64_t value) {
    return std::to_string(value);
}

/// Padding is a token, as published.
RunConfig configOf(const Size& size, const std::string& network) {
    return bench::config("diffusia", {{"model.network", network},
                                      {"model.hidden", text(size.hidden)},
                                      {"model.latent", text(size.latent)},
                                      {"model.ffn", text(size.ffn)},
                                      {"model.heads", text(size.heads)},
                                      {"model.encoder_layers", text(size.layers)},
                                      {"model.decoder_layers", text(size.layers)},
                                      {"model.shared_embeddings", "false"},
                                      {"data.max_length", text(size.length)},
                                      {"length.kind", "padding"},
                                      {"sampler.steps", text(kSteps)},
                                      {"sampler.clamp", "true"}});
}

std::unique_ptr<train::SequenceModel> modelOf(const Size& size, const RunConfig& config) {
    auto made =
        models::findFamily("diffusia")
            ->create(config, {{kVocabulary, kVocabulary, true, size.length, true, text::kTrainedSpecials}});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

void trainRounds(const Size& size, const std::string& network, int rounds, int steps) {
    const RunConfig config = configOf(size, network);
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(modelOf(size, config));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    const text::Batch batch = bench::batch(size.rows, size.length - 4, size.length - 2, kVocabulary);
    const auto run = [&](int count) {
        for (int i = 0; i < count; ++i) {
            trainer.step({batch}, 1e-4);
            (void)trainer.nonFinite();
        }
    };
    run(2);
    for (int round = 0; round < rounds; ++round) {
        const double start = bench::cpuSeconds();
        run(steps);
        std::printf("%.4f\n", steps / (bench::cpuSeconds() - start));
    }
}

void write(const Size& size, train::SequenceModel& model, const train::GenerateRequest& request,
           const train::Generation& made, const char* file) {
    train::NamedTensors tensors = train::moduleTensors(model.module());
    models::CandidateGroup group{{}, std::vector<std::int32_t>(request.sources.size(), 0), size.length};
    std::vector<float> ids, answers;
    for (std::size_t r = 0; r < request.sources.size(); ++r) {
        group.sources.push_back(r);
        ids.insert(ids.end(), request.sources[r].begin(), request.sources[r].end());
        answers.push_back(static_cast<float>(made.rows[r].best.score));
    }
    std::vector<at::Tensor> noise;
    for (std::uint64_t step = 0; step < kSteps; ++step)
        noise.push_back(models::noiseOf(
            group, {StreamId(request.seed, "sampler.noise", step), 0, size.latent}, at::kCPU));
    tensors["ids"] = at::tensor(ids).view({static_cast<std::int64_t>(request.sources.size()), -1});
    tensors["noise"] = at::stack(noise);
    tensors["scores"] = at::tensor(answers);
    const auto written = train::writeTensors(file, tensors, {});
    KURVE_CHECK(written.has_value(), "{}", written.error().text());
}

void sampleRounds(const Size& size, const std::string& network, int rounds, int repeats, const char* file) {
    const RunConfig config = configOf(size, network);
    const auto model = modelOf(size, config);
    const text::Batch batch = bench::batch(size.rows, size.length - 4, size.length - 2, kVocabulary);
    train::GenerateRequest request;
    for (int r = 0; r < 8; ++r) {  // of one length: no padding, one group
        const auto first = batch.source.begin() + static_cast<std::ptrdiff_t>(r) * batch.sourceLength;
        request.sources.emplace_back(first, first + size.length - 6);
    }
    std::optional<train::Generation> made;
    for (int round = -1; round < rounds; ++round) {
        const int count = round < 0 ? 1 : repeats;
        const double start = bench::cpuSeconds();
        for (int i = 0; i < count; ++i) {
            auto one = model->generate(request, config, nullptr);
            KURVE_CHECK(one.has_value(), "{}", one.error().text());
            made = std::move(*one);
        }
        const auto sentences = static_cast<double>(request.sources.size()) * count;
        if (round >= 0) std::printf("%.4f\n", sentences / (bench::cpuSeconds() - start));
    }
    write(size, *model, request, *made, file);
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    if (count < 5) return std::fprintf(stderr, "diffusia_bench SIZE NETWORK ROUNDS STEPS [FILE]\n"), 2;
    const int rounds = std::stoi(arguments[3]), steps = std::stoi(arguments[4]);
    for (const Size& size : kSizes) {
        if (std::strcmp(size.name, arguments[1]) != 0) continue;
        if (count > 5)
            sampleRounds(size, arguments[2], rounds, steps, arguments[5]);
        else
            trainRounds(size, arguments[2], rounds, steps);
        return 0;
    }
    return std::fprintf(stderr, "no size %s\n", arguments[1]), 2;
}
