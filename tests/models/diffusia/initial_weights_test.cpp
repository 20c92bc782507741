// DiffuSIA begun from models of other families (train.init_from): its encoder against the vectors that an
// independent forward gives for the published BERT (tests/golden/published/make_sentence_encoder.py).
#include <gmock/gmock.h>
#include <torch/torch.h>

#include "core/text/trial_tokenizer.h"
#include "core/train/decode.h"
#include "core/train/make_trainer.h"
#include "core/train/run_reference.h"
#include "core/train/tensor_file.h"
#include "models/diffusia/diffusia_net.h"
#include "tests/models/family_fixture.h"
#include "tests/models/sentence_encoder/published_encoder.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::diffusia {
namespace {

using models::testing::toyConfig;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using train::NamedTensors;

/// Finds one run, whatever its name: this model.
class OneRun final : public train::RunResolver {
public:
    OneRun(RunConfig config, std::shared_ptr<const text::Tokenizer> tokenizer, torch::nn::Module& module)
        : RunResolver(c10::kCPU), config_(std::move(config)), tokenizer_(std::move(tokenizer)) {
        EXPECT_TRUE(train::writeTensors(weights(), train::moduleTensors(module), {}));
    }

protected:
    Result<train::OpenReference> open(const FieldSpec& field, const RunReference& named,
                                      const std::string& value) override {
        train::OpenReference opened;
        opened.pin = {.field = field.key, .value = value, .run = named.run};
        opened.config = config_;
        opened.tokenizers.source = opened.tokenizers.target = tokenizer_;
        opened.family = findFamily(config_.family());
        opened.weights = weights();
        return opened;
    }

private:
    [[nodiscard]] std::filesystem::path weights() const { return folder_ / "weights.safetensors"; }

    RunConfig config_;
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    kurve::testing::TemporaryFolder folder_;
};

class DiffusiaStart : public ::testing::Test {
protected:
    /// DiffuSIA of the published BERT's sizes, and `settings`.
    [[nodiscard]] static RunConfig sized(std::vector<Override> settings) {
        std::vector<Override> all{{"model.hidden", "24"},        {"model.ffn", "40"},
                                  {"model.heads", "3"},          {"model.encoder_layers", "3"},
                                  {"model.max_positions", "20"}, {"model.shared_embeddings", "false"},
                                  {"data.max_length", "20"},     {"train.cpu_replicas", "1"},
                                  {"train.ema_decay", "0.9"},    {"train.init_from", "bert"}};
        all.insert(all.end(), settings.begin(), settings.end());
        return toyConfig("diffusia", all);
    }
    /// Its trainer before the start, and what takeInitialWeights() says.
    std::unique_ptr<train::Trainer> begin(const RunConfig& config, Status& status) {
        const text::Tokenizers tokenizers{tokenizer_, tokenizer_, {}, {}};
        auto trainer = train::makeTrainer(*findFamily("diffusia"), config, {tokenizers});
        EXPECT_TRUE(trainer) << trainer.error().text();
        for (const auto& [name, tensor] : train::moduleTensors((*trainer)->model().module()))
            random_[name] = tensor.clone();
        status = train::takeInitialWeights(**trainer, config, tokenizers, run_.get());
        return std::move(*trainer);
    }
    Error refusal(const std::vector<Override>& settings) {
        Status status;
        const auto trainer = begin(sized(settings), status);
        EXPECT_FALSE(status);
        for (const auto& [name, tensor] : train::moduleTensors(trainer->model().module()))
            EXPECT_TRUE(at::equal(tensor, random_.at(name))) << name << " was changed";
        return status ? Error() : status.error();
    }

    testing::PublishedEncoderModel bert_ = *testing::openPublished(testing::kPublishedEncoder);
    std::shared_ptr<const text::Tokenizer> tokenizer_ = bert_.tokenizer;
    std::unique_ptr<OneRun> run_ = std::make_unique<OneRun>(bert_.config, tokenizer_, bert_.model->module());
    NamedTensors random_;
};

TEST_F(DiffusiaStart, ItsEncoderGivesThePublishedVectors) {
    Status status;
    const auto trainer = begin(sized({{"model.network", "diffused"}}), status);
    ASSERT_TRUE(status) << status.error().text();
    const train::Trainer::Evaluation averaged(*trainer);
    const torch::NoGradGuard noGrad;
    const nlohmann::json golden = testing::readJson(testing::kPublishedEncoder / "expected.json"),
                         &expected = golden["cases"]["published"];
    ASSERT_EQ(expected["pooling"], "mean");
    const auto [ids, lengths] = testing::padded(golden["sentences"], 20, 0);
    const at::Tensor states = dynamic_cast<DiffusiaNetImpl&>(trainer->model().module())
                                  .encode(ids, lengths, {})
                                  .states.back()
                                  .to(at::kDouble);
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        const at::Tensor mean = states[static_cast<std::int64_t>(row)].narrow(0, 0, lengths[row]).mean(0),
                         wanted = at::tensor(expected["vectors"][row].get<std::vector<double>>());
        EXPECT_LT((mean / mean.norm() - wanted).abs().max().item<double>(), 1e-5) << row + 1 << " tokens";
    }
}

TEST_F(DiffusiaStart, WhatTheOtherLacksStaysRandom) {
    Status status;
    const auto trainer =
        begin(sized({{"train.init_from_parameters", "encoder_layer_*, condition_norm.*"}}), status);
    ASSERT_TRUE(status) << status.error().text();
    const NamedTensors theirs = train::moduleTensors(bert_.model->module());
    int taken = 0;
    for (const auto& [name, tensor] : train::moduleTensors(trainer->model().module())) {
        std::string there = name;
        if (name.starts_with("encoder_layer_") && name.find("cross") == name.npos)
            there.replace(0, 14, "bert.layer_");
        else if (name.starts_with("condition_norm"))
            there.replace(0, 14, "bert.embedding_norm");
        const bool took = there != name;
        taken += took;
        EXPECT_TRUE(at::equal(tensor, took ? theirs.at(there) : random_.at(name))) << name;
    }
    EXPECT_EQ(taken, 3 * 12 + 2);
}

TEST_F(DiffusiaStart, EveryTensorThatDoesNotFitIsNamed) {
    const auto text = [](const Error& error) { return error.message; };
    EXPECT_THAT(text(refusal({{"model.ffn", "41"}})),
                AllOf(HasSubstr("bert.layer_0.ffn.in.weight has shape [40, 24], the model wants [41, 24]"),
                      HasSubstr("bert.layer_2.ffn.out.weight"), Not(HasSubstr("attention"))));
    EXPECT_THAT(text(refusal({{"model.hidden", "27"}})),
                AllOf(HasSubstr("bert.words.weight has shape [73, 24], the model wants [73, 27]"),
                      HasSubstr("bert.positions.weight"), HasSubstr("bert.token_types.weight"),
                      HasSubstr("bert.embedding_norm.bias"), HasSubstr("bert.layer_2.attention.qkv.weight")));
    EXPECT_THAT(text(refusal({{"model.max_positions", "24"}})),
                HasSubstr("has shape [20, 24], the model wants [24, 24]"));
    const Error fewer = refusal({{"model.encoder_layers", "2"}});
    EXPECT_THAT(fewer.message,
                AllOf(HasSubstr("12 tensors"), HasSubstr("bert.layer_2.ffn.in.bias is not part"),
                      Not(HasSubstr("layer_1"))));
    EXPECT_THAT(fewer.remedy, HasSubstr("train.init_from_parameters"));
    EXPECT_THAT(text(refusal({{"model.encoder_layers", "4"}})),
                AllOf(HasSubstr("12 tensors"), HasSubstr("bert.layer_3.ffn.in.bias is missing")));
    EXPECT_THAT(text(refusal({{"model.shared_embeddings", "true"}})), HasSubstr("is not part of this model"));
}

TEST_F(DiffusiaStart, WhatNoShapeShowsIsRefusedToo) {
    const Error heads = refusal({{"model.heads", "4"}});
    EXPECT_EQ(heads.code, "model.heads");
    EXPECT_EQ(heads.message, "the layers of train.init_from have 3 heads, here 4");
    EXPECT_EQ(refusal({{"train.init_from_parameters", "decoder_layer_*"}}).code, "train.init_from");

    std::vector<Override> settings = bert_.published.settings;
    settings.emplace_back("model.activation", "relu");
    const auto relu =
        RunConfig::parse("family = \"sentence_encoder\"\n", "relu.toml", schemaLookup(), settings);
    run_ = std::make_unique<OneRun>(*relu, tokenizer_, bert_.model->module());
    EXPECT_THAT(refusal({}).message, HasSubstr("the activation relu, here gelu"));

    run_ = std::make_unique<OneRun>(bert_.config, tokenizer_, bert_.model->module());
    const std::vector<std::string> lines{"a b c"};
    tokenizer_ = *text::trialTokenizer({"whitespace", 8}, lines);
    const Error tokens = refusal({});
    EXPECT_EQ(tokens.code, "reference.other_tokenizer");
    EXPECT_EQ(tokens.field, "train.init_from");
    Status status;
    begin(sized({{"train.init_from_parameters", "encoder_layer_*"}}), status);
    EXPECT_TRUE(status) << "layers read no ids";
}

TEST_F(DiffusiaStart, AnMdlmGivesItsWordsAlone) {
    const RunConfig config =
        toyConfig("mdlm", {{"model.hidden", "24"}, {"model.heads", "2"}, {"data.kind", "text"}});
    const auto mdlm =
        findFamily("mdlm")->create(config, {train::shapeOf({tokenizer_, tokenizer_, {}, {}}, config)});
    ASSERT_TRUE(mdlm) << mdlm.error().text();
    run_ = std::make_unique<OneRun>(config, tokenizer_, (*mdlm)->module());
    Status status;
    const auto trainer = begin(sized({{"train.init_from_parameters", "condition_embedding.weight"}}), status);
    ASSERT_TRUE(status) << status.error().text();
    EXPECT_TRUE(at::equal(train::moduleTensors(trainer->model().module()).at("condition_embedding.weight"),
                          (*mdlm)->tokenEmbeddings()));
    EXPECT_THAT(refusal({}).message, HasSubstr("block_0.attention.qkv.weight is not part of this model"));
}

}  // namespace
}  // namespace kurve::models::diffusia
