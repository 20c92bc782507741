// Requests that are wrong, and what the engine says about itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/app/engine/training_test.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What a setting takes, in words: the guide sends its reader there.
TEST(EngineTest, DescribesWhatASettingTakes) {
    const std::string text = runEngine({"describe", "families", "sclm"}).output;
    using ::testing::HasSubstr;
    EXPECT_THAT(text, HasSubstr("(whole number, 4 to 4096 tokens)"));
    EXPECT_THAT(text, HasSubstr("(number, 0 to 10; live)"));
    EXPECT_THAT(text, HasSubstr("(true or false)"));
    EXPECT_THAT(text, HasSubstr("(one of sqrt, linear, cosine, edm, cdcd, file:…, free:…, free-mask:…)"));
    EXPECT_THAT(text, HasSubstr("(run: exact-likelihood)"));
    for (const char* note : {"paper", "preset tiny", "alert embedding_collapse"})
        EXPECT_THAT(text, HasSubstr(std::string("\n  ") + note + " "));
    EXPECT_THAT(runEngine({"describe", "metrics", "reps_bpe"}).output,
                HasSubstr("equal their left neighbour; part percent_of_gaps: of the pairs of neighbours "
                          "instead, in %; lower is better"));
}

// Requests that are wrong: exit 2, one line on stderr, a document with the code on stdout, and no run left
// behind.
struct Wrong {
    std::vector<std::string> arguments;
    std::string code;
};
class WrongRequestTest : public TrainingTest, public ::testing::WithParamInterface<Wrong> {};

TEST_P(WrongRequestTest, IsNamed) {
    auto arguments = GetParam().arguments;
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    const auto result = run(arguments);
    EXPECT_EQ(result.code, 2) << result.log;
    ASSERT_TRUE(result.json().contains("error")) << result.output;
    EXPECT_EQ(result.json()["error"]["code"], GetParam().code) << result.log;
    EXPECT_EQ(std::count(result.log.begin(), result.log.end(), '\n'), 1) << result.log;
    EXPECT_EQ(result.log.rfind("kurve: ", 0), 0U);
    EXPECT_FALSE(std::filesystem::exists(runFolder("x")));
}

INSTANTIATE_TEST_SUITE_P(
    Requests, WrongRequestTest,
    ::testing::Values(
        Wrong{{"train", "nothing.toml", "--run", "x"}, "experiment.missing"},
        Wrong{{"train", "experiments", "--run", "x"}, "io.open"},
        Wrong{{"train", "small", "--run", "x", "--set", "model.hiden=3"}, "config.unknown_key"},
        Wrong{{"train", "small", "--run", "x", "--set", "model.hidden=wide"}, "config.wrong_type"},
        Wrong{{"train", "small", "--run", "x", "--set", "train.lr=-1"}, "config.out_of_range"},
        Wrong{{"train", "small", "--run", "x", "--set", "train.schedule=never"}, "config.bad_choice"},
        Wrong{{"train", "small", "--run", "x", "--set", "data.train=data/none.tsv"}, "data.missing"},
        Wrong{{"train", "small", "--run", "../x"}, "run.bad_id"},
        Wrong{{"train", "small", "--run", "x", "--device", "tpu"}, "device.unknown"},
        Wrong{{"train", "small", "--run", "x", "--max-steps", "0"}, "cli.usage"},
        Wrong{{"train", "small", "--run", "x", "--seed", "-1"}, "cli.usage"},
        Wrong{{"train", "small", "--run", "x", "--seed", "9223372036854775808"}, "cli.usage"},
        Wrong{{"train", "small", "--dry-run", "--estimate"}, "cli.usage"},
        Wrong{{"data", "import", "c", "--train", "a.tsv", "--valid", "b.tsv", "--valid-pairs", "5"},
              "cli.usage"},
        Wrong{{"resume", "nobody"}, "run.missing"}, Wrong{{"frobnicate"}, "cli.unknown_command"},
        Wrong{{"sample", "nobody", "--input", "x"}, "run.missing"}));

TEST(EngineTest, AWrongUseNamesTheHelpOfTheWholeCommand) {
    EXPECT_THAT(runEngine({"data", "tokenize"}).log, ::testing::HasSubstr("see kurve data tokenize --help"));
    EXPECT_THAT(runEngine({"runs", "--seed", "-1"}).log,
                ::testing::HasSubstr("-1 is not a seed; use a whole number from 0 to 9223372036854775807"));
}

TEST(EngineTest, ACommandOfAnotherNameGetsARemedy) {
    EXPECT_NE(runEngine({"report"}).log.find("kurve export --what report"), std::string::npos);
    EXPECT_NE(runEngine({"runz"}).log.find("did you mean runs?"), std::string::npos);
}

TEST(EngineTest, NumbersOutOfRangeAreRefusedAtOnceInWords) {
    const auto steps = runEngine({"train", "small", "--max-steps", "0"});
    EXPECT_NE(steps.log.find("--max-steps: Value 0 is not above 0"), std::string::npos) << steps.log;
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto withThreads = [](const std::string& count) {
        return runEngine({"describe", "devices", "--threads", count});
    };
    const auto most = std::max(64U, 4 * cores);
    EXPECT_EQ(withThreads(std::to_string(most)).code, 0);
    const auto threads = withThreads(std::to_string(most + 1));  // makes none of them
    EXPECT_EQ(threads.code, 2);
    EXPECT_NE(threads.log.find(fmt::format("use at most {}, best no more than {}", most, cores)),
              std::string::npos)
        << threads.log;
    EXPECT_NE(withThreads("two").log.find("two is not a number of threads"), std::string::npos);
}

/// The lines below "Examples:" in a command's help.
std::vector<std::string> examplesOf(const std::string& help) {
    std::istringstream lines(help.substr(std::min(help.find("Examples:\n"), help.size())));
    std::vector<std::string> all;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && !line.empty()) all.push_back(line);
    return all;
}

TEST(EngineTest, EveryCommandHasTwoExamplesThatParse) {
    const TemporaryFolder folder;  // no project: commands that parse fail for that reason or need none
    std::ofstream(folder / "my-project") << "a file, which is not replaced";
    const std::string completion = runEngine({"completion"}).output;
    const auto at = completion.find("compgen -W \"") + 12;
    std::istringstream names(completion.substr(at, completion.find("--help", at) - at));
    std::vector<std::vector<std::string>> commands{{},
                                                   {"data", "stats"},
                                                   {"data", "import"},
                                                   {"data", "tokenize"},
                                                   {"law", "temperature-exact"},
                                                   {"law", "temperature-batch"}};
    for (std::string name; names >> name;) commands.push_back({name});
    ASSERT_GT(commands.size(), 20U);
    for (auto words : commands) {
        words.emplace_back("--help");
        const auto examples = examplesOf(runEngine(words).output);
        ASSERT_EQ(examples.size(), 2U) << words.front();
        for (std::string line : examples) {
            const auto program = line.find("kurve ");
            ASSERT_NE(program, std::string::npos) << line;
            line.replace(program, 5, std::string(KURVE_BINARY_DIR) + "/bin/kurve");
            const std::string call = "cd '" + folder.path().string() +
                                     "' && { export HOME= XDG_DATA_HOME=; " + line +
                                     "; } < /dev/null > out 2> log";
            (void)!std::system(call.c_str());
            const std::string log = readFile(folder / "log").value_or("no log");
            EXPECT_EQ(log.find("--help"), std::string::npos) << line << '\n' << log;
            EXPECT_EQ(log.find("Syntax"), std::string::npos) << line << '\n' << log;
        }
    }
}

TEST(EngineTest, HelpShowsDefaults) {
    const std::string help = runEngine({"sweep", "--help"}).output;
    for (const char* text : {"valid", "auto"})  // by CLI11 2.1 and 2.4
        EXPECT_THAT(help, AnyOf(HasSubstr(std::string("=") + text), HasSubstr(fmt::format("[{}]", text))));
    EXPECT_NE(help.find("(default: none)"), std::string::npos) << help;
    EXPECT_THAT(help, Not(HasSubstr("[]")));
}

TEST(EngineTest, HelpShowsTheWholeCommand) {
    EXPECT_NE(runEngine({"sweep", "--help"}).output.find("Usage: kurve sweep"), std::string::npos);
    EXPECT_NE(runEngine({"data", "stats", "--help"}).output.find("Usage: kurve data stats"),
              std::string::npos);
}

TEST(EngineTest, GpuThatIsNotThereIsAFailureOfTheMachine) {
    const auto result = runEngine({"describe", "devices", "--json"});
    ASSERT_EQ(result.code, 0);
    if (result.json()["devices"].size() > 1) GTEST_SKIP() << "this machine has a GPU";
    TemporaryFolder project;
    makeSmallProject(project.path());
    const auto train = runEngine({"train", "small", "--device", "cuda", "--json"}, project.path());
    EXPECT_EQ(train.code, 1);
    EXPECT_EQ(train.json()["error"]["code"], "device.no_cuda");
}

TEST(EngineTest, DescribesItself) {
    const auto all = runEngine({"describe", "--json"});
    ASSERT_EQ(all.code, 0) << all.log;
    const json document = all.json();
    for (const char* part : {"families", "schedules", "metrics", "samplers", "devices"})
        EXPECT_FALSE(document[part].empty()) << part;
    for (const char* key :
         {"key", "type", "default", "min", "max", "choices", "unit", "doc", "source", "affects_result"})
        EXPECT_TRUE(document["families"][0]["fields"][0].contains(key)) << key;
    const auto one = runEngine({"describe", "families", "sclm", "--json"});
    EXPECT_EQ(one.json()["families"].size(), 1U);
    for (const json& kind : document["schedules"]) {
        std::set<std::string> keys;
        for (const json& field : kind["fields"])
            EXPECT_TRUE(keys.insert(field["key"]).second) << kind["id"] << ' ' << field["key"];
    }
    // More threads start the program again: what it then prints is still the result.
    const auto threads = runEngine({"describe", "devices", "--threads", "2", "--json"});
    EXPECT_EQ(threads.json()["devices"][0]["threads"], 2) << threads.log;
    const auto version = runEngine({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.output,
                ::testing::AllOf(::testing::HasSubstr("LibTorch 2.11"), ::testing::HasSubstr("SQLite")));
    EXPECT_EQ(runEngine({"completion", "bash"}).output.find("_kurve()"), 0U);
}

}  // namespace
}  // namespace kurve::testing
