// A folder of published weights against tests/golden/published/make_mdlm.py, an independent module with
// MDLM's own names: logits, texts, and what is wrong with a folder.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/store/safetensors.h"
#include "core/text/prompt.h"
#include "core/text/published/published_tokenizer.h"
#include "core/trace/trace_writer.h"
#include "core/train/decode.h"
#include "core/train/published_format.h"
#include "models/families.h"
#include "models/mdlm/mdlm_net.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::mdlm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

const fs::path kFolder = KURVE_SOURCE_DIR "/tests/golden/published/mdlm";

json readJson(const fs::path& file) {
    return json::parse(*readFile(file));
}

/// A copy of the published folder that a test may spoil.
class Folder {
public:
    Folder() {
        for (const auto& entry : fs::directory_iterator(kFolder)) fs::copy(entry.path(), path());
    }
    [[nodiscard]] const fs::path& path() const { return folder_.path(); }
    void configure(const char* key, const json& value) const {
        json config = readJson(path() / "config.json");
        config[key] = value;
        std::ofstream(path() / "config.json") << config;
    }
    /// The tensors, changed and written again.
    using Tensors = std::map<std::string, store::TensorView>;
    void rewrite(const std::function<void(Tensors&)>& change) const {
        const auto read = store::SafetensorsFile::open(kFolder / "model.safetensors");
        Tensors tensors = (*read)->tensors();
        change(tensors);
        EXPECT_TRUE(store::writeSafetensors(path() / "model.safetensors", tensors, {}));
    }

private:
    kurve::testing::TemporaryFolder folder_;
};

struct Opened {
    RunConfig config;
    std::shared_ptr<const text::Tokenizer> tokenizer;
    std::unique_ptr<train::SequenceModel> model;
};

Result<Opened> openPublished(const fs::path& folder, const std::vector<Override>& sets = {}) {
    const train::ModelFamily& family = *findFamily("mdlm");
    KURVE_TRY(const train::PublishedModel published,
              family.maybePublishedFormat()->read(readJson(folder / "config.json"), {}, folder));
    Opened out;
    KURVE_TRY(const auto tokenizer, text::readPublishedTokenizer(folder));
    KURVE_TRY(out.tokenizer, text::completeTokenizer(tokenizer.tokenizer, published.vocabulary));
    std::vector<Override> all = published.settings;
    all.insert(all.end(), sets.begin(), sets.end());
    KURVE_TRY(out.config, RunConfig::parse("family = \"mdlm\"\npreset = \"" + published.preset + "\"\n",
                                           "config.json", schemaLookup(), all));
    KURVE_TRY(out.model, family.create(out.config,
                                       {train::shapeOf({out.tokenizer, out.tokenizer, {}, {}}, out.config)}));
    KURVE_TRY(const auto files, train::publishedWeightFiles(folder));
    KURVE_CHECKED(train::loadPublishedWeights(files, published, out.model->module()));
    return out;
}

Error refusal(const fs::path& folder) {
    const auto opened = openPublished(folder);
    EXPECT_FALSE(opened);
    return opened ? Error() : opened.error();
}

at::Tensor logitsOf(Opened& opened, const json& ids, double sigma) {
    const torch::NoGradGuard noGrad;
    auto& net = dynamic_cast<MdlmNetImpl&>(opened.model->module());
    net.eval();
    const at::Tensor input = at::tensor(ids.get<std::vector<std::int64_t>>()).unsqueeze(0);
    return net.logits(net.states(input, at::full({1}, sigma), {}, {}))[0];
}

double worst(const at::Tensor& logits, const json& expected) {
    double most = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t v = 0; v < expected[i].size(); ++v)
            most = std::max(
                most,
                std::abs(logits[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(v)].item<double>() -
                         expected[i][v].get<double>()));
    return most;
}

Ids generated(Opened& opened, const Ids& known, bool open, int steps) {
    train::GenerateRequest request;
    request.sources.emplace_back();
    request.templates = {{known, open}};
    const std::vector<Override> greedy = {{"sampler.rule", "budget"},
                                          {"sampler.order", "confidence"},
                                          {"sampler.temperature", "0"},
                                          {"sampler.steps", std::to_string(steps)}};
    trace::Trace trace;
    trace::TraceBuilder sink(trace);
    const auto made = opened.model->generate(request, *opened.config.with(greedy), &sink);
    EXPECT_TRUE(made) << made.error().text();
    const auto last = trace.tokens.end() - trace.positions;
    return {last, trace.tokens.end()};
}

class PublishedMdlm : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Time, PublishedMdlm, ::testing::Bool());

TEST_P(PublishedMdlm, GivesTheLogitsAndTheTextsOfItsOwnModule) {
    const Folder folder;
    folder.configure("time_conditioning", GetParam());
    auto opened = openPublished(folder.path());
    ASSERT_TRUE(opened) << opened.error().text();
    const json file = readJson(kFolder / "expected.json"), expected = file[GetParam() ? "time" : "constant"];
    EXPECT_LT(worst(logitsOf(*opened, file["ids"], expected["sigma"]), expected["logits"]), 1e-5);
    for (const auto& [kind, name] :
         {std::pair(text::PromptKind::Prefix, "prefix"), std::pair(text::PromptKind::Infill, "infill")}) {
        const text::Tokenizers both{opened->tokenizer, opened->tokenizer, {}, {}};
        const auto prompt = text::encodePrompt(both, {file[name]["text"], kind});
        ASSERT_TRUE(prompt);
        Ids whole = prompt->known.ids;
        if (prompt->known.open) whole.resize(12, opened->tokenizer->special().mask);
        EXPECT_EQ(whole, file[name]["ids"].get<Ids>()) << "the tokenizer's own ids";
        EXPECT_EQ(generated(*opened, prompt->known.ids, prompt->known.open, file["steps"]),
                  expected[name].get<Ids>())
            << name;
    }
}

// The fp16 and bf16 values are those that were rounded, and nothing else changes.
TEST(PublishedWeights, HalfPrecisionIsRead) {
    const json expected = readJson(kFolder / "expected.json");
    std::map<std::string, double> errors;
    for (const auto& [name, type] : {std::pair("F16", at::kHalf), std::pair("BF16", at::kBFloat16)}) {
        const Folder folder;
        std::vector<at::Tensor> alive;
        folder.rewrite([&, dtypeName = name, dtype = type](Folder::Tensors& tensors) {
            for (auto& [key, view] : tensors) {
                alive.push_back(
                    at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape).to(dtype));
                view = {dtypeName,
                        view.shape,
                        {static_cast<const std::byte*>(alive.back().data_ptr()), alive.back().nbytes()}};
            }
        });
        auto opened = openPublished(folder.path());
        ASSERT_TRUE(opened) << opened.error().text();
        errors[name] = worst(logitsOf(*opened, expected["ids"], 0), expected["constant"]["logits"]);
    }
    EXPECT_LT(errors["F16"], 0.02);
    EXPECT_GT(errors["F16"], 1e-5) << "it was rounded";
    EXPECT_LT(errors["BF16"], 0.2);
    EXPECT_GT(errors["BF16"], 1e-4);
}

/// The same tensors in two files and an index.
void shard(const Folder& folder) {
    const auto whole = store::SafetensorsFile::open(kFolder / "model.safetensors");
    json map;
    Folder::Tensors halves[2];
    for (const auto& [name, view] : (*whole)->tensors()) {
        const std::size_t which = map.size() % 2;
        halves[which][name] = view;
        map[name] = "model-0000" + std::to_string(which + 1) + "-of-00002.safetensors";
    }
    for (const int which : {0, 1})
        EXPECT_TRUE(store::writeSafetensors(
            folder.path() / ("model-0000" + std::to_string(which + 1) + "-of-00002.safetensors"),
            halves[which], {}));
    std::ofstream(folder.path() / "model.safetensors.index.json") << json{{"weight_map", map}};
    fs::remove(folder.path() / "model.safetensors");
}

TEST(PublishedWeights, ShardsAreOneModel) {
    const Folder folder;
    shard(folder);
    auto opened = openPublished(folder.path());
    ASSERT_TRUE(opened) << opened.error().text();
    const json expected = readJson(kFolder / "expected.json");
    EXPECT_LT(worst(logitsOf(*opened, expected["ids"], 0), expected["constant"]["logits"]), 1e-5);

    const fs::path second = folder.path() / "model-00002-of-00002.safetensors";
    fs::resize_file(second, fs::file_size(second) - 8);
    EXPECT_EQ(refusal(folder.path()).code, "safetensors.truncated");
    EXPECT_THAT(refusal(folder.path()).file, HasSubstr("model-00002-of-00002"));
    fs::remove(second);
    EXPECT_EQ(refusal(folder.path()).code, "model.shard");
    EXPECT_THAT(refusal(folder.path()).message, HasSubstr("model-00002-of-00002"));
}

TEST(PublishedWeights, EveryWrongTensorIsNamed) {
    const Folder folder;
    const std::vector<float> zeros(1000);
    folder.rewrite([&](Folder::Tensors& tensors) {
        tensors.erase("backbone.blocks.1.attn_out.weight");
        tensors.erase("backbone.sigma_map.mlp.2.bias");
        tensors["backbone.blocks.2.norm1.weight"] = {"F32", {16}, std::as_bytes(std::span(zeros).first(16))};
        tensors["backbone.output_layer.linear.bias"] = {
            "F32", {271}, std::as_bytes(std::span(zeros).first(271))};
    });
    const Error error = refusal(folder.path());
    EXPECT_EQ(error.code, "model.tensors");
    EXPECT_THAT(error.message,
                AllOf(HasSubstr("missing: blocks.1.attn_out.weight, sigma_map.mlp.2.bias"),
                      HasSubstr("not expected: blocks.2.norm1.weight"),
                      HasSubstr("of another shape: output_layer.linear.bias [271] instead of [272]")));
}

TEST(PublishedWeights, WhatIsNoWeightIsRefused) {
    const Folder folder;
    std::vector<float> norm(16, 1);
    norm[3] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::int64_t> whole(16, 1);
    const auto with = [&](const store::TensorView& view) {
        folder.rewrite([&](Folder::Tensors& tensors) { tensors["backbone.blocks.0.norm1.weight"] = view; });
        return refusal(folder.path());
    };
    const Error nan = with({"F32", {16}, std::as_bytes(std::span(norm))});
    EXPECT_EQ(nan.code, "model.not_finite");
    EXPECT_EQ(nan.field, "blocks.0.norm1.weight");
    EXPECT_EQ(with({"I64", {16}, std::as_bytes(std::span(whole))}).code, "model.dtype");
}

TEST(PublishedWeights, PicklesAreRefusedWithTheWayToConvertThem) {
    const Folder folder;
    fs::rename(folder.path() / "model.safetensors", folder.path() / "pytorch_model.bin");
    const Error error = refusal(folder.path());
    EXPECT_EQ(error.code, "model.pickle");
    EXPECT_THAT(error.remedy, AllOf(HasSubstr("pytorch_model.bin"), HasSubstr("save_file")));
    fs::remove(folder.path() / "pytorch_model.bin");
    EXPECT_EQ(refusal(folder.path()).code, "model.no_weights");
}

TEST(PublishedConfig, SizesAreChecked) {
    const Folder folder;
    folder.configure("vocab_size", 273);  // the table has 272 rows, the tokenizer needs as many
    EXPECT_EQ(refusal(folder.path()).code, "model.tensors") << "its padding has a row then";
    folder.configure("vocab_size", 300);
    EXPECT_EQ(refusal(folder.path()).code, "tokenizer.vocabulary");
    folder.configure("vocab_size", "many");
    EXPECT_EQ(refusal(folder.path()).code, "model.config");
    const train::PublishedFormat& format = *findFamily("mdlm")->maybePublishedFormat();
    EXPECT_TRUE(format.recognises({{"model_type", "mdlm"}}));
    EXPECT_TRUE(format.recognises({{"architectures", {"MDLM"}}}));
    EXPECT_FALSE(format.recognises({{"model_type", "gpt2"}, {"architectures", {"GPT2LMHeadModel"}}}));
}

}  // namespace
}  // namespace kurve::models::mdlm
