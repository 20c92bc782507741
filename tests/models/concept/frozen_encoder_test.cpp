// A concept model on a frozen sentence encoder: whose vectors it reads, out of the cache or computed, and
// what is wrong with them.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "core/tensor/meta_kernels.h"
#include "core/tensor/meta_memory.h"
#include "core/text/trained_specials.h"
#include "core/text/trial_tokenizer.h"
#include "core/train/compute_thread.h"
#include "core/train/corpus_vectors.h"
#include "core/train/run_reference.h"
#include "core/train/tensor_file.h"
#include "models/concept/concept_model.h"
#include "models/families.h"
#include "models/sentence_encoder/encoder_model.h"
#include "tests/models/family_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::sentence_concept {
namespace {

namespace fs = std::filesystem;
using sentence_encoder::EncoderModel;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

constexpr std::int64_t kWidth = 24;

RunConfig encoderConfig() {
    return *RunConfig::parse("family = \"sentence_encoder\"\npreset = \"minilm-l6\"\n", "e.toml",
                             schemaLookup(),
                             std::vector<Override>{{"model.hidden", std::to_string(kWidth)},
                                                   {"model.ffn", "32"},
                                                   {"model.heads", "2"},
                                                   {"model.layers", "2"},
                                                   {"model.max_positions", "16"},
                                                   {"data.kind", "text"},
                                                   {"data.max_length", "16"}});
}

std::shared_ptr<const text::Tokenizer> toyTokenizer() {
    std::string words;
    for (char word = 'a'; word < 'u'; ++word) words += std::string(1, word) + " ";
    const std::vector<std::string> lines{words};
    return *text::trialTokenizer({"whitespace", text::kFirstRegularToken + 20}, lines);
}

/// Finds an encoder of random weights, in which a test may spoil the row of a token.
class EncoderResolver final : public train::RunResolver {
public:
    EncoderResolver() : RunResolver(at::kCPU), tokenizer_(toyTokenizer()) {
        write([](EncoderModel&) {});
    }
    void write(const std::function<void(EncoderModel&)>& change) {
        auto made = findFamily("sentence_encoder")->create(encoderConfig(), {testing::shapeFor("concept")});
        auto& model = dynamic_cast<EncoderModel&>(**made);
        const torch::NoGradGuard noGrad;
        for (at::Tensor& parameter : model.module().parameters()) parameter.mul_(20);
        change(model);
        EXPECT_TRUE(
            train::writeTensors(folder_.path() / "weights", train::moduleTensors(model.module()), {}));
    }
    [[nodiscard]] fs::path cache() const { return folder_.path() / "cache"; }
    std::string tokenizer = "toy", weights = "first";

protected:
    Result<train::OpenReference> open(const FieldSpec& field, const RunReference& named,
                                      const std::string& value) override {
        train::OpenReference opened;
        opened.pin = {field.key, value, named.run, "step-0", 0, weights, tokenizer, {}};
        opened.config = encoderConfig();
        opened.tokenizers.source = opened.tokenizers.target = tokenizer_;
        opened.family = findFamily("sentence_encoder");
        opened.weights = folder_.path() / "weights";
        opened.cache = cache();
        return opened;
    }

private:
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    kurve::testing::TemporaryFolder folder_;
};

RunConfig conceptConfig(std::vector<Override> more = {}) {
    std::vector<Override> all{{"model.encoder", "minilm"},
                              {"concept.width", std::to_string(kWidth)},
                              {"data.kind", "text"},
                              {"data.max_length", "16"}};
    all.insert(all.end(), more.begin(), more.end());
    return testing::toyConfig("concept", all);
}

Result<std::unique_ptr<train::SequenceModel>> conceptOn(train::RunResolver& resolver,
                                                        const std::vector<Override>& more = {}) {
    return findFamily("concept")->create(conceptConfig(more),
                                         {testing::shapeFor("concept"), at::kCPU, &resolver, "toy"});
}

/// The toy sentences, each twice, as a training split.
text::Dataset toyData() {
    Ids ids;
    std::vector<std::uint64_t> offset{0};
    for (int copy = 0; copy < 2; ++copy)
        for (const Ids& sentence : testing::toySources()) {
            offset.push_back(ids.size());  // no source
            ids.insert(ids.end(), sentence.begin(), sentence.end());
            offset.push_back(ids.size());
        }
    text::Dataset data;
    data.train = text::Split::inMemory(ids, offset);
    data.source = data.target = toyTokenizer();
    return data;
}

at::Tensor vectorsOf(train::SequenceModel& model) {
    std::vector<std::int32_t> lengths;
    const train::DeviceBatch batch = train::toDevice(testing::batchFor("concept"), at::kCPU);
    return dynamic_cast<ConceptModel&>(model).net()->encode(sentencesOf(batch, lengths));
}

at::Tensor lossOf(train::SequenceModel& model, std::uint64_t step = 1) {
    return model.loss(train::toDevice(testing::batchFor("concept"), at::kCPU), {5, step, 0}).total;
}

TEST(FrozenEncoder, IsNoPartOfTheModel) {
    EncoderResolver resolver;
    auto model = conceptOn(resolver);
    ASSERT_TRUE(model) << model.error().text();
    for (const auto& item : (*model)->module().named_parameters()) {
        EXPECT_FALSE(item.key().starts_with("encoder") || item.key().starts_with("to_vector")) << item.key();
        EXPECT_TRUE(item.value().requires_grad());
    }
    lossOf(**model).backward();
    for (const auto& item : (*model)->module().named_parameters())
        EXPECT_GT(item.value().grad().abs().max().item<float>(), 0) << item.key();
}

TEST(FrozenEncoder, GivesItsVectorsRoundedAndScaled) {
    EncoderResolver resolver;
    const auto model = conceptOn(resolver);
    ASSERT_TRUE(model) << model.error().text();
    const at::Tensor vectors = vectorsOf(**model);
    const auto run = resolver.find(runField("model.encoder", ""), "minilm");
    auto encoder = (*run)->frozenModel(at::kCPU);
    const auto sources = testing::toySources();
    for (std::size_t row = 0; row < sources.size(); ++row) {
        const at::Tensor alone = (*encoder)->sentenceEncoder()->encodeSentences({sources[row]}, 1)[0],
                         half = alone.to(at::kHalf).to(at::kDouble),
                         wanted = half * std::sqrt(double(kWidth)) / half.norm();
        EXPECT_LT(
            (vectors[static_cast<std::int64_t>(row)].to(at::kDouble) - wanted).abs().max().item<double>(),
            3e-3)
            << "the last bit of float16";
    }
    EXPECT_TRUE(at::allclose(vectors.square().mean(1), at::ones({8}), 1e-5));
}

TEST(FrozenEncoder, IsReadFromTheCacheOnceItsVectorsAreThere) {
    EncoderResolver resolver;
    auto before = conceptOn(resolver);
    ASSERT_TRUE(before);
    const text::Dataset data = toyData();
    std::vector<double> fractions;
    train::VectorWork work{
        2, [&](double fraction, const std::string&) { fractions.push_back(fraction); }, {}};
    const at::Tensor computed = vectorsOf(**before);
    auto prepared = train::prepareVectors(**before, data, work);
    ASSERT_TRUE(prepared) << prepared.error().text();
    EXPECT_EQ(prepared->sentences, 8);
    EXPECT_EQ(prepared->added, 8) << "each once";
    EXPECT_EQ(fractions.back(), 1);
    const at::Tensor stored = vectorsOf(**before);
    EXPECT_TRUE(at::allclose(stored, computed, 0, 3e-3));
    EXPECT_EQ(train::prepareVectors(**before, data, work)->added, 0);

    // The same encoder by its hash, but the numbers can only come from the cache.
    EncoderResolver fresh;
    fs::copy(resolver.cache(), fresh.cache(), fs::copy_options::recursive);
    fresh.write([](EncoderModel& model) { model.net()->bert->words->weight.zero_(); });
    auto after = conceptOn(fresh);
    ASSERT_TRUE(after) << after.error().text();
    EXPECT_TRUE(at::equal(vectorsOf(**after), stored));
    EXPECT_TRUE(at::equal(lossOf(**after), lossOf(**before)));
}

// To read those of a GPU would be to wait for it.
TEST(FrozenEncoder, LooksUpByTheIdsOfTheHost) {
    EncoderResolver resolver;
    auto model = conceptOn(resolver);
    ASSERT_TRUE(model) << model.error().text();
    ASSERT_TRUE(train::prepareVectors(**model, toyData(), {}));
    std::vector<std::int32_t> lengths;
    const train::DeviceBatch batch = train::toDevice(testing::batchFor("concept"), at::kCPU);
    Sentences sentences = sentencesOf(batch, lengths);
    sentences.ids = at::zeros_like(sentences.ids);  // nothing that is stored
    EXPECT_TRUE(at::equal(dynamic_cast<ConceptModel&>(**model).net()->encode(sentences), vectorsOf(**model)));
}

TEST(FrozenEncoder, AnotherOnesVectorsAreNotRead) {
    EncoderResolver first, second;
    auto one = conceptOn(first);
    ASSERT_TRUE(train::prepareVectors(**one, toyData(), {}));
    fs::copy(first.cache(), second.cache(), fs::copy_options::recursive);
    second.weights = "second";
    auto two = conceptOn(second);
    EXPECT_EQ(train::prepareVectors(**two, toyData(), {})->added, 8);
}

// As if data/cache were copied from elsewhere: the folder's name is the hash of the encoder that its vectors
// are of.
TEST(FrozenEncoder, AnotherOnesVectorsUnderItsNameAreComputedAgain) {
    EncoderResolver first, second;
    second.weights = "second";
    auto one = conceptOn(first);
    const auto others = train::prepareVectors(**one, toyData(), {});
    const fs::path own = [&] {
        auto two = conceptOn(second);
        return train::prepareVectors(**two, toyData(), {})->folder;
    }();
    ASSERT_TRUE(others);
    ASSERT_NE(own.filename(), others->folder.filename());
    fs::remove_all(own);
    fs::copy(others->folder, own, fs::copy_options::recursive);
    EncoderResolver again;
    again.weights = "second";
    fs::rename(second.cache(), again.cache());
    auto three = conceptOn(again);
    const auto prepared = train::prepareVectors(**three, toyData(), {});
    ASSERT_TRUE(prepared);
    EXPECT_EQ(prepared->added, 8);
    EXPECT_THAT(prepared->notes,
                ElementsAre(AllOf(HasSubstr("vectors are computed again"), HasSubstr(own.filename().string()),
                                  EndsWith("is of another version or of other data"))));
}

TEST(FrozenEncoder, AStoppedPreparationGoesOn) {
    EncoderResolver resolver;
    auto model = conceptOn(resolver);
    train::VectorWork work;
    work.stopped = [] { return true; };
    const auto stopped = train::prepareVectors(**model, toyData(), work);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, train::kVectorsStopped);
    const auto rest = train::prepareVectors(**model, toyData(), {});
    ASSERT_TRUE(rest) << rest.error().text();
    EXPECT_EQ(rest->added, 8);
}

TEST(FrozenEncoder, ASentenceWithoutAFiniteVectorIsNamed) {
    EncoderResolver resolver;
    const std::int32_t word = testing::toySources()[0][1];
    resolver.write([&](EncoderModel& model) {
        model.net()->bert->words->weight[word][3].fill_(std::numeric_limits<float>::quiet_NaN());
    });
    auto model = conceptOn(resolver);
    const auto prepared = train::prepareVectors(**model, toyData(), {});
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().code, "vectors.not_finite");
    EXPECT_EQ(prepared.error().field, "model.encoder");
    EXPECT_THAT(prepared.error().message, HasSubstr(toyTokenizer()->decode(Ids{word})));
}

TEST(FrozenEncoder, WhatDoesNotFitIsRefused) {
    EncoderResolver resolver;
    const auto refused = [&](const std::vector<Override>& more) {
        const auto model = conceptOn(resolver, more);
        EXPECT_FALSE(model);
        return model ? Error() : model.error();
    };
    const Error width = refused({{"concept.width", "16"}});
    EXPECT_EQ(width.code, "model.encoder");
    EXPECT_EQ(width.field, "concept.width");
    EXPECT_THAT(width.remedy, HasSubstr("24"));
    EncoderResolver foreign;
    foreign.tokenizer = "another";
    const auto other = conceptOn(foreign);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, "reference.other_tokenizer");
    train::TextShape shape = testing::shapeFor("concept");
    shape.maxLength = 17;
    const auto longer = findFamily("concept")->create(conceptConfig(), {shape, at::kCPU, &resolver, "toy"});
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().field, "data.max_length");
}

TEST(FrozenEncoder, ItsVectorsAreWrittenAgain) {
    train::prepareComputeThread(1);
    EncoderResolver resolver;
    auto model = conceptOn(resolver, {{"concept.noise", "0.1"}});
    ASSERT_TRUE(model);
    ASSERT_TRUE(train::prepareVectors(**model, toyData(), {}));
    torch::optim::Adam optimizer((*model)->module().parameters(), torch::optim::AdamOptions(5e-3));
    for (std::uint64_t step = 0; step < 200; ++step) {
        optimizer.zero_grad();
        lossOf(**model, step).backward();
        optimizer.step();
    }
    (*model)->module().eval();
    const auto report = (*model)->loss(train::toDevice(testing::batchFor("concept"), at::kCPU), {5, 1, 0});
    EXPECT_EQ(report.parts.at("reconstructed_sentences").item<double>(), 1);
}

// A dimension without variance would divide by zero.
TEST(FrozenEncoder, AConstantDimensionIsNotScaled) {
    EncoderResolver resolver;
    auto model = conceptOn(resolver);
    auto net = dynamic_cast<ConceptModel&>(**model).net();
    at::Tensor vectors = vectorsOf(**model).clone();
    vectors.select(1, 5).fill_(0.75);
    net->observe(vectors);
    EXPECT_EQ(net->scale[5].item<float>(), 1);
    EXPECT_FLOAT_EQ(net->center[5].item<float>(), 0.75);
    EXPECT_TRUE(at::isfinite(net->normalised(vectors)).all().item<bool>());
}

TEST(FrozenEncoder, ShapesAloneNeedNoWeights) {
    tensor::addMetaKernels();
    EncoderResolver resolver;
    const auto model = [&] {
        const tensor::MadeOnMeta shapesOnly;
        return findFamily("concept")->create(conceptConfig(),
                                             {testing::shapeFor("concept"), at::kMeta, &resolver, "toy"});
    }();
    ASSERT_TRUE(model) << model.error().text();
    const train::LossReport report =
        (*model)->loss(train::toDevice(testing::batchFor("concept"), at::kMeta), {5, 1, 0});
    EXPECT_TRUE(report.total.is_meta());
    report.total.backward();
}

}  // namespace
}  // namespace kurve::models::sentence_concept
