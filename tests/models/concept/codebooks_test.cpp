// A sentence decoder that is trained on vectors quantized by the codebooks of a Quant-LCM run.
#include "models/concept/codebooks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>

#include "core/train/parameter_groups.h"
#include "core/train/run_reference.h"
#include "core/train/tensor_file.h"
#include "models/common/padding.h"
#include "models/concept/concept_model.h"
#include "models/families.h"
#include "tests/models/family_fixture.h"
#include "tests/models/toy_autoencoder.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::sentence_concept {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kBooks = 3, kCentroids = 4;
constexpr const char* kFreeze =
    "embedding.*: frozen; positions.*: frozen; encoder*: frozen; to_vector.*: frozen";

/// Finds the toy autoencoder for a concept run, and for an lcm one a model on it whose first codebook has
/// unit vectors by 100, the second by 10 and the last by 1.
class QuantResolver final : public train::RunResolver {
public:
    explicit QuantResolver(std::string kind = "quant-d") : RunResolver(at::kCPU), kind_(std::move(kind)) {}
    [[nodiscard]] static at::Tensor centroid(std::int64_t book, std::int64_t number) {
        at::Tensor one = at::zeros({64});
        one[book * kCentroids + number] = std::pow(10., static_cast<double>(kBooks - 1 - book));
        return one;
    }

protected:
    Result<train::OpenReference> open(const FieldSpec& field, const RunReference& named,
                                      const std::string& value) override {
        train::RunResolver& toys = testing::toyAutoencoder(0, at::kCPU, "concept");
        if (field.key != kCodebooks) {
            KURVE_TRY(const auto run, toys.find(field, value));
            return train::OpenReference(*run);
        }
        train::OpenReference opened;
        opened.pin.field = field.key;
        opened.pin.run = named.run;
        opened.config = testing::toyConfig("lcm", {{"model.kind", kind_},
                                                   {"quantizer.books", std::to_string(kBooks)},
                                                   {"quantizer.centroids", std::to_string(kCentroids)}});
        opened.family = findFamily("lcm");
        opened.resolver = std::shared_ptr<train::RunResolver>(&toys, [](auto*) {});
        opened.weights = folder_.path() / "weights";
        at::Tensor books = at::empty({kBooks, kCentroids, 64});
        for (std::int64_t k = 0; k < kBooks; ++k)
            for (std::int64_t c = 0; c < kCentroids; ++c) books[k][c] = centroid(k, c);
        KURVE_TRY(const std::string hash,
                  train::writeTensors(opened.weights, {{"quantizer.codebooks", books}}, {}));
        opened.pin.weights = hash;
        return opened;
    }

private:
    std::string kind_;
    kurve::testing::TemporaryFolder folder_;
};

RunConfig configWith(const std::vector<Override>& more = {}) {
    std::vector<Override> all{{kCodebooks, "quant"},
                              {"concept.noise", "0"},
                              {"train.parameter_groups", kFreeze},
                              {"data.kind", "text"},
                              {"data.max_length", "16"}};
    all.insert(all.end(), more.begin(), more.end());
    return testing::toyConfig("concept", all);
}

/// With the weights of the toy autoencoder.
Result<std::unique_ptr<train::SequenceModel>> modelOn(train::RunResolver& resolver, const RunConfig& config) {
    train::ModelContext context{testing::shapeFor("concept"), at::kCPU, &resolver};
    KURVE_TRY(auto model, findFamily("concept")->create(config, context));
    KURVE_TRY(const auto toy, resolver.find(runField("train.init_from", ""), "toy"));
    KURVE_CHECKED(train::readTensors(toy->weights, train::moduleTensors(model->module())));
    KURVE_CHECKED(train::freezeGroups(config, model->module()));
    return model;
}

ConceptNet netOf(train::SequenceModel& model) {
    return dynamic_cast<ConceptModel&>(model).net();
}

TEST(Codebooks, AVectorIsTheSumOfItsFirstCentroids) {
    QuantResolver resolver;
    const RunConfig config = configWith();
    const auto made = modelOn(resolver, config);
    ASSERT_TRUE(made) << made.error().text();
    const auto net = netOf(**made);
    const auto codebooks =
        *Codebooks::of(config, {testing::shapeFor("concept"), at::kCPU, &resolver}, net->sizes().width);
    ASSERT_EQ(codebooks->books(), kBooks);
    const auto at = [](std::int64_t book, std::int64_t number) {
        return QuantResolver::centroid(book, number);
    };
    const at::Tensor whole = net->denormalised(at(0, 2) + at(1, 0) + at(2, 3));
    const at::Tensor found =
        codebooks->quantized(whole.unsqueeze(0).repeat({3, 1}), at::tensor({1, 2, 3}, at::kLong));
    EXPECT_TRUE(at::allclose(found[0], net->denormalised(at(0, 2)), 1e-4, 1e-4));
    EXPECT_TRUE(at::allclose(found[1], net->denormalised(at(0, 2) + at(1, 0)), 1e-4, 1e-4));
    EXPECT_TRUE(at::allclose(found[2], whole, 1e-4, 1e-4));
}

TEST(Codebooks, AsManyAreDrawnAsAreAskedFor) {
    constexpr std::int64_t kRows = 4000, kAll = 6;
    const RunConfig config = configWith({{"concept.truncated", "0.3"}, {"concept.least_books", "0.5"}});
    const at::Tensor drawn = drawnBooks(kRows, kAll, config, {3, 1, 0}, at::kCPU);
    // 3, 4, 5 and 6 alike of 0.3, and 6 of the rest; within four standard errors.
    for (std::int64_t k = 0; k <= kAll + 1; ++k) {
        const double wanted = k == kAll ? 0.7 + 0.3 / 4 : k >= 3 && k < kAll ? 0.3 / 4 : 0;
        EXPECT_NEAR(drawn.eq(k).to(at::kDouble).mean().item<double>(), wanted,
                    4 * std::sqrt(wanted * (1 - wanted) / kRows))
            << k;
    }
    const RunConfig one = configWith({{"concept.truncated", "1"}, {"concept.least_books", "0"}});
    EXPECT_EQ(drawnBooks(kRows, kAll, one, {3, 1, 0}, at::kCPU).min().item<std::int64_t>(), 1);
}

// The decoder learns from what the quantizer gives, and is measured on the vectors themselves.
TEST(Codebooks, TheDecoderReadsQuantizedVectorsInTraining) {
    QuantResolver resolver;
    const RunConfig config = configWith({{"concept.truncated", "1"}, {"concept.least_books", "0"}});
    const auto made = modelOn(resolver, config);
    ASSERT_TRUE(made) << made.error().text();
    auto net = netOf(**made);
    const auto codebooks =
        *Codebooks::of(config, {testing::shapeFor("concept"), at::kCPU, &resolver}, net->sizes().width);
    const auto batch = train::toDevice(testing::batchFor("concept"), at::kCPU);
    std::vector<std::int32_t> lengths;
    const Sentences sentences = sentencesOf(batch, lengths);
    const at::Tensor vectors = net->encode(sentences);
    const auto lossOfRead = [&](const at::Tensor& read) {
        const at::Tensor logP =
            at::log_softmax(at::matmul(net->decode(read, sentences.ids), net->outputTable().t()), -1);
        const at::Tensor nll = -logP.gather(2, sentences.ids.unsqueeze(-1)).squeeze(-1),
                         real = realPositions(lengths, sentences.ids.size(1), at::kCPU);
        return (nll * real).sum().item<double>() / real.sum().item<double>();
    };
    const train::StepRandom random{5, 1, 0};
    const double quantized =
        lossOfRead(codebooks->quantized(vectors, drawnBooks(batch.rows, kBooks, config, random, at::kCPU)));
    const at::Tensor scale = net->scale.clone();
    EXPECT_NEAR((*made)->loss(batch, random).total.item<double>(), quantized, 1e-4 * quantized);
    EXPECT_TRUE(at::equal(net->scale, scale)) << "the codebooks are of vectors by this scaler";
    (*made)->module().eval();
    const auto measured = (*made)->loss(batch, random);
    EXPECT_NEAR(measured.total.item<double>(), lossOfRead(vectors), 1e-4 * quantized);
    EXPECT_TRUE(measured.parts.contains("reconstructed_sentences_books"));
    EXPECT_TRUE(measured.parts.contains("reconstructed_sentences_books_2"));
    EXPECT_FALSE(measured.parts.contains("reconstructed_sentences_books_4")) << "there are three";
}

TEST(Codebooks, WhatDoesNotFitIsRefused) {
    const auto said = [](const std::string& kind, const std::vector<Override>& more) {
        QuantResolver resolver(kind);
        const auto made = modelOn(resolver, configWith(more));
        if (!made) return made.error().text();
        std::vector<std::string> warnings;
        const auto status = (*made)->checkTraining({}, warnings);
        return status ? std::string() : status.error().text();
    };
    EXPECT_EQ(said("quant-c", {}), "");
    EXPECT_EQ(said("two-tower", {}),
              "concept.codebooks: the run quant is of the kind two-tower: it has no codebooks; name one of "
              "model.kind \"quant-c\" or \"quant-d\"");
    EXPECT_EQ(said("quant-d", {{"concept.width", "32"}}),
              "concept.codebooks: the codebooks of the run quant are of vectors of the width 64, not 32; "
              "concept.width = 64");
    EXPECT_EQ(said("quant-d", {{"train.parameter_groups", "embedding.*: frozen; to_vector.*: frozen"}}),
              "train.parameter_groups: positions.weight would be trained, and the vectors would no longer be "
              "those that the codebooks are of; train.parameter_groups = \"" +
                  std::string(kFreeze) + "\"");
    QuantResolver resolver;
    const auto fresh =
        findFamily("concept")->create(configWith(), {testing::shapeFor("concept"), at::kCPU, &resolver});
    ASSERT_TRUE(fresh);
    std::vector<std::string> warnings;
    const auto untrained = (*fresh)->checkTraining({}, warnings);
    ASSERT_FALSE(untrained);
    EXPECT_EQ(
        untrained.error().text(),
        "train.init_from: the codebooks are of the vectors of toy, not of these; train.init_from = \"toy\"");
}

TEST(Codebooks, TheSamplerTakesAsManyAsThereAre) {
    QuantResolver resolver;
    const auto made = modelOn(resolver, configWith());
    ASSERT_TRUE(made) << made.error().text();
    const auto written = [&](const std::string& books) {
        return (*made)->generate(testing::requestFor("concept"), configWith({{"sampler.books", books}}),
                                 nullptr);
    };
    ASSERT_TRUE(written("0"));
    const auto plain = written("0")->rows, one = written("1")->rows;
    ASSERT_EQ(plain.size(), one.size());
    EXPECT_EQ(plain[0].best.ids, testing::answersFor("concept")[0]);
    EXPECT_NE(plain[0].best.ids, one[0].best.ids) << "of a centroid far from all sentences";
    const auto many = written("4");
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().text(), "sampler.books: 4 codebooks of 3; take at most 3");
    const auto none = testing::toyModel(testing::toyConfig("concept"))
                          ->generate(testing::requestFor("concept"),
                                     testing::toyConfig("concept", {{"sampler.books", "1"}}), nullptr);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().text(), HasSubstr("the model has none (concept.codebooks)"));
}

}  // namespace
}  // namespace kurve::models::sentence_concept
