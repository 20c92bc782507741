// Estimated memory of a training against measured memory: torch's allocator, from which all tensors of a
// training come, is replaced by a counting one.
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <fstream>
#include <random>

#include "core/base/check.h"
#include "core/train/compute_thread.h"
#include "core/train/evaluation.h"
#include "core/train/make_trainer.h"
#include "core/train/memory_need.h"
#include "models/families.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models {
namespace {

std::atomic<std::int64_t> liveBytes{0}, peakBytes{0};

/// In front of each block, which is its own context: oneDNN asks for memory without one.
constexpr std::size_t kHeader = 64;

void release(void* data) {
    if (data == nullptr) return;
    auto* block = static_cast<std::byte*>(data) - kHeader;
    liveBytes -= *reinterpret_cast<std::int64_t*>(block);
    c10::free_cpu(block);
}

/// Torch's CPU allocator, with a count.
struct CountingAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t bytes) override {
        auto* block = static_cast<std::byte*>(c10::alloc_cpu(bytes + kHeader));
        *reinterpret_cast<std::int64_t*>(block) = static_cast<std::int64_t>(bytes);
        const std::int64_t now = liveBytes += static_cast<std::int64_t>(bytes);
        std::int64_t known = peakBytes;
        while (known < now && !peakBytes.compare_exchange_weak(known, now)) {
        }
        return {block + kHeader, block + kHeader, &release, c10::kCPU};
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }
};

CountingAllocator counting;
const bool kInstalled = [] {
    c10::SetAllocator(c10::kCPU, &counting, 200);
    return true;
}();

std::string sentence(std::mt19937& random, int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += (i > 0 ? " w" : "w") + std::to_string(random() % 900);
    return text;
}

/// 300 pairs over 900 words, of 3 to 30 words a side.
void writeCorpus(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder / "data");
    std::mt19937 random(7);
    for (const auto& [name, pairs] : {std::pair("train", 300), std::pair("valid", 40)}) {
        std::ofstream file(folder / "data" / (std::string(name) + ".tsv"));
        for (int i = 0; i < pairs; ++i) {
            const int words = 3 + static_cast<int>(random() % 28);
            file << sentence(random, words) << '\t'
                 << sentence(random, words + static_cast<int>(random() % 3)) << '\n';
        }
    }
}

using Sizes = std::vector<Override>;

const Sizes kSmall{
    {"model.hidden", "64"},         {"model.latent", "32"},        {"model.ffn", "256"},
    {"model.heads", "4"},           {"model.encoder_layers", "2"}, {"model.decoder_layers", "2"},
    {"train.batch_tokens", "1024"}, {"train.cpu_replicas", "1"},   {"train.ema_decay", "0"}};
// One replica: whether the peaks of two meet depends on the scheduler.
const Sizes kLarger{{"model.hidden", "192"},        {"model.latent", "64"},
                    {"model.ffn", "768"},           {"model.heads", "4"},
                    {"model.encoder_layers", "4"},  {"model.decoder_layers", "4"},
                    {"train.batch_tokens", "3000"}, {"train.cpu_replicas", "1"},
                    {"train.ema_decay", "0.99"},    {"train.accumulate", "2"}};

RunConfig configOf(const std::string& family, Sizes sizes, const Sizes& more = {}) {
    sizes.insert(sizes.end(), more.begin(), more.end());
    for (const auto& [key, value] : Sizes{{"data.tokenizer.kind", "whitespace"},
                                          {"data.tokenizer.vocabulary", "1000"},
                                          {"data.max_length", "40"},
                                          {"model.max_positions", "64"},
                                          {"train.steps", "100"},
                                          {"eval.samples", "4"},
                                          {"sampler.steps", "2"},
                                          {"eval.prompt_count", "0"},
                                          {"eval.loss_pairs", "40"}})
        sizes.emplace_back(key, value);
    const Schema schema = train::schemaOf(*findFamily(family));
    std::erase_if(sizes, [&](const Override& s) { return schema.find(s.first) == nullptr; });
    auto parsed =
        RunConfig::parse("family = \"" + family + "\"\npreset = \"tiny\"\n", "m.toml", schemaLookup(), sizes);
    KURVE_CHECK(parsed.has_value(), "{}", parsed.error().text());
    return *parsed;
}

class MemoryNeed : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        train::prepareComputeThread(1);
        ASSERT_TRUE(kInstalled);
        writeCorpus(folder_.path());
    }
    std::shared_ptr<const text::Dataset> dataOf(const RunConfig& config) {
        auto data = text::prepareDataset(config, folder_.path(), nullptr);
        KURVE_CHECK(data.has_value(), "{}", data.error().text());
        return std::make_shared<const text::Dataset>(std::move(*data));
    }
    /// The most that a real training takes at once: an epoch, and an evaluation.
    std::int64_t measured(const RunConfig& config, const std::shared_ptr<const text::Dataset>& data) {
        const std::int64_t before = liveBytes;
        peakBytes = before;
        auto made = train::makeTrainer(*findFamily(config.family()), config, {*data, at::kCPU});
        KURVE_CHECK(made.has_value(), "{}", made.error().text());
        train::Trainer& trainer = **made;
        text::BatchStream stream({data, &data->train}, config.integer("train.batch_tokens"),
                                 static_cast<std::uint64_t>(config.integer("seed")));
        const std::int64_t each = config.integer("train.accumulate");
        for (std::int64_t done = 0; done < stream.batchesPerEpoch(); done += each) {
            std::vector<text::Batch> batches;
            for (std::int64_t i = 0; i < each; ++i) batches.push_back(stream.next());
            trainer.step(batches, 1e-4, /*measureUpdate=*/true);
            EXPECT_FALSE(trainer.nonFinite());
        }
        const train::Trainer::Evaluation guard(trainer);
        const train::Evaluator evaluator(*data, config, at::kCPU, folder_.path(), nullptr);
        const auto report = evaluator.evaluate(trainer.model(), {}, [] {});
        KURVE_CHECK(report.has_value(), "{}", report.error().text());
        return peakBytes - before;
    }
    void expectWithin15Percent(const RunConfig& config) {
        const auto data = dataOf(config);
        const auto need = train::memoryNeed(*findFamily(config.family()), config, data, at::kCPU);
        ASSERT_TRUE(need) << need.error().text();
        const auto real = static_cast<double>(measured(config, data));
        RecordProperty("expected", std::to_string(need->total()));
        std::printf("%s: expected %.2f MB, measured %.2f MB: %+.1f %%\n", config.family().c_str(),
                    static_cast<double>(need->total()) / 1e6, real / 1e6,
                    100 * (static_cast<double>(need->total()) / real - 1));
        EXPECT_NEAR(static_cast<double>(need->total()), real, 0.15 * real);
    }
    testing::TemporaryFolder folder_;
};

TEST_P(MemoryNeed, IsWhatASmallTrainingTakes) {
    expectWithin15Percent(configOf(GetParam(), kSmall));
}

TEST_P(MemoryNeed, IsWhatALargerTrainingTakes) {
    expectWithin15Percent(configOf(GetParam(), kLarger));
}

class MemoryNeedOfTexts : public MemoryNeed {};

// The batch with most rows is the largest, not the one with most tokens.
TEST_F(MemoryNeedOfTexts, ThatAreFilledToOneWidthTheRowsCount) {
    expectWithin15Percent(configOf("mdlm", kLarger, {{"data.kind", "text"}, {"model.length", "fixed"}}));
}

TEST_P(MemoryNeed, OfFrozenPartsThereAreWeightsAlone) {
    const RunConfig frozen = configOf(GetParam(), kLarger, {{"train.parameter_groups", "*weight: frozen"}});
    expectWithin15Percent(frozen);
    const RunConfig all = configOf(GetParam(), kLarger);
    const auto& family = *findFamily(GetParam());
    const auto some = train::memoryNeed(family, frozen, dataOf(frozen), at::kCPU),
               whole = train::memoryNeed(family, all, dataOf(all), at::kCPU);
    ASSERT_TRUE(some && whole);
    EXPECT_EQ(some->parameters, whole->parameters);
    EXPECT_LT(some->optimizer, whole->optimizer / 10);
    EXPECT_LT(some->gradients, whole->gradients / 10);
    EXPECT_NEAR(static_cast<double>(some->weights), static_cast<double>(whole->weights),
                0.01 * static_cast<double>(whole->weights));
}

TEST_P(MemoryNeed, IsWhatAnUpdateOfSmallBatchesTakes) {
    expectWithin15Percent(configOf(GetParam(), kLarger, {{"train.batch_tokens", "64"}}));
}

TEST_P(MemoryNeed, IsWhatStepsInBf16Take) {
    expectWithin15Percent(configOf(GetParam(), kSmall, {{"train.precision", "bf16"}}));
}

TEST_P(MemoryNeed, IsLessWithActivationCheckpointing) {
    const Sizes on{{"train.activation_checkpointing", "true"}};
    expectWithin15Percent(configOf(GetParam(), kSmall, on));
    const RunConfig saving = configOf(GetParam(), kLarger, on), plain = configOf(GetParam(), kLarger);
    const auto& family = *findFamily(GetParam());
    const auto less = train::memoryNeed(family, saving, dataOf(saving), at::kCPU),
               more = train::memoryNeed(family, plain, dataOf(plain), at::kCPU);
    ASSERT_TRUE(less && more);
    EXPECT_LT(less->activations, more->activations);
}

TEST_P(MemoryNeed, TakesNothing) {
    const RunConfig config = configOf(GetParam(), kLarger,
                                      {{"model.hidden", "4096"},
                                       {"model.ffn", "16384"},
                                       {"model.encoder_layers", "24"},
                                       {"model.layers", "48"}});
    const auto data = dataOf(config);
    const std::int64_t before = liveBytes;
    peakBytes = before;
    const auto need = train::memoryNeed(*findFamily(GetParam()), config, data, at::kCPU);
    ASSERT_TRUE(need) << need.error().text();
    EXPECT_GT(need->total(), std::int64_t{50'000'000'000});
    EXPECT_LT(peakBytes - before, 20'000'000);
}

// Every setting works on shapes as well.
TEST_P(MemoryNeed, IsKnownForEveryPresetAndVariant) {
    const train::ModelFamily& family = *findFamily(GetParam());
    const Schema schema = train::schemaOf(family);
    std::vector<Sizes> variants;
    for (const FieldSpec& field : schema.fields) {
        const bool own = field.key.rfind("data.", 0) != 0 && field.key.rfind("sampler.", 0) != 0 &&
                         field.key.rfind("diffusion.schedule", 0) != 0;
        for (const std::string& choice : field.choices)
            if (own) variants.push_back({{field.key, choice}});
        if (own && std::holds_alternative<bool>(field.fallback))
            variants.push_back({{field.key, std::get<bool>(field.fallback) ? "false" : "true"}});
    }
    variants.insert(variants.end(),
                    {{{"map.curves", "3"}},
                     {{"contrastive.weight", "0.5"}, {"contrastive.center", "row"}},
                     {{"self_correction.start_update", "50"}, {"self_correction.rule", "cmlmc"}},
                     {{"model.dropout", "0.1"}},
                     {{"loss.label_smoothing", "0.1"}}});
    std::shared_ptr<const text::Dataset> data;
    for (const Sizes& variant : variants) {
        const RunConfig config = configOf(GetParam(), kSmall, variant);
        if (!data) data = dataOf(config);
        const auto need = train::memoryNeed(family, config, data, at::kCPU);
        const bool refused =
            !need && need.error().code != "memory.unknown";  // settings that exclude each other
        EXPECT_TRUE(need || refused) << variant.front().first << " " << variant.front().second << ": "
                                     << need.error().text();
    }
}

TEST(MemoryProblem, NamesTheNumbers) {
    train::MemoryNeed need;
    need.weights = 1'000'000'000;
    need.gradients = 2 * need.weights;
    need.optimizer = 2 * need.weights;
    need.activations = 500'000'000;
    EXPECT_FALSE(train::memoryProblem(need, std::nullopt));
    EXPECT_FALSE(train::memoryProblem(need, need.total()));
    const auto problem = train::memoryProblem(need, need.total() - 1);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->code, "memory.exceeds_free");
    EXPECT_THAT(problem->text(), ::testing::HasSubstr("5.5 GB of memory (1.0 GB weights, 2.0 GB gradients"));
    EXPECT_THAT(problem->text(), ::testing::HasSubstr("--force"));
}

INSTANTIATE_TEST_SUITE_P(Families, MemoryNeed, ::testing::ValuesIn([] {
                             std::vector<std::string> ids;
                             for (const auto& family : families()) {
                                 const Schema schema = family->ownSchema();
                                 if (family->trains() && schema.find("model.autoencoder") == nullptr &&
                                     schema.find("model.concepts") == nullptr)
                                     ids.push_back(schema.family);
                             }
                             return ids;
                         }()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace kurve::models
