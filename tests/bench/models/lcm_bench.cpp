// Speed of LCM on one thread in processor time: training steps of its five kinds, vectors given but for an
// encoder of width 8, and Two-Tower's denoising of next sentences with a context (20 steps, guidance 1.5).
// lcm_torch.py runs it in turns with the published operation order in eager PyTorch.
// lcm_bench SIZE KIND ROUNDS STEPS: prints training steps per second, one line per round.
// lcm_bench SIZE CONTEXT ROUNDS REPEATS FILE: sentences per second; weights, inputs and result go to FILE.

#include <cstring>

#include "core/tensor/random.h"
#include "core/train/tensor_file.h"
#include "models/lcm/lcm_fields.h"
#include "models/lcm/lcm_model.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;
using namespace kurve::models::lcm;

namespace {

constexpr std::int64_t kDocuments = 8, kVocabulary = 1000;  // documents of a batch of denoising
constexpr int kNext = 4;                                    // sentences denoised one after another
constexpr int kWords = 3;

/// What lcm_torch.py knows by the same name.
struct Size {
    const char* name;
    std::int64_t width, hidden, ffn, heads;
    std::int64_t layers, denoiserLayers, baseLayers, towerLayers;  ///< of two-tower; of base; of the others
    std::int64_t centroids;
    int documents, sentences;
};
constexpr Size kSizes[] = {{"tiny", 64, 96, 256, 4, 2, 2, 2, 4, 256, 64, 6},
                           {"small", 256, 512, 1408, 8, 3, 6, 6, 6, 256, 16, 16}};

std::string text(std::int64_t value) {
    return std::to_string(value);
}

RunConfig configOf(const Size& size, const std::string& kind) {
    const std::int64_t layers = kind == "two-tower" ? size.layers
                                : kind == "base"    ? size.baseLayers
                                                    : size.towerLayers;
    return bench::config("lcm", {{"data.kind", "documents"},
                                 {"model.concepts", "random"},
                                 {"model.kind", kind},
                                 {"model.hidden", text(size.hidden)},
                                 {"model.ffn", text(size.ffn)},
                                 {"model.heads", text(size.heads)},
                                 {"model.layers", text(layers)},
                                 {"model.denoiser_layers", text(size.denoiserLayers)},
                                 {"quantizer.centroids", text(size.centroids)},
                                 {"quantizer.updates", "1"},
                                 {"init.output", "default"},
                                 {"train.beta2", "0.95"},
                                 {"sampler.steps", "20"},
                                 {"sampler.guidance", "1.5"}});
}

LcmParts partsOf(const Size& size, const RunConfig& config) {
    LcmParts parts;
    const LcmSizes sizes = sizesOf(config, size.width);
    parts.net = makeNet(sizes);
    if (isQuant(sizes.kind))
        parts.quantizer = parts.net->register_module(
            "quantizer", models::Quantizer(sizes.books, sizes.centroids, sizes.width));
    parts.end = parts.net->register_buffer("end", at::zeros({sizes.width}));
    parts.endsSeen = parts.net->register_buffer("ends_seen", at::zeros({}));
    models::initialise(*parts.net, 1, [](const std::string& name, const at::Tensor& parameter) {
        return lcmInitializer(false, name, parameter);
    });
    parts.alphaBars = alphaBarsOf(config);
    const RunConfig concepts = bench::config("concept", {{"data.kind", "text"},
                                                         {"data.max_length", text(kWords + 2)},
                                                         {"concept.width", text(size.width)},
                                                         {"model.hidden", "8"},
                                                         {"model.heads", "1"},
                                                         {"model.ffn", "8"}});
    auto made = models::findFamily("concept")->create(
        concepts, {{kVocabulary, kVocabulary, true, kWords + 2, false, text::kTrainedSpecials}});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    parts.autoencoder = std::move(*made);
    return parts;
}

text::Batch documentsOf(const Size& size) {
    constexpr int kLength = kWords + 2;
    text::Batch batch;
    batch.rows = size.documents * size.sentences;
    batch.targetLength = kLength;
    const auto rows = static_cast<std::size_t>(batch.rows);
    batch.sourceLengths.assign(rows, 0);
    batch.targetLengths.assign(rows, kLength);
    batch.sentences.assign(static_cast<std::size_t>(size.documents), size.sentences);
    RandomStream random(1, "bench.documents");
    for (int i = 0; i < batch.rows * kLength; ++i)
        batch.target.push_back(i % kLength == 0 ? text::kBos
                               : i % kLength == kLength - 1
                                   ? text::kEos
                                   : text::kFirstRegularToken +
                                         static_cast<std::int32_t>(random.below(
                                             static_cast<std::uint64_t>(kVocabulary) -
                                             static_cast<std::uint64_t>(text::kFirstRegularToken))));
    return batch;
}

void trainRounds(const Size& size, const std::string& kind, int rounds, int steps) {
    const RunConfig config = configOf(size, kind);
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(std::make_unique<LcmModel>(config, partsOf(size, config)));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    const text::Batch batch = documentsOf(size);
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

at::Tensor normals(const char* purpose, int number, const Size& size) {
    return tensor::normalRows({kDocuments, size.width},
                              {StreamId(1, purpose, 0), static_cast<std::uint64_t>(number * kDocuments)},
                              at::kCPU);
}

void denoiseRounds(const Size& size, int context, int rounds, int repeats, const char* file) {
    const torch::NoGradGuard noGrad;
    const RunConfig config = configOf(size, "two-tower");
    LcmParts parts = partsOf(size, config);
    parts.net->eval();
    const auto settings = denoisingOf(config, parts.alphaBars, parts.target);
    KURVE_CHECK(settings.has_value(), "{}", settings.error().text());
    std::vector<at::Tensor> known, noise, made;
    for (int i = 0; i < context; ++i) known.push_back(normals("bench.context", i, size));
    for (int i = 0; i < kNext; ++i) noise.push_back(normals("bench.noise", i, size));
    for (int round = -1; round < rounds; ++round) {
        double seconds = 0;
        for (int repeat = 0; repeat < (round < 0 ? 1 : repeats); ++repeat) {
            const auto next = parts.net->begin(kDocuments);
            DenoisingHooks hooks{[&](const at::Tensor& x, std::int64_t index, bool withContext) {
                return next->predict(x, index, withContext);
            }};
            hooks.predictBoth = [&](const at::Tensor& x, std::int64_t index) {
                return next->predictBoth(x, index);
            };
            for (int i = 0; i + 1 < context; ++i) next->append(known[static_cast<std::size_t>(i)]);
            (void)denoise(noise[0], *settings, hooks);  // what a document computes once for all its sentences
            made.clear();
            const double start = bench::cpuSeconds();
            for (int i = 0; i < kNext; ++i) {
                next->append(made.empty() ? known.back() : made.back());
                made.push_back(denoise(noise[static_cast<std::size_t>(i)], *settings, hooks));
            }
            seconds += bench::cpuSeconds() - start;
        }
        if (round >= 0) std::printf("%.4f\n", static_cast<double>(kDocuments * kNext * repeats) / seconds);
    }
    train::NamedTensors tensors = train::moduleTensors(*parts.net);
    tensors["known"] = at::stack(known, 1);
    tensors["noise"] = at::stack(noise, 1);
    tensors["made"] = at::stack(made, 1);
    const auto written = train::writeTensors(file, tensors, {});
    KURVE_CHECK(written.has_value(), "{}", written.error().text());
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    if (count < 5)
        return std::fprintf(stderr,
                            "lcm_bench SIZE KIND ROUNDS STEPS, or SIZE CONTEXT ROUNDS REPEATS FILE\n"),
               2;
    const int rounds = std::stoi(arguments[3]), steps = std::stoi(arguments[4]);
    for (const Size& size : kSizes) {
        if (std::strcmp(size.name, arguments[1]) != 0) continue;
        if (count > 5)
            denoiseRounds(size, std::stoi(arguments[2]), rounds, steps, arguments[5]);
        else
            trainRounds(size, arguments[2], rounds, steps);
        return 0;
    }
    return std::fprintf(stderr, "no size %s\n", arguments[1]), 2;
}
