// Published tokenizers and models, from the folder to a run that samples, traces, trains on and is checked.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kGolden = KURVE_SOURCE_DIR "/tests/golden/";

class ImportedModel : public TrainingTest {
protected:
    json done(std::vector<std::string> words) const {
        words.insert(words.end(), {"--json", "--quiet"});
        const auto result = run(words);
        EXPECT_EQ(result.code, 0) << words[0] << ": " << result.log << result.output;
        return result.json();
    }
    json refused(std::vector<std::string> words) const {
        words.insert(words.end(), {"--json", "--quiet"});
        const auto result = run(words);
        EXPECT_NE(result.code, 0) << words[0];
        return result.json()["error"];
    }
};

TEST_F(ImportedModel, EveryFamilyTrainsWithAPublishedTokenizer) {
    const json made = done({"data", "tokenizer", "import", kGolden + "tokenizers/gpt2"});
    EXPECT_EQ(made["tokenizer"], "gpt2");
    EXPECT_EQ(made["setting"], "published:gpt2");
    EXPECT_EQ(made["vocabulary"], 1202);
    EXPECT_EQ(made["special"]["mask"], 1200);
    EXPECT_TRUE(made["special"]["unk"].is_null());
    for (const char* experiment : {"small", "curve", "masked", "causal", "text"}) {
        const std::string id = std::string("gpt2-") + experiment;
        done({"train", experiment, "--run", id, "--max-steps", "3", "--set",
              "data.tokenizer.kind=published:gpt2"});
        const bool text = std::string(experiment) == "text";
        const json samples =
            done({"sample", id, text ? "--prefix" : "--input", "in the beginning"})["samples"];
        EXPECT_EQ(samples[0]["input"], "in the beginning");
        done({"trace", id, text ? "--prefix" : "--input", "in the beginning"});
    }
    EXPECT_EQ(done({"verify"})["ok"], true);
    EXPECT_EQ(refused({"train", "small", "--set", "data.tokenizer.kind=published:llama"})["code"],
              "tokenizer.missing");
    EXPECT_EQ(refused({"data", "tokenizer", "import", kGolden + "tokenizers/nfc", "--name", "gpt2"})["code"],
              "tokenizer.exists");
}

TEST_F(ImportedModel, IsARunLikeAnyOther) {
    const json made = done({"import-model", kGolden + "published/mdlm", "--run", "owt"});
    EXPECT_EQ(made["run"], "owt");
    EXPECT_EQ(made["family"], "mdlm");
    EXPECT_EQ(made["parameters"], 19504);
    EXPECT_EQ(made["sha256"].get<std::string>().size(), 64U);

    const json listed = done({"runs"})["runs"];
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0]["state"], "completed");
    EXPECT_THAT(listed[0]["reason"].get<std::string>(), HasSubstr("imported from mdlm"));
    EXPECT_EQ(done({"verify"})["ok"], true);

    const json sample = done({"sample", "owt", "--prefix", "in the beginning", "--count", "2"});
    EXPECT_THAT(sample["samples"][0]["output"].get<std::string>(), StartsWith("in the beginning"));
    const json trace = done({"trace", "owt", "--infill", "in [MASK:3] beginning [MASK:2] and"});
    EXPECT_EQ(trace["frames"][0]["tokens"].size(), 10U);

    EXPECT_EQ(refused({"eval", "owt"})["code"], "data.none");
    const json fork = done({"fork", "owt", "--run", "tuned", "--set", "data.train=data/train.tsv", "--set",
                            "data.valid=data/valid.tsv", "--set", "train.steps=3"});
    EXPECT_EQ(fork["parent"], "owt");
    const json tuned = done({"resume", "tuned", "--max-steps", "3"});
    EXPECT_EQ(tuned["steps"], 3);
    EXPECT_TRUE(tuned["metrics"].contains("valid_nelbo"));
}

TEST_F(ImportedModel, CalmIsImportedInItsTwoStages) {
    const std::string tokenizer = kGolden + "published/mdlm";
    const json codes = done(
        {"import-model", kGolden + "published/calm-autoencoder", "--tokenizer", tokenizer, "--run", "codes"});
    EXPECT_EQ(codes["family"], "calm_autoencoder");
    EXPECT_EQ(done({"sample", "codes", "--input", "in the beginning"})["samples"].size(), 1U);

    const std::vector<std::string> stage{
        "import-model", kGolden + "published/calm", "--tokenizer", tokenizer, "--run", "calm"};
    EXPECT_EQ(refused(stage)["field"], "model.autoencoder");
    std::vector<std::string> named = stage;
    named.insert(named.end(), {"--set", "model.autoencoder=codes"});
    EXPECT_EQ(done(named)["family"], "calm");
    fs::remove_all(runFolder("codes"));  // the import has its own copy
    EXPECT_EQ(done({"sample", "calm", "--count", "2"})["samples"].size(), 2U);
    EXPECT_EQ(done({"verify"})["ok"], true);
}

/// A published CALM with one value of one tensor changed.
void spoil(const fs::path& folder, const std::string& name) {
    fs::copy(kGolden + "published/calm", folder,
             fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    std::ifstream read(folder / "model.safetensors", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(read), {}};
    const std::uint64_t header = *reinterpret_cast<const std::uint64_t*>(bytes.data());
    const json tensors = json::parse(bytes.substr(8, header));
    bytes[8 + header + tensors.at(name).at("data_offsets").at(0).get<std::size_t>()] ^= 1;
    std::ofstream(folder / "model.safetensors", std::ios::binary) << bytes;
}

TEST_F(ImportedModel, CalmOfAnotherAutoencoderIsRefused) {
    const std::string tokenizer = kGolden + "published/mdlm";
    done(
        {"import-model", kGolden + "published/calm-autoencoder", "--tokenizer", tokenizer, "--run", "codes"});
    const fs::path folder = project_ / "spoilt";
    for (const char* name : {"ae_model.encoder.norm.weight", "mlp_generator.noise_embd.bias"}) {
        spoil(folder, name);
        const json error = refused({"import-model", folder.string(), "--tokenizer", tokenizer, "--run",
                                    "calm", "--set", "model.autoencoder=codes"});
        EXPECT_EQ(error["code"], "model.tensors");
        EXPECT_EQ(error["field"], name);
        EXPECT_FALSE(fs::exists(runFolder("calm")));
    }
}

TEST_F(ImportedModel, SaysWhatIsWrongWithAFolder) {
    const std::string folder = kGolden + "published/mdlm";
    done({"import-model", folder, "--run", "owt"});
    EXPECT_EQ(refused({"import-model", folder, "--run", "owt"})["code"], "run.exists");
    EXPECT_EQ(refused({"import-model", project_.path().string()})["code"], "model.config");
    EXPECT_EQ(refused({"import-model", folder, "--family", "transformer"})["code"], "model.family");
    EXPECT_EQ(refused({"import-model", folder, "--tokenizer", kGolden + "tokenizers/gpt2"})["code"],
              "tokenizer.vocabulary");
    const fs::path spoilt = project_ / "spoilt";
    fs::copy(folder, spoilt);
    fs::resize_file(spoilt / "model.safetensors", 5000);
    const json cut = refused({"import-model", spoilt.string(), "--run", "cut"});
    EXPECT_THAT(cut["code"].get<std::string>(), StartsWith("safetensors."));
    EXPECT_THAT(cut["file"].get<std::string>(), HasSubstr("model.safetensors"));
    fs::remove(spoilt / "tokenizer.json");
    fs::copy(folder + "/model.safetensors", spoilt, fs::copy_options::overwrite_existing);
    EXPECT_EQ(refused({"import-model", spoilt.string(), "--run", "cut"})["code"], "tokenizer.missing");
    EXPECT_FALSE(fs::exists(runFolder("cut"))) << "nothing is left";
}

}  // namespace
}  // namespace kurve::testing
