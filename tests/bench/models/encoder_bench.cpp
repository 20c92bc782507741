// Speed of a sentence encoder of all-MiniLM-L6-v2's sizes: vectors of a corpus as `kurve data vectors`
// computes them. encoder_torch.py runs it in turns with the published operation order in eager PyTorch.
// encoder_bench SENTENCES ROUNDS THREADS FILE: sentences per second, one line per round; SENTENCES holds the
// ids of one in each line. Weights and vectors go to FILE.

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/train/corpus_vectors.h"
#include "core/train/tensor_file.h"
#include "models/sentence_encoder/encoder_model.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

constexpr std::int64_t kVocabulary = 30522;
using Sentences = std::vector<std::vector<std::int32_t>>;

Sentences sentencesIn(const char* file) {
    Sentences sentences;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream numbers(line);
        std::vector<std::int32_t> ids;
        for (std::int32_t id = 0; numbers >> id;) ids.push_back(id);
        sentences.push_back(std::move(ids));
    }
    return sentences;
}

std::unique_ptr<train::SequenceModel> encoder() {
    auto parsed = RunConfig::parse("family = \"sentence_encoder\"\npreset = \"minilm-l6\"\n", "bench.toml",
                                   models::schemaLookup(), std::vector<Override>{{"data.kind", "text"}});
    KURVE_CHECK(parsed.has_value(), "{}", parsed.error().text());
    auto made = models::findFamily("sentence_encoder")
                    ->create(*parsed, {{kVocabulary, kVocabulary, true, 256, false, text::kTrainedSpecials},
                                       at::kCPU});
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    return std::move(*made);
}

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    if (count < 5) return std::fprintf(stderr, "encoder_bench SENTENCES ROUNDS THREADS FILE\n"), 2;
    const Sentences sentences = sentencesIn(arguments[1]);
    const int rounds = std::stoi(arguments[2]), threads = std::stoi(arguments[3]);
    const auto model = encoder();
    at::Tensor vectors;
    for (int round = 0; round <= rounds; ++round) {
        const double cpu = bench::cpuSeconds(), wall = wallSeconds();
        vectors = model->sentenceEncoder()->encodeSentences(sentences, threads);
        const double seconds = threads == 1 ? bench::cpuSeconds() - cpu : wallSeconds() - wall;
        if (round > 0) std::printf("%.4f\n", static_cast<double>(sentences.size()) / seconds);
    }
    train::NamedTensors tensors = train::moduleTensors(model->module());
    tensors["made"] = vectors;
    const auto written = train::writeTensors(arguments[4], tensors, {});
    KURVE_CHECK(written.has_value(), "{}", written.error().text());
    return 0;
}
