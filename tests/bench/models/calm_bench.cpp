// Speed of CALM on one thread in processor time: training steps of the autoencoder and of the language model,
// and texts of 16 chunks sampled with Algorithm 2 (200 draws a chunk, T = 1/2).
// calm_torch.py runs it in turns with the published operation order in eager PyTorch.
// calm_bench SIZE autoencoder|train|sample|sharp ROUNDS STEPS: prints steps or tokens per second, one line
// per round. Of random weights all draws differ, the worst case; sharp: many are equal. How many draws were
// made is on the standard error.

#include <cstring>

#include "core/tensor/random.h"
#include "core/text/trial_tokenizer.h"
#include "core/train/run_reference.h"
#include "core/train/tensor_file.h"
#include "models/calm_autoencoder/autoencoder_model.h"
#include "tests/bench/models/bench_common.h"
#include "tests/support/temporary_folder.h"

using namespace kurve;

namespace {

constexpr std::int64_t kChunk = 4, kChunksWritten = 16;
constexpr const char *kAutoencoder = "calm_autoencoder", *kLanguageModel = "calm";

/// What calm_torch.py knows by the same name.
struct Size {
    const char* name;
    std::int64_t vocabulary, latent, codecHidden, codecFfn;
    std::int64_t hidden, ffn, layers, heads, blocks, noise, targets;
    int codecRows, rows, chunks;  ///< texts a step of either model, and their chunks
    double sharpBias;             ///< deviation of the head's last bias that makes many draws equal
};
constexpr Size kSizes[] = {{"tiny", 1000, 64, 128, 320, 128, 320, 4, 4, 1, 32, 32, 16, 16, 16, 0.2},
                           {"small", 8000, 128, 512, 1280, 768, 2048, 12, 12, 3, 64, 100, 8, 2, 32, 1.0}};

std::string text(std::int64_t value) {
    return std::to_string(value);
}

RunConfig codecConfig(const Size& size) {
    return bench::config(kAutoencoder, {{"data.kind", "text"},
                                        {"data.max_length", text(size.chunks * kChunk + 1)},
                                        {"chunk.tokens", text(kChunk)},
                                        {"chunk.latent", text(size.latent)},
                                        {"model.hidden", text(size.codecHidden)},
                                        {"model.ffn", text(size.codecFfn)},
                                        {"init.kind", "published"},
                                        {"train.weight_decay", "0.1"},
                                        {"train.beta2", "0.95"}});
}

RunConfig languageConfig(const Size& size) {
    return bench::config(kLanguageModel, {{"data.kind", "text"},
                                          {"data.max_length", text(size.chunks * kChunk + 1)},
                                          {"model.autoencoder", "random"},
                                          {"model.hidden", text(size.hidden)},
                                          {"model.ffn", text(size.ffn)},
                                          {"model.layers", text(size.layers)},
                                          {"model.heads", text(size.heads)},
                                          {"head.blocks", text(size.blocks)},
                                          {"head.noise", text(size.noise)},
                                          {"head.samples", "8"},
                                          {"head.targets", text(size.targets)},
                                          {"init.kind", "published"},
                                          {"init.output", "default"},
                                          {"train.weight_decay", "0.1"},
                                          {"train.beta2", "0.95"},
                                          {"sampler.algorithm", "batch"},
                                          {"sampler.temperature", "0.5"},
                                          {"sampler.draws", "200"},
                                          {"sampler.max_tokens", text(kChunksWritten * kChunk)}});
}

train::TextShape shapeOf(const Size& size) {
    return {size.vocabulary, size.vocabulary, true, size.chunks * kChunk + 1, false, text::kTrainedSpecials};
}

/// Finds an autoencoder of random weights, which never ends a text.
class RandomAutoencoder final : public train::RunResolver {
public:
    explicit RandomAutoencoder(const Size& size) : RunResolver(at::kCPU), config_(codecConfig(size)) {
        std::string words;
        for (std::int64_t word = text::kFirstRegularToken; word < size.vocabulary; ++word)
            words += "w" + text(word) + " ";
        auto made = text::trialTokenizer({"whitespace", static_cast<int>(size.vocabulary)}, {&words, 1});
        KURVE_CHECK(made.has_value(), "{}", made.error().text());
        tokenizer_ = *made;
        const auto model = models::findFamily(kAutoencoder)->create(config_, {shapeOf(size)});
        KURVE_CHECK(model.has_value(), "{}", model.error().text());
        {
            const torch::NoGradGuard noGrad;
            auto& net = *dynamic_cast<models::calm_autoencoder::AutoencoderModel&>(**model).net();
            net.embedding->weight.narrow(0, 0, text::kFirstRegularToken).zero_();
        }
        const auto written = train::writeTensors(weights(), train::moduleTensors((*model)->module()), {});
        KURVE_CHECK(written.has_value(), "{}", written.error().text());
    }

protected:
    Result<train::OpenReference> open(const FieldSpec& field, const RunReference& named,
                                      const std::string& value) override {
        train::OpenReference opened;
        opened.pin.field = field.key;
        opened.pin.value = value;
        opened.pin.run = named.run;
        opened.config = config_;
        opened.tokenizers.source = opened.tokenizers.target = tokenizer_;
        opened.family = models::findFamily(kAutoencoder);
        opened.weights = weights();
        return opened;
    }

private:
    [[nodiscard]] std::filesystem::path weights() const { return folder_ / "weights.safetensors"; }

    const RunConfig config_;
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    kurve::testing::TemporaryFolder folder_;
};

text::Batch textsOf(const Size& size, int rows) {
    const int length = static_cast<int>(size.chunks * kChunk) + 1;  // behind <s>
    text::Batch batch;
    batch.rows = rows;
    batch.targetLength = length;
    batch.sourceLengths.assign(static_cast<std::size_t>(rows), 0);
    batch.targetLengths.assign(static_cast<std::size_t>(rows), length);
    RandomStream random(1, "bench.texts");
    for (int i = 0; i < rows * length; ++i)
        batch.target.push_back(i % length == 0
                                   ? text::kBos
                                   : text::kFirstRegularToken +
                                         static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(
                                             size.vocabulary - text::kFirstRegularToken))));
    return batch;
}

std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config, const Size& size,
                                              train::RunResolver* maybeResolver) {
    auto made = models::findFamily(config.family())->create(config, {shapeOf(size), at::kCPU, maybeResolver});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

void trainRounds(const Size& size, bool codec, int rounds, int steps) {
    const auto resolver = codec ? nullptr : std::make_unique<RandomAutoencoder>(size);
    const RunConfig config = codec ? codecConfig(size) : languageConfig(size);
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(modelOf(config, size, resolver.get()));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    const text::Batch batch = textsOf(size, codec ? size.codecRows : size.rows);
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

void sampleRounds(const Size& size, bool sharp, int rounds, int texts) {
    RandomAutoencoder resolver(size);
    const RunConfig config = languageConfig(size);
    const auto model = modelOf(config, size, &resolver);
    model->module().eval();
    if (sharp) {
        const at::Tensor bias = model->module().named_parameters()["head.final_out.bias"];
        tensor::fillNormal(bias.detach(), StreamId(1, "bench.bias", 0), 0, size.sharpBias);
    }
    train::GenerateRequest request;
    request.sources.resize(static_cast<std::size_t>(texts));
    for (int round = -1; round < rounds; ++round) {
        request.seed = static_cast<std::uint64_t>(round + 2);
        const double start = bench::cpuSeconds();
        const auto made = model->generate(request, config, nullptr);
        const double seconds = bench::cpuSeconds() - start;
        KURVE_CHECK(made.has_value(), "{}", made.error().text());
        std::size_t tokens = 0;
        train::MeanAccumulator draws;
        for (const train::GeneratedRow& row : made->rows) {
            tokens += row.best.ids.size();
            const auto& own = row.best.sampleStatistics.at("draws");
            draws.sum += own.sum;
            draws.count += own.count;
        }
        if (round < 0) continue;
        std::printf("%.4f\n", static_cast<double>(tokens) / seconds);
        std::fprintf(stderr, "%.1f draws a chunk\n", draws.sum / draws.count);
    }
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    if (count < 5)
        return std::fprintf(stderr, "calm_bench SIZE autoencoder|train|sample|sharp ROUNDS STEPS\n"), 2;
    const std::string mode = arguments[2];
    const int rounds = std::stoi(arguments[3]), steps = std::stoi(arguments[4]);
    for (const Size& size : kSizes) {
        if (std::strcmp(size.name, arguments[1]) != 0) continue;
        if (mode == "sample" || mode == "sharp")
            sampleRounds(size, mode == "sharp", rounds, steps);
        else
            trainRounds(size, mode == "autoencoder", rounds, steps);
        return 0;
    }
    return std::fprintf(stderr, "no size %s\n", arguments[1]), 2;
}
