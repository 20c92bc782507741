// What cannot be written is no success, and what others wrote steers no terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "core/store/run_writer.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;

/// One project with a run that was trained, for all tests.
class OutputTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        project_ = std::make_unique<TemporaryFolder>();
        makeSmallProject(project_->path());
        ASSERT_EQ(runEngine({"train", "causal", "--run", "r", "--quiet"}, project_->path()).code, 0);
        ASSERT_EQ(runEngine({"train", "ngram", "--run", "several", "--quiet"}, project_->path()).code, 0);
        std::ofstream(project_->path() / "lines") << "a b c\nd e\n";
        std::ofstream(project_->path() / "log.csv") << "step,loss\n1,2.5\n";
    }
    static void TearDownTestSuite() { project_.reset(); }

    /// Through a shell, for what a pipe is not: "> /dev/full".
    static EngineResult shell(const std::string& where, const Arguments& arguments) {
        std::string line = std::string(KURVE_BINARY_DIR) + "/bin/kurve";
        for (const auto& argument : arguments) line += " '" + argument + "'";
        const fs::path log = project_->path() / "stderr";
        const int status = std::system(("cd '" + project_->path().string() + "' && " + line + " </dev/null " +
                                        where + " 2> '" + log.string() + "'")
                                           .c_str());
        return {WEXITSTATUS(status), "", readFile(log).value_or("")};
    }
    /// What a terminal gets, stderr too.
    static std::string terminal(const Arguments& arguments) {
        int master = -1;
        const pid_t child = ::forkpty(&master, nullptr, nullptr, nullptr);
        if (child == 0) {
            const std::string program = std::string(KURVE_BINARY_DIR) + "/bin/kurve";
            std::vector<char*> argv{const_cast<char*>(program.c_str())};
            for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
            argv.push_back(nullptr);
            if (::chdir(project_->path().c_str()) == 0) ::execv(program.c_str(), argv.data());
            ::_exit(127);
        }
        std::string all;
        char bytes[4096];
        for (ssize_t n = 0; (n = ::read(master, bytes, sizeof bytes)) > 0;)
            all.append(bytes, static_cast<std::size_t>(n));
        ::waitpid(child, nullptr, 0);
        ::close(master);
        return all;
    }
    inline static std::unique_ptr<TemporaryFolder> project_;
};

/// Of every command a call that has something to say, and what it says beside it on stderr.
std::map<std::string, Arguments> calls() {
    return {{"new", {"new", "--list"}},
            {"describe", {"describe"}},
            {"data", {"data", "stats", "data/valid.tsv"}},
            {"train", {"train", "causal", "--dry-run"}},
            {"resume", {"resume", "r", "--max-steps", "13"}},
            {"fork", {"fork", "r"}},
            {"reproduce", {"reproduce", "r"}},
            {"checkpoints", {"checkpoints", "r"}},
            {"sample", {"sample", "r", "--input", "the king"}},
            {"default-sampler", {"default-sampler", "r"}},
            {"trace", {"trace", "r", "--input", "the king"}},
            {"eval", {"eval", "r", "--limit", "2", "--metrics", "bleu"}},
            {"dependence", {"dependence", "several", "--contexts", "2", "--samples", "5"}},
            {"distil", {"distil", "--help"}},  // of this teacher, which writes nothing, there is no corpus
            {"sweep", {"sweep", "r", "--grid", "sampler.beam=1,2", "--limit", "2", "--estimate"}},
            {"score", {"score", "bleu", "--hyp", "lines", "--ref", "lines"}},
            {"spline", {"spline", "--length", "9"}},
            {"schedule", {"schedule", "sqrt"}},
            {"law", {"law", "temperature-exact", "--probabilities", "0.6,0.4", "--temperature", "0.4"}},
            {"follow", {"follow", "--help"}},  // of a machine
            {"fetch", {"fetch", "--help"}},
            {"machines", {"machines"}},
            {"serve", {"serve", "--help"}},  // answers to requests of another machine
            {"runs", {"runs"}},
            {"query", {"query", "--sql", "SELECT 1"}},
            {"export", {"export", "r"}},
            {"import", {"import", "log.csv"}},
            {"import-model", {"import-model", "--help"}},  // of a folder of published weights
            {"import-encoder", {"import-encoder", "--help"}},
            {"verify", {"verify"}},
            {"bench", {"bench", "replicas", "--rounds", "3", "--experiment", "causal"}},
            {"demo", {"demo", ".", "--headless", "--max-steps", "1"}},
            {"completion", {"completion", "bash"}}};
}

TEST_F(OutputTest, NoCommandLosesItsResultInSilence) {
    // The commands are those that the program itself completes.
    const std::string script = runEngine({"completion", "bash"}).output;
    const auto at = script.find("compgen -W \"") + 12;
    std::istringstream names(script.substr(at, script.find("--help", at) - at));
    std::set<std::string> known;
    for (std::string name; names >> name;) known.insert(name);
    const auto all = calls();
    for (const auto& name : known) EXPECT_TRUE(all.contains(name)) << name << " has no call here";
    for (auto [name, arguments] : all) {
        EXPECT_TRUE(known.contains(name)) << name;
        arguments.emplace_back("--quiet");
        const EngineResult lost = shell("> /dev/full", arguments);
        EXPECT_EQ(lost.code, 1) << name;
        EXPECT_THAT(lost.log, HasSubstr("No space left on device")) << name;
        EXPECT_EQ(std::count(lost.log.begin(), lost.log.end(), '\n'), 1) << name << ": " << lost.log;
    }
}

TEST_F(OutputTest, InEveryForm) {
    for (const Arguments& arguments : {Arguments{"--help"},
                                       {"--version"},
                                       {"query", "--help"},
                                       {"runs", "--json"},
                                       {"runs", "--events"},
                                       {"export", "r", "--json"},
                                       {"train", "causal", "--events", "--quiet"},
                                       {"sample", "r", "--serve"}}) {
        const EngineResult lost = shell("> /dev/full", arguments);
        EXPECT_EQ(lost.code, 1) << arguments.front() << arguments.back();
        EXPECT_THAT(lost.log, HasSubstr("standard output: the result cannot be written")) << arguments.back();
    }
    EXPECT_EQ(shell(">&-", {"runs", "--quiet"}).code, 1) << "closed";
    EXPECT_EQ(shell("| head -c 1 > /dev/null", {"describe"}).code, 0) << "who has read enough";
    const EngineResult device = shell("", {"export", "r", "--out", "/dev/full", "--force", "--quiet"});
    EXPECT_EQ(device.code, 1);
    EXPECT_TRUE(fs::is_character_file("/dev/full")) << "replaced by a file";
}

TEST_F(OutputTest, TextOfOthersSteersNoTerminal) {
    const std::string evil = "\x1b[31m\x07 \xc2\x9b\x7f\xe2\x80\xae\n2026 fake";
    {
        const auto writer = store::RunWriter::open(project_->path() / "runs/evil");
        ASSERT_TRUE(writer);
        for (const char* key : {"name", "family", "state", "reason", "task"}) (*writer)->set(key, evil);
        (*writer)->set("config", "family = \"transformer\"\n");
        (*writer)->scalar(evil, 1, 1.8e9, 2);
        (*writer)->sample({1, 0, evil, evil, evil, 0, {}});
        ASSERT_TRUE((*writer)->flush());
    }
    std::ofstream(project_->path() / ("data/\x1b[31m.tsv")) << "a\tb\n";
    for (const Arguments& arguments : {Arguments{"runs"},
                                       {"runs", "--json"},
                                       {"runs", "--filter", evil},
                                       {"query", "--run", "evil", "--sql", "SELECT * FROM samples"},
                                       {"export", "evil", "--what", "samples"},
                                       {"export", "evil", "--what", "samples", "--format", "json"},
                                       {"export", "evil", "--what", "samples", "--format", "markdown"},
                                       {"export", "evil"},
                                       {"sample", "r", "--input", evil},
                                       {"trace", "r", "--input", evil},
                                       {"resume", evil},
                                       {"verify"},
                                       {"data", "stats", "data/\x1b[31m.tsv"},
                                       {evil}}) {
        const std::string shown = terminal(arguments);
        EXPECT_FALSE(shown.empty());
        for (const char* raw : {"\x1b[31m", "\x07", "\xc2\x9b", "\x7f", "\xe2\x80\xae"})
            EXPECT_THAT(shown, Not(HasSubstr(raw))) << arguments.front() << " " << arguments.back();
        const bool table = arguments.front() == "runs" || arguments.front() == "query";
        if (table) EXPECT_THAT(shown, Not(HasSubstr("\n2026 fake"))) << "a line that no run is";
    }
    const auto exact = runEngine({"runs", "--json", "--quiet"}, project_->path()).json();
    const auto list = exact.at("runs");
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const auto& run) { return run["name"] == evil; }));
    const auto content = runEngine({"export", "evil", "--what", "samples", "--quiet"}, project_->path());
    EXPECT_THAT(content.output, HasSubstr(evil)) << "a file gets what there is";
    fs::remove_all(project_->path() / "runs/evil");
}

TEST_F(OutputTest, NonsenseIsRefused) {
    const std::vector<Arguments> wrong{{"train", "causal", "--run=-x"},
                                       {"train", "causal", "--run", ""},
                                       {"train", "causal", "--max-seconds", "nan"},
                                       {"train", "causal", "--max-seconds", "inf"},
                                       {"train", "causal", "--max-seconds", "1e999"},
                                       {"train", "causal", "--max-seconds", "-1"},
                                       {"train", "causal", "--max-steps", "nan"},
                                       {"train", "causal", "--set", "train.lr=nan"},
                                       {"train", "causal", "--seed", "-1"},
                                       {"train", ""},
                                       {"fork", "r", "--run=-x"},
                                       {"reproduce", "r", "--run=-x"},
                                       {"resume", "r", "--max-seconds", "nan"},
                                       {"import", "log.csv", "--run=-x"},
                                       {"data", "import", "--train", "data/train.tsv", "--", "-x"},
                                       {"distil", "r", "--checkpoint", "last", "--name=-x"},
                                       {"distil", "r", "--checkpoint", "last", "--ratio", "nan"},
                                       {"sweep", "r", "--grid", "sampler.beam=1", "--max-seconds", "nan"},
                                       {"sweep", "r", "--grid", "sampler.beam=1", "--max-seconds", "-3"},
                                       {"sweep", "r", "--grid", "sampler.beam="},
                                       {"sweep", "r", "--grid", "sampler.beam=,"},
                                       {"sweep", "r", "--grid", ""},
                                       {"sweep", "r", "--grid", "sampler.beam=1", "--quality", ","},
                                       {"eval", "r", "--metrics", ","},
                                       {"eval", "r", "--metrics", ""},
                                       {"eval", "r", "--checkpoint", ""},
                                       {"trace", "r", "--input", "x", "--what", ","},
                                       {"schedule", "sqrt", "--at", ""},
                                       {"schedule", "sqrt", "--at", ","},
                                       {"schedule", "sqrt", "--at", "0.5,,1"},
                                       {"schedule", "sqrt", "--at", "nan"},
                                       {"schedule", "sqrt", "--at", "inf"},
                                       {"spline", "--length", "9", "--rho", "nan"},
                                       {"spline", "--length", "9", "--kappa", "nan"},
                                       {"spline", "--length", "9", "--margin", "nan"},
                                       {"spline", "--length", "9", "--ridge", "inf"},
                                       {"spline", "--length", ""},
                                       {"spline", "--length", "9", "--degree", ""},
                                       {"query", "--sql", "SELECT 1", "--timeout", "nan"},
                                       {"query", "--sql", "SELECT 1", "--timeout", "0"},
                                       {"query", "--sql", ""},
                                       {"query", "--sql", "SELECT 1", "--run", ""},
                                       {"export", ""},
                                       {"export", "r", "--metric", ""},
                                       {"score", "bleu", "--hyp", "", "--ref", "lines"},
                                       {"runs", "--project", ""},
                                       {"new", ""},
                                       {"data", "stats", ""},
                                       {"demo", "", "--headless"}};
    for (Arguments arguments : wrong) {
        arguments.emplace_back("--json");
        if (arguments[0] == "data" && arguments[1] == "import")
            std::rotate(arguments.begin() + 4, arguments.end() - 1, arguments.end());
        std::string call;
        for (const auto& argument : arguments) call += argument + " ";
        const EngineResult refused = runEngine(arguments, project_->path());
        EXPECT_EQ(refused.code, 2) << call << refused.log;
        EXPECT_EQ(std::count(refused.log.begin(), refused.log.end(), '\n'), 1) << call << refused.log;
        EXPECT_THAT(refused.json().dump(), HasSubstr("\"error\"")) << call;
    }
    // A filter may be empty.
    EXPECT_EQ(runEngine({"runs", "--filter", "", "--quiet"}, project_->path()).code, 0);
}

TEST_F(OutputTest, AQueryHasAnEnd) {
    const auto endless = runEngine({"query", "--timeout", "0.2", "--json", "--sql",
                                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
                                    "count(*) FROM n"},
                                   project_->path());
    EXPECT_EQ(endless.code, 2);
    EXPECT_EQ(endless.json()["error"]["code"], "query.timeout");
    const auto large = runEngine({"query", "--json", "--sql",
                                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
                                  "hex(zeroblob(1000000)) FROM n"},
                                 project_->path());
    EXPECT_EQ(large.code, 2);
    EXPECT_EQ(large.json()["error"]["code"], "query.too_large");
    const auto row =
        runEngine({"query", "--quiet", "--sql", "SELECT 'a' || char(9) || 'b' || char(10) || 'c', 2"},
                  project_->path());
    EXPECT_THAT(row.output, HasSubstr("\na\\tb\\nc\t2\n")) << "a row is a line";
}

}  // namespace
}  // namespace kurve::testing
