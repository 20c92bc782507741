// A published sentence encoder against tests/golden/published/make_sentence_encoder.py, an independent
// forward: vectors of sentences of every length in one padded batch, and what is wrong with a folder.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/store/safetensors.h"
#include "core/train/decode.h"
#include "core/train/make_trainer.h"
#include "models/families.h"
#include "models/sentence_encoder/encoder_model.h"
#include "tests/models/sentence_encoder/published_encoder.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::sentence_encoder {
namespace {

namespace fs = std::filesystem;
using models::testing::openPublished;
using models::testing::readJson;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A copy of the published folder that a test may change.
class Folder {
public:
    Folder() { fs::copy(models::testing::kPublishedEncoder, path(), fs::copy_options::recursive); }
    [[nodiscard]] fs::path path() const { return folder_.path() / "encoder"; }
    void set(const char* file, const char* key, const json& value) const {
        json content = readJson(path() / file);
        content[key] = value;
        std::ofstream(path() / file) << content;
    }
    void set(const char* file, const json& content) const { std::ofstream(path() / file) << content; }
    using Tensors = std::map<std::string, store::TensorView>;
    void rewrite(const std::function<void(Tensors&)>& change) const {
        const auto read =
            store::SafetensorsFile::open(models::testing::kPublishedEncoder / "model.safetensors");
        Tensors tensors = (*read)->tensors();
        change(tensors);
        EXPECT_TRUE(store::writeSafetensors(path() / "model.safetensors", tensors, {}));
    }

private:
    kurve::testing::TemporaryFolder folder_;
};

Error refusal(const fs::path& folder) {
    const auto opened = openPublished(folder);
    EXPECT_FALSE(opened);
    return opened ? Error() : opened.error();
}

/// Of the golden sentences in one batch, padded with the mask to so many tokens: whatever stands there.
at::Tensor vectorsOf(models::testing::PublishedEncoderModel& opened, const json& sentences,
                     std::int64_t width) {
    const torch::NoGradGuard noGrad;
    const auto [ids, lengths] = models::testing::padded(sentences, width, 4);
    return dynamic_cast<EncoderModel&>(*opened.model).net()(ids, lengths);
}

class PublishedEncoder : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cases, PublishedEncoder, ::testing::Values("published", "tanh", "raw"));

TEST_P(PublishedEncoder, GivesTheVectorsOfAnIndependentForward) {
    const json file = readJson(models::testing::kPublishedEncoder / "expected.json"),
               expected = file["cases"][GetParam()];
    const Folder folder;
    folder.set("config.json", "hidden_act", expected["activation"]);
    const bool mean = expected["pooling"] == "mean";
    folder.set("1_Pooling/config.json", "pooling_mode_mean_tokens", mean);
    folder.set("1_Pooling/config.json", "pooling_mode_cls_token", !mean);
    json modules = readJson(models::testing::kPublishedEncoder / "modules.json");
    if (!expected["normalize"]) modules.erase(2);
    folder.set("modules.json", modules);
    auto opened = openPublished(folder.path());
    ASSERT_TRUE(opened) << opened.error().text();
    const json& sentences = file["sentences"];
    const at::Tensor vectors = vectorsOf(*opened, sentences, 20);
    for (std::size_t row = 0; row < sentences.size(); ++row) {
        const at::Tensor wanted = at::tensor(expected["vectors"][row].get<std::vector<double>>());
        EXPECT_LT(
            (vectors[static_cast<std::int64_t>(row)].to(at::kDouble) - wanted).abs().max().item<double>(),
            1e-5)
            << row + 1 << " tokens";
    }
    const json shorter(std::vector<json>(sentences.begin(), sentences.begin() + 7));
    EXPECT_TRUE(at::allclose(vectorsOf(*opened, shorter, 9), vectors.narrow(0, 0, 7), 0, 1e-5))
        << "less padding";
}

TEST(PublishedEncoderFolder, HasTheTokenizersIds) {
    const auto opened = openPublished(models::testing::kPublishedEncoder);
    ASSERT_TRUE(opened) << opened.error().text();
    const json text = readJson(models::testing::kPublishedEncoder / "expected.json")["text"];
    EXPECT_EQ(train::encodeWithSpecials(*opened->tokenizer, text["text"].get<std::string>()),
              text["ids"].get<std::vector<std::int32_t>>());
    EXPECT_THAT(opened->published.unused,
                ElementsAre("embeddings.position_ids", "pooler.dense.bias", "pooler.dense.weight"));
}

TEST(PublishedEncoderFolder, NamesMayStandBelowBert) {
    const Folder folder;
    folder.rewrite([](Folder::Tensors& tensors) {
        Folder::Tensors below;
        for (const auto& [name, view] : tensors) below["bert." + name] = view;
        tensors = below;
    });
    fs::remove(folder.path() / "modules.json");
    auto opened = openPublished(folder.path());
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_FALSE(opened->config.flag("model.normalize")) << "plain BERT";
    EXPECT_EQ(opened->published.unused.size(), 3U);
    const json file = readJson(models::testing::kPublishedEncoder / "expected.json");
    const at::Tensor vectors = vectorsOf(*opened, file["sentences"], 20),
                     wanted = at::tensor(file["cases"]["published"]["vectors"][6].get<std::vector<double>>());
    EXPECT_LT((vectors[6] / vectors[6].norm() - wanted).abs().max().item<double>(), 1e-5);
}

TEST(PublishedEncoderFolder, EveryWrongTensorIsNamed) {
    const Folder folder;
    const std::vector<float> zeros(1000);
    folder.rewrite([&](Folder::Tensors& tensors) {
        tensors.erase("encoder.layer.1.attention.self.key.weight");
        tensors.erase("embeddings.LayerNorm.bias");
        tensors["encoder.layer.3.output.dense.bias"] = {
            "F32", {24}, std::as_bytes(std::span(zeros).first(24))};
        tensors["encoder.layer.0.attention.self.query.bias"] = {
            "F32", {12}, std::as_bytes(std::span(zeros).first(12))};
    });
    const Error error = refusal(folder.path());
    EXPECT_EQ(error.code, "model.tensors");
    EXPECT_THAT(error.file, HasSubstr("model.safetensors"));
    EXPECT_THAT(
        error.message,
        AllOf(HasSubstr("missing: embeddings.LayerNorm.bias, encoder.layer.1.attention.self.key.weight"),
              HasSubstr("not expected: encoder.layer.3.output.dense.bias"),
              HasSubstr("of another shape: encoder.layer.0.attention.self.query.bias [12] instead of [24]")));
}

TEST(PublishedEncoderFolder, WhatIsNotReadIsNamed) {
    const auto refused = [](const char* file, const char* key, const json& value) {
        const Folder folder;
        folder.set(file, key, value);
        const Error error = refusal(folder.path());
        EXPECT_EQ(error.code, "model.config") << key;
        EXPECT_EQ(error.field, key);
        return error.message;
    };
    EXPECT_THAT(refused("config.json", "hidden_act", "mish"), HasSubstr("\"mish\""));
    EXPECT_THAT(refused("config.json", "position_embedding_type", "relative_key"), HasSubstr("relative_key"));
    EXPECT_THAT(refused("config.json", "is_decoder", true), HasSubstr("decoder"));
    EXPECT_THAT(refused("config.json", "layer_norm_eps", "small"), HasSubstr("a number above 0"));
    EXPECT_THAT(refused("config.json", "hidden_size", json()), HasSubstr("says no"));
    EXPECT_THAT(refused("1_Pooling/config.json", "pooling_mode_max_tokens", true),
                HasSubstr("pooling_mode_max_tokens"));
    const Folder dense;
    json modules = readJson(models::testing::kPublishedEncoder / "modules.json");
    modules.push_back({{"type", "sentence_transformers.models.Dense"}, {"path", "3_Dense"}});
    dense.set("modules.json", modules);
    EXPECT_THAT(refusal(dense.path()).message, HasSubstr("models.Dense"));
    const Folder heads;
    heads.set("config.json", "num_attention_heads", 5);
    EXPECT_EQ(refusal(heads.path()).code, "model.heads");
}

TEST(PublishedEncoderFolder, AnEncoderIsNotTrainedAndWritesNothing) {
    const auto opened = openPublished(models::testing::kPublishedEncoder);
    ASSERT_TRUE(opened) << opened.error().text();
    const text::Tokenizers both{opened->tokenizer, opened->tokenizer, {}, {}};
    const auto trained = train::makeTrainer(*findFamily("sentence_encoder"), opened->config, {both});
    ASSERT_FALSE(trained);
    EXPECT_EQ(trained.error().code, "model.encoder_only");
    EXPECT_THAT(trained.error().remedy, HasSubstr("model.encoder"));
    const auto written = opened->model->generate({}, opened->config, nullptr);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "model.encoder_only");
}

}  // namespace
}  // namespace kurve::models::sentence_encoder
