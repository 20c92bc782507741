// Sentence vectors, a model over them and a token-level scorer on documents, through the program.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/random_stream.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three sentences that belong together by their name and thing, and have one order.
class LcmRun : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        writeDocuments("train", 240);
        writeDocuments("valid", 12);
        const std::string data =
            "tokenizer.kind = \"word\"\ntokenizer.vocabulary = 100\n"
            "train = \"data/told.train.txt\"\nvalid = \"data/told.valid.txt\"\n";
        const std::string sentences = "max_length = 16\n" + data;
        write("told-concept", "family = \"concept\"\npreset = \"tiny\"\n[data]\nkind = \"text\"\n" +
                                  sentences + "[train]\nsteps = 80\n");
        write("told",
              "family = \"lcm\"\npreset = \"tiny\"\n[data]\nkind = \"documents\"\nmax_sentences = 8\n" +
                  sentences +
                  "[model]\nconcepts = \"told-concept\"\nhidden = 32\nffn = 32\n[train]\nsteps = 20\n"
                  "[sampler]\nmax_sentences = 4\n");
        write("told-tokens",
              "family = \"transformer\"\npreset = \"tiny-text\"\n[data]\nkind = \"text\"\nformat = "
              "\"documents\"\nmax_length = 100\n" +
                  data + "[train]\nsteps = 250\n");
        trained("told-concept");
    }
    void writeDocuments(const std::string& split, int count) {
        std::ofstream file(project_ / ("data/told." + split + ".txt"));
        RandomStream draw(1, "test." + split);
        const std::vector<std::string> names{"Tom", "Ann", "Leo", "Ida"}, things{"kite", "ball", "lamp"};
        for (int d = 0; d < count; ++d) {
            const std::string name = names[draw.below(4)], thing = things[draw.below(3)];
            file << name << " went out .\n"
                 << name << " found a " << thing << " .\nThe " << thing << " went home with " << name
                 << " .\n\n";
        }
    }
    void write(const std::string& name, const std::string& text) {
        std::ofstream(project_ / ("experiments/" + name + ".toml")) << "name = \"" << name << "\"\n" << text;
    }
    void trained(const std::string& name, const std::vector<std::string>& settings = {}) {
        std::vector<std::string> arguments{
            "train", name, "--run", name, "--quiet", "--set", "eval.every_steps=0"};
        for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        const auto made = run(arguments);
        ASSERT_EQ(made.code, 0) << made.log;
    }
    json scores(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "eval");
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto made = run(arguments);
        EXPECT_EQ(made.code, 0) << made.log;
        return made.json()["metrics"];
    }
    std::vector<std::string> validLines() const {
        std::ifstream file(project_ / "data/told.valid.txt");
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);)
            if (!line.empty()) lines.push_back(line);
        return lines;
    }
    std::vector<std::string> sampled(const std::string& name, const std::vector<std::string>& inputs,
                                     const std::string& setting) {
        std::ofstream file(project_ / "inputs.txt");
        for (const auto& input : inputs) file << input << "\n";
        file.close();
        const auto made = run({"sample", name, "--inputs", (project_ / "inputs.txt").string(), "--json",
                               "--quiet", "--set", setting});
        EXPECT_EQ(made.code, 0) << made.log;
        std::vector<std::string> outputs;
        const json document = made.json();
        for (const json& sample : document["samples"]) outputs.push_back(sample["output"]);
        return outputs;
    }
    std::string refused(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "--quiet"});
        const auto made = run(arguments);
        EXPECT_EQ(made.code, 2) << made.log;
        return made.json()["error"]["code"];
    }
    static double valueOf(const json& score) { return score["value"]; }
    /// The only point of a sweep with one draw.
    json swept(const std::string& name, const std::string& grid, const std::string& quality) {
        const auto made = run({"sweep", name, "--grid", grid, "--seeds", "1", "--quality", quality,
                               "--diversity", "distinct-2", "--json", "--quiet"});
        EXPECT_EQ(made.code, 0) << made.log;
        return made.code == 0 ? made.json()["points"][0] : json();
    }
};

TEST_F(LcmRun, AScorerReadsSentencesAndTheirOrder) {
    trained("told");
    trained("told-tokens");
    const json found = scores({"told", "--metrics", "mi,coherence", "--scorer", "told-tokens"});
    // The names and things come again: a true sentence is likelier behind its own document.
    EXPECT_GT(valueOf(found["mi_truth"]), 0.3);
    EXPECT_LT(valueOf(found["mi_other_document"]), valueOf(found["mi_truth"]) - 0.3);
    EXPECT_TRUE(found["mi"]["value"].is_number());
    EXPECT_EQ(found["mi_truth"]["n"], 12 * 2);
    EXPECT_THAT(found["mi"]["signature"].get<std::string>(), HasSubstr("context:10|scorer:told-tokens"));
    EXPECT_GT(valueOf(found["coherence_truth"]), 0.9);
    EXPECT_LT(valueOf(found["coherence_permuted"]), 0.7);
    EXPECT_TRUE(found["coherence"]["value"].is_number());

    EXPECT_EQ(refused({"eval", "told", "--metrics", "mi"}), "metric.no_scorer");
    EXPECT_EQ(refused({"eval", "told-tokens", "--metrics", "mi", "--scorer", "told-tokens"}),
              "metric.no_documents");
    EXPECT_EQ(refused({"eval", "told-tokens", "--metrics", "ovl-3"}), "metric.no_sources");
}

TEST_F(LcmRun, DistancesOfItsVectorsAreThoseOfTheRequestedSampler) {
    trained("told");
    const auto l2 = [&](const char* guidance) {
        return valueOf(scores({"told", "--metrics", "l2", "--set", guidance})["l2"]);
    };
    EXPECT_NE(l2("sampler.guidance=1"), l2("sampler.guidance=3"));
    EXPECT_EQ(refused({"eval", "told", "--metrics", "l2", "--set", "sampler.steps=1000"}), "sampler.steps");
}

TEST_F(LcmRun, ScoresWhatStandsBehindThePrompt) {
    const auto trains = run({"train", "told", "--run", "told", "--quiet", "--json", "--set",
                             "eval.every_steps=0", "--set", "eval.samples=12"});
    ASSERT_EQ(trains.code, 0) << trains.log;
    const json usual = scores({"told"}), varied = scores({"told", "--metrics", "distinct-2"});
    EXPECT_NEAR(trains.json()["metrics"]["valid_distinct-2"].get<double>(), valueOf(varied["distinct-2"]),
                1e-6)
        << "training measures the same";
    const json point = swept("told", "sampler.max_sentences=4", "rouge-l");
    EXPECT_NEAR(valueOf(point["quality"]["rouge-l"]), valueOf(usual["rouge-l"]), 1e-9) << "and a sweep";
    EXPECT_NEAR(valueOf(point["diversity"]["distinct-2"]), valueOf(varied["distinct-2"]), 1e-9);
    for (const char* id : {"loss", "l2", "rouge-l", "rep-4", "ovl-3", "wr"})
        EXPECT_TRUE(usual.contains(id)) << id;
    // Of twelve documents in one batch a loss has no interval.
    const auto text = run({"eval", "told", "--metrics", "l2,rouge-l"});
    ASSERT_EQ(text.code, 0) << text.log;
    EXPECT_THAT(text.output, Not(HasSubstr("nan")));
    EXPECT_THAT(text.output, HasSubstr("n 12"));

    const auto whole = run({"sample", "told", "--prefix", "Tom went out .", "--json", "--quiet"});
    ASSERT_EQ(whole.code, 0) << whole.log;
    const std::string output = whole.json()["samples"][0]["output"];
    EXPECT_THAT(output, ::testing::StartsWith("Tom went out . ")) << "sentences have spaces between them";
}

// What eval decodes and compares is what `kurve sample` writes for the same inputs.
TEST_F(LcmRun, ReconstructedSentencesAreComparedWithTheSentences) {
    const auto lines = validLines();
    const std::string noise = "sampler.noise=1.2";  // without it all are right
    const auto written = sampled("told-concept", lines, noise);
    double right = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) right += written[i] == lines[i] ? 1 : 0;
    ASSERT_GT(right, 0) << "the test needs some that are";
    ASSERT_LT(right, lines.size()) << "and some that are not";
    const json found = scores({"told-concept", "--metrics", "exact-match,bleu,ovl-3", "--set", noise});
    EXPECT_NEAR(valueOf(found["exact-match"]), right / static_cast<double>(lines.size()), 1e-9);
    EXPECT_EQ(found["bleu"]["n"], lines.size());
    EXPECT_FALSE(scores({"told-concept"}).empty()) << "usual: its loss";
    const json point = swept("told-concept", noise, "exact-match,bleu");
    for (const char* id : {"exact-match", "bleu"})
        EXPECT_NEAR(valueOf(point["quality"][id]), valueOf(found[id]), 1e-9) << "a sweep scores the same";
    ASSERT_EQ(run({"train", "told-concept", "--run", "prompted", "--quiet", "--set", "eval.every_steps=0",
                   "--set", "data.prompt_end=out ."})
                  .code,
              0);
    const json same = scores({"prompted", "--metrics", "exact-match,bleu,ovl-3", "--set", noise});
    EXPECT_EQ(same, found) << "a prompt that LCM would answer is reconstructed like any sentence";
}

TEST_F(LcmRun, TextsGoOnBehindTheirPrompts) {
    trained("told-tokens", {"data.prompt_end=out .", "sampler.method=beam"});
    std::vector<std::string> prompts, answers;
    const auto lines = validLines();
    for (std::size_t i = 0; i + 2 < lines.size(); i += 3) {
        prompts.push_back(lines[i]);
        answers.push_back(lines[i + 1] + " " + lines[i + 2]);
    }
    double right = 0;
    const auto written = sampled("told-tokens", prompts, "sampler.method=beam");
    for (std::size_t i = 0; i < prompts.size(); ++i)
        right += written[i] == prompts[i] + " " + answers[i] ? 1 : 0;
    ASSERT_GT(right, 0) << "the test needs some that are";
    const json found = scores({"told-tokens", "--metrics", "exact-match,wr,rouge-l"});
    EXPECT_NEAR(valueOf(found["exact-match"]), right / static_cast<double>(prompts.size()), 1e-9);
    const json point = swept("told-tokens", "sampler.beam=1", "exact-match,rouge-l");
    for (const char* id : {"exact-match", "rouge-l"})
        EXPECT_NEAR(valueOf(point["quality"][id]), valueOf(found[id]), 1e-9) << "a sweep scores the same";
    EXPECT_GT(valueOf(found["wr"]), 2) << "words of the answer per word of the prompt";
    EXPECT_EQ(refused({"eval", "told-tokens", "--metrics", "embedding_f1"}), "metric.no_references");
    for (const char* id : {"loss", "rouge-l", "ovl-3"})
        EXPECT_TRUE(scores({"told-tokens"}).contains(id)) << id;
}

TEST_F(LcmRun, AScorerReadsWhatIsWrittenBehindItsPrompt) {
    trained("told-tokens", {"data.prompt_end=out ."});
    std::vector<std::string> prompts;
    const auto lines = validLines();
    for (std::size_t i = 0; i < lines.size(); i += 3) prompts.push_back(lines[i]);
    std::ofstream file(project_ / "whole.txt");
    for (const auto& output : sampled("told-tokens", prompts, "sampler.beam=1")) file << output << "\n";
    file.close();
    const auto read = run({"score", "ppl", "--run", "told-tokens", "--checkpoint", "best", "--hyp",
                           "whole.txt", "--json", "--per-token"});
    ASSERT_EQ(read.code, 0) << read.log;
    double sum = 0, tokens = 0;
    const json document = read.json();
    for (const json& text : document["pairs"])
        for (std::size_t i = 4; i < text["by_token"].size(); ++i, ++tokens)  // "Tom went out ."
            sum += text["by_token"][i][1].get<double>();
    const double wanted = std::exp(-sum / tokens);
    const json found = scores({"told-tokens", "--metrics", "gen_ppl", "--scorer", "told-tokens"});
    EXPECT_NEAR(valueOf(found["gen_ppl"]), wanted, 1e-4 * wanted);
    const auto made =
        run({"sweep", "told-tokens", "--grid", "sampler.beam=1", "--seeds", "1", "--quality",
             "rouge-l,gen_ppl", "--diversity", "distinct-2", "--scorer", "told-tokens", "--json"});
    ASSERT_EQ(made.code, 0) << made.log;
    EXPECT_NEAR(valueOf(made.json()["points"][0]["quality"]["gen_ppl"]), wanted, 1e-4 * wanted);
}

TEST_F(LcmRun, AnswersAloneAreLearned) {
    trained("told", {"data.prompt_end=Tom went out ."});
    const auto checked =
        run({"train", "told", "--run", "none", "--quiet", "--json", "--set", "data.prompt_end=Then"});
    EXPECT_EQ(checked.code, 2);
    EXPECT_EQ(checked.json()["error"]["code"], "data.empty");
    EXPECT_EQ(checked.json()["error"]["field"], "data.prompt_end");
}

TEST_F(LcmRun, SaysWhatATrainingLacks) {
    const auto made = run(
        {"train", "told", "--run", "told", "--set", "train.drop_context=0", "--set", "eval.every_steps=0"});
    ASSERT_EQ(made.code, 0) << made.log;
    EXPECT_THAT(made.log + made.output, HasSubstr("no sentence is trained without its context"));
    EXPECT_EQ(refused({"train", "told", "--run", "quant", "--set", "model.kind=quant-d", "--set",
                       "quantizer.centroids=1000"}),
              "quantizer.centroids");
}

TEST_F(LcmRun, ADecoderLearnsFromTheCodebooksOfAnotherRun) {
    trained("told", {"model.kind=quant-d", "quantizer.books=2", "quantizer.centroids=8"});
    const std::vector<std::string> decoder{"train", "told-concept",           "--run",       "decoder",
                                           "--set", "concept.codebooks=told", "--max-steps", "5"};
    EXPECT_EQ(refused(decoder), "concept.codebooks") << "it does not begin from those vectors";
    std::vector<std::string> whole = decoder;
    for (const char* setting :
         {"train.init_from=told-concept",
          "train.parameter_groups=embedding.*: frozen; positions.*: frozen; encoder*: frozen; to_vector.*: "
          "frozen"})
        whole.insert(whole.end(), {"--set", setting});
    const auto made = run(whole);
    ASSERT_EQ(made.code, 0) << made.log;
    // The run holds what it is built on.
    std::filesystem::remove_all(project_ / "runs/told");
    std::filesystem::remove_all(project_ / "runs/told-concept");
    EXPECT_TRUE(scores({"decoder", "--metrics", "loss"}).contains("reconstructed_sentences_books_1"));
    std::vector<std::string> sample{"sample",         "decoder", "--input",
                                    "Tom went out .", "--set",   "sampler.books=2"};
    EXPECT_EQ(run(sample).code, 0);
    sample.back() = "sampler.books=3";
    EXPECT_EQ(refused(sample), "sampler.books");
}

}  // namespace
}  // namespace kurve::testing
