// CMLM beside cmlm_torch.py, which starts it and runs it in turns with eager PyTorch.
//   cmlm_bench FOLDER train|decode THREADS REPLICAS WIDE [KEY=VALUE …]
// WIDE 0: the tiny preset, V 2000, 16 rows a batch; 1: d 512, V 10,000, 32 rows. Writes
// FOLDER/start.safetensors (weights, batches, what the decoder reads in the first updates; or weights and
// sources), then prints the losses of the first kCompared updates, or all candidates; then for every number n
// on its input the wall seconds of n updates, or of n decodings of all sentences, and of the same with
// sample statistics.

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/text/trained_specials.h"
#include "core/train/tensor_file.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/masking.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

constexpr int kCompared = 20, kBatches = 4, kSentences = 64, kTrained = 400;
constexpr double kRate = 1e-4, kLearningRate = 2e-3;

struct Size {
    std::int64_t vocabulary;
    int rows;
    std::vector<Override> settings;
};

Size sizeOf(bool wide) {
    if (!wide) return {2000, 16, {}};
    return {10000,
            32,
            {{"model.hidden", "512"},
             {"model.heads", "8"},
             {"model.ffn", "2048"},
             {"init.embedding_std", "0.044"}}};
}

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The target is the source, with every word replaced by another: learned in a few hundred updates.
text::Batch translated(text::Batch batch, std::int64_t vocabulary) {
    const std::int64_t words = vocabulary - text::kFirstRegularToken;
    for (std::size_t i = 0; i < batch.source.size(); ++i) {
        const std::int32_t id = batch.source[i];
        batch.target[i] = id < text::kFirstRegularToken
                              ? id
                              : static_cast<std::int32_t>(text::kFirstRegularToken +
                                                          (7 * (id - text::kFirstRegularToken) + 3) % words);
    }
    return batch;
}

at::Tensor idsOf(const std::vector<std::int32_t>& ids, int rows) {
    return at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).view({rows, -1});
}

struct Bench {
    RunConfig config;
    Size size;
    train::Trainer trainer;
    train::NamedTensors start;

    [[nodiscard]] text::Batch batch(int number) const {
        return bench::batch(size.rows, 14 + 2 * number, 15 + 2 * number, size.vocabulary,
                            static_cast<std::uint64_t>(number + 1));
    }
    void keepWeights() {
        for (const auto& item : trainer.model().module().named_parameters())
            start["weights/" + item.key()] = item.value().detach().clone();
    }
};

void writeStart(const Bench& bench, const std::string& folder) {
    const auto written = train::writeTensors(folder + "/start.safetensors", bench.start, {});
    KURVE_CHECK(written.has_value(), "{}", written.error().text());
    std::cout << "ready" << std::endl;
}

void trainBeside(Bench& bench, const std::string& folder) {
    bench.keepWeights();
    std::vector<text::Batch> batches;
    for (int i = 0; i < kBatches; ++i) {
        batches.push_back(bench.batch(i));
        bench.start["source/" + std::to_string(i)] = idsOf(batches.back().source, bench.size.rows);
        bench.start["target/" + std::to_string(i)] = idsOf(batches.back().target, bench.size.rows);
    }
    std::ostringstream losses;
    losses.precision(9);
    for (int i = 0; i < kCompared; ++i) {
        const train::DeviceBatch batch =
            train::toDevice(batches[static_cast<std::size_t>(i % kBatches)], at::kCPU);
        const auto seed = static_cast<std::uint64_t>(bench.config.integer("seed"));
        const models::cmlm::MaskDraw draw = models::cmlm::drawMasks(
            batch, {seed, static_cast<std::uint64_t>(i), 0}, bench.config, /*correcting=*/false);
        at::Tensor read = batch.target.clone();
        read.view(-1).index_fill_(0, at::tensor(draw.maskedAt),
                                  models::cmlm::maskId(bench.config, text::kTrainedSpecials));
        bench.start["read/" + std::to_string(i)] = read;
    }
    writeStart(bench, folder);
    for (int i = 0; i < kCompared; ++i)
        losses << bench.trainer.step({batches[static_cast<std::size_t>(i % kBatches)]}, kRate)
                      .loss.item<double>()
               << ' ';
    (void)bench.trainer.nonFinite();
    std::cout << losses.str() << std::endl;
    for (int number = 0, steps = 0; std::cin >> steps;) {
        const double began = wallSeconds();
        for (int i = 0; i < steps; ++i, ++number) {
            bench.trainer.step({batches[static_cast<std::size_t>(number % kBatches)]}, kRate);
            (void)bench.trainer.nonFinite();
        }
        std::cout << wallSeconds() - began << std::endl;
    }
}

train::Generation decoded(Bench& bench, const train::GenerateRequest& request) {
    auto made = bench.trainer.model().generate(request, bench.config, nullptr);
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

void decodeBeside(Bench& bench, const std::string& folder) {
    for (int i = 0; i < kTrained; ++i) {
        text::Batch batch = bench::batch(bench.size.rows, 8 + i % 20, 8 + i % 20, bench.size.vocabulary,
                                         static_cast<std::uint64_t>(100 + i));
        bench.trainer.step({translated(std::move(batch), bench.size.vocabulary)}, kLearningRate);
        (void)bench.trainer.nonFinite();
    }
    bench.keepWeights();
    writeStart(bench, folder);
    train::GenerateRequest request;
    for (int i = 0; i < kSentences; ++i) {  // 9 to 29 words, shuffled as a file's lines are
        const int words = 9 + (i * 13) % 21;
        const text::Batch one =
            bench::batch(1, words + 4, words, bench.size.vocabulary, static_cast<std::uint64_t>(1000 + i));
        request.sources.emplace_back(one.source.begin(), one.source.begin() + one.sourceLengths.front());
    }
    nlohmann::json all = nlohmann::json::array();
    for (const train::GeneratedRow& row : decoded(bench, request).rows) {
        nlohmann::json candidates(row.candidates.size(), nullptr);
        for (const train::Candidate& one : row.candidates)
            candidates[static_cast<std::size_t>(one.number)] = {{"ids", one.ids}, {"score", one.score}};
        all.push_back({{"best", row.best.number}, {"candidates", candidates}});
    }
    std::cout << nlohmann::json{{"sources", request.sources}, {"rows", all}}.dump() << std::endl;
    for (int times = 0; std::cin >> times;) {
        for (const bool measure : {false, true}) {
            request.collectStatistics = measure;
            const double began = wallSeconds();
            for (int i = 0; i < times; ++i) decoded(bench, request);
            std::cout << wallSeconds() - began << (measure ? '\n' : ' ');
        }
        std::cout << std::flush;
    }
}

}  // namespace

int main(int count, char** arguments) {
    KURVE_CHECK(count >= 6, "cmlm_bench FOLDER train|decode THREADS REPLICAS WIDE [KEY=VALUE …]");
    const std::string folder = arguments[1], mode = arguments[2];
    const int threads = std::stoi(arguments[3]), replicas = std::stoi(arguments[4]);
    bench::prepare();
    at::set_num_threads(threads);
    const Size size = sizeOf(std::stoi(arguments[5]) != 0);
    std::vector<Override> settings = size.settings;
    settings.push_back({"train.max_grad_norm", "0"});
    for (int i = 6; i < count; ++i) {
        const std::string_view setting = arguments[i];
        const std::size_t at = setting.find('=');
        settings.push_back({std::string(setting.substr(0, at)), std::string(setting.substr(at + 1))});
    }
    const RunConfig config = bench::config("cmlm", settings);
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    for (int r = 0; r < replicas; ++r) models.push_back(bench::model(config, size.vocabulary));
    Bench bench{config, size, train::Trainer(std::move(models), config, at::kCPU, threads), {}};
    std::cout.precision(9);
    if (mode == "train")
        trainBeside(bench, folder);
    else
        decodeBeside(bench, folder);
}
