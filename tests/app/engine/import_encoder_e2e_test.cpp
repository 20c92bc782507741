// A published sentence encoder, from its folder to vectors, a concept model on it and an LCM on that one.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kEncoder = KURVE_SOURCE_DIR "/tests/golden/published/sentence-encoder";

class ImportedEncoder : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        const json made = done({"import-encoder", kEncoder, "--run", "bert"});
        EXPECT_EQ(made["encoder"], "bert");
        EXPECT_EQ(made["width"], 24);
        EXPECT_EQ(made["layers"], 3);
        EXPECT_EQ(made["sha256"].get<std::string>().size(), 64U);
        EXPECT_THAT(made["left_out"],
                    ElementsAre("embeddings.position_ids", "pooler.dense.bias", "pooler.dense.weight"));
        const std::string tokenizer = made["tokenizer"];
        for (const char* split : {"train", "valid"}) {
            std::ofstream text(project_ / "data" / (std::string("tales.") + split + ".txt"));
            for (const char* who : {"tom", "anna"})
                for (const char* what : {"red", "in the garden", "fly"})
                    text << who << " was " << what << ".\nthe kite was " << what << ".\n\n";
            std::ofstream(project_ / "data" / (std::string("kites.") + split + ".tsv"))
                << "tom was red\tthe kite was red\nanna and tom\tthe garden\n";
        }
        const std::string data =
            "[data]\ntrain = \"data/tales.train.txt\"\nvalid = \"data/tales.valid.txt\"\n"
            "max_length = 20\ntokenizer.kind = \"" +
            tokenizer + "\"\n";
        std::ofstream(project_ / "experiments/spiral.toml")
            << "family = \"diffusia\"\npreset = \"tiny\"\n[data]\ntrain = \"data/kites.train.tsv\"\n"
               "valid = \"data/kites.valid.tsv\"\nsame_language = true\nmax_length = 20\ntokenizer.kind = \""
            << tokenizer
            << "\"\n[model]\nhidden = 24\nffn = 40\nheads = 3\nencoder_layers = 3\nmax_positions = 20\n"
               "shared_embeddings = false\n[train]\nsteps = 4\nbatch_tokens = 64\ncpu_replicas = 2\n"
               "init_from = \"bert\"\n[sampler]\nsteps = 3\n";
        const std::string rest =
            "[train]\nsteps = 8\nbatch_tokens = 64\ncpu_replicas = 2\n"
            "[eval]\nevery_steps = 4\nsamples = 2\nprompt_count = 1\n"
            "[checkpoint]\nevery_steps = 4\nkeep_last = 10\n[log]\nevery_steps = 2\n";
        std::ofstream(project_ / "experiments/tales.toml")
            << "family = \"concept\"\npreset = \"tiny\"\n"
            << data
            << "kind = \"text\"\n[concept]\nwidth = 24\n[model]\nencoder = \"bert\"\nhidden = 16\nffn = 32\n"
            << rest;
        std::ofstream(project_ / "experiments/towers.toml")
            << "family = \"lcm\"\npreset = \"tiny\"\n"
            << data << "kind = \"documents\"\n[model]\nconcepts = \"tales\"\nhidden = 16\nffn = 32\n"
            << rest << "[sampler]\nsteps = 3\nmax_sentences = 4\n";
    }
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

TEST_F(ImportedEncoder, SaysWhatItIsFor) {
    EXPECT_EQ(done({"verify"})["ok"], true);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"sample", "bert", "--input", "the kite"},
          {"eval", "bert"},
          {"trace", "bert", "--input", "the kite"},
          {"fork", "bert", "--run", "tuned"}}) {
        const json error = refused(words);
        EXPECT_EQ(error["code"], "model.encoder_only") << words[0];
        EXPECT_THAT(error["remedy"].get<std::string>(), HasSubstr("model.encoder"));
    }
    std::ofstream(project_ / "experiments/bert.toml")
        << "family = \"sentence_encoder\"\n[data]\nkind = \"text\"\ntrain = \"data/tales.train.txt\"\n"
           "valid = \"data/tales.valid.txt\"\n[train]\nsteps = 2\n";
    EXPECT_EQ(refused({"train", "bert"})["code"], "model.encoder_only");
    EXPECT_EQ(refused({"import-encoder", kEncoder, "--run", "bert"})["code"], "run.exists");
}

TEST_F(ImportedEncoder, IsWhereDiffusiaBegins) {
    const json tried = done({"train", "spiral", "--dry-run"});
    EXPECT_GT(tried["parameters"], 0);
    done({"train", "spiral", "--run", "spiral"});
    EXPECT_EQ(done({"reproduce", "spiral"})["equal"], true);
    EXPECT_EQ(done({"sample", "spiral", "--input", "the kite was red"})["samples"].size(), 1U);
    const json narrow = refused({"train", "spiral", "--run", "narrow", "--set", "model.ffn=41"});
    EXPECT_EQ(narrow["code"], "checkpoint.shape");
    EXPECT_THAT(narrow["message"].get<std::string>(), HasSubstr("bert.layer_2.ffn.in.weight has shape"));
    EXPECT_THAT(narrow["remedy"].get<std::string>(), HasSubstr("train.init_from_parameters"));
    EXPECT_EQ(refused({"train", "spiral", "--set", "data.tokenizer.kind=whitespace"})["code"],
              "reference.other_tokenizer");
    EXPECT_FALSE(fs::exists(runFolder("narrow")));
}

TEST_F(ImportedEncoder, CarriesAConceptModelAndAnLcm) {
    const auto warned = [&] { return done({"train", "tales", "--dry-run"})["warnings"].dump(); };
    EXPECT_THAT(warned(), HasSubstr("the vectors of 9 sentences are computed before the first step"));
    const json first = done({"data", "vectors", "tales"});
    EXPECT_EQ(first["sentences"], 9) << "each once: three are said of both";
    EXPECT_EQ(first["added"], 9);
    EXPECT_EQ(first["width"], 24);
    EXPECT_EQ(done({"data", "vectors", "tales"})["added"], 0);
    EXPECT_THAT(warned(), Not(HasSubstr("vectors")));

    done({"train", "tales", "--run", "tales"});
    EXPECT_EQ(done({"sample", "tales", "--input", "tom was red."})["samples"].size(), 1U);
    done({"trace", "tales", "--input", "tom was red."});
    EXPECT_EQ(done({"data", "vectors", "towers"})["added"], 0) << "the same sentences";
    done({"train", "towers", "--run", "towers"});
    EXPECT_EQ(done({"sample", "towers", "--count", "2"})["samples"].size(), 2U);
    const json scores = done({"eval", "towers", "--metrics", "loss"})["metrics"];
    EXPECT_TRUE(std::isfinite(scores["l2"]["value"].get<double>()));
    EXPECT_EQ(done({"verify"})["ok"], true);

    // The runs hold what they are built on: nothing of the encoder's run is needed.
    fs::remove_all(project_ / "runs/bert");
    fs::remove_all(project_ / "data/cache");
    EXPECT_EQ(done({"sample", "towers", "--count", "1"})["samples"].size(), 1U);
    EXPECT_EQ(done({"resume", "towers", "--max-steps", "10"})["steps"], 10);
}

// The numbers do not depend on where the run stopped, nor on whether the vectors were there before.
TEST_F(ImportedEncoder, ResumesBitForBit) {
    done({"train", "tales", "--run", "whole"});
    done({"train", "tales", "--run", "parts", "--max-steps", "4"});
    fs::remove_all(project_ / "data/cache");
    done({"resume", "parts", "--max-steps", "8"});
    const std::string weights = bytes("whole", "step-00000008/weights.safetensors");
    EXPECT_GT(weights.size(), 1000U);
    EXPECT_EQ(bytes("parts", "step-00000008/weights.safetensors"), weights);
}

TEST_F(ImportedEncoder, OnlyAnEncoderHasVectors) {
    EXPECT_EQ(done({"data", "vectors", "--run", "bert"})["width"], 24) << "of no lines";
    EXPECT_EQ(refused({"data", "vectors", "small"})["code"], "vectors.none");
    done({"train", "small", "--run", "words", "--max-steps", "2"});
    EXPECT_EQ(refused({"data", "vectors", "--run", "words"})["code"], "vectors.none");
}

TEST_F(ImportedEncoder, ItsWidthAndTokenizerAreAskedFor) {
    const json width = refused({"train", "tales", "--set", "concept.width=16"});
    EXPECT_EQ(width["code"], "model.encoder");
    EXPECT_EQ(width["field"], "concept.width");
    EXPECT_EQ(refused({"train", "tales", "--set", "data.tokenizer.kind=bpe", "--set",
                       "data.tokenizer.vocabulary=60"})["code"],
              "reference.other_tokenizer");
}

}  // namespace
}  // namespace kurve::testing
