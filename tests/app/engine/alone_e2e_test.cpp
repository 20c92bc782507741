// A run folder is whole: it decodes without the project's corpora, and without a project.
#include <gmock/gmock.h>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class AloneTest : public TrainingTest {
protected:
    static json decoded(const EngineResult& result) {
        EXPECT_EQ(result.code, 0) << result.log;
        return result.json()["samples"];
    }
};

TEST_F(AloneTest, ARunDecodesAsBeforeWhereItsCorporaAreGone) {
    for (const char* sides : {"joint", "separate"}) {
        const std::string joint = sides == std::string("joint") ? "true" : "false";
        ASSERT_EQ(
            run({"train", "small", "--run", sides, "--quiet", "--set", "data.tokenizer.joint=" + joint}).code,
            0);
    }
    const std::vector<std::string> words{"--input", "in the beginning", "--json", "--quiet"};
    const auto sample = [&](const std::string& name, const fs::path& in) {
        std::vector<std::string> all{"sample", name};
        all.insert(all.end(), words.begin(), words.end());
        return runEngine(all, in);
    };
    const json joint = decoded(sample("joint", project_.path())),
               separate = decoded(sample("separate", project_.path()));
    fs::rename(project_ / "data", project_ / "elsewhere");
    EXPECT_EQ(decoded(sample("joint", project_.path())), joint);
    EXPECT_EQ(decoded(sample("separate", project_.path())), separate);
    EXPECT_EQ(run({"trace", "joint", "--input", "in the beginning", "--quiet"}).code, 0);
    EXPECT_EQ(run({"data", "tokenize", "--run", "separate", "--side", "target", "--quiet"}).code, 0);
    for (const std::vector<std::string>& needsData :
         {std::vector<std::string>{"sample", "joint", "--count", "2"}, {"eval", "joint"}}) {
        auto all = needsData;
        all.insert(all.end(), {"--json", "--quiet"});
        const auto refused = run(all);
        EXPECT_EQ(refused.code, 2);
        EXPECT_THAT(refused.json()["error"].dump(), ::testing::HasSubstr("data/train"));
    }

    const TemporaryFolder away;
    fs::copy(runFolder("joint"), away / "copy", fs::copy_options::recursive);
    EXPECT_EQ(decoded(sample((away / "copy").string(), away.path())), joint) << "without a project";
    EXPECT_EQ(runEngine({"verify", (away / "copy").string(), "--quiet"}, away.path()).code, 0);
    fs::remove_all(away / "copy/tokenizer");
    const auto without = sample((away / "copy").string(), away.path());
    EXPECT_EQ(without.json()["error"]["code"], "tokenizer.missing") << without.log;
}

// What the clone shows first works for whoever copies one run out of it.
TEST_F(AloneTest, EveryShippedRunDecodesAlone) {
    int runs = 0;
    for (const auto& project : fs::directory_iterator(fs::path(KURVE_SOURCE_DIR) / "projects")) {
        if (!fs::exists(project.path() / "runs")) continue;
        for (const auto& shipped : fs::directory_iterator(project.path() / "runs")) {
            const TemporaryFolder away;
            const fs::path copy = away / "run";
            fs::copy(shipped.path(), copy, fs::copy_options::recursive);
            SCOPED_TRACE(shipped.path());
            const auto with = [&](const char* command, const char* prompt) {
                return runEngine({command, copy.string(), prompt, "he went out", "--json", "--quiet"},
                                 away.path());
            };
            const std::string name = project.path().filename(), run = shipped.path().filename();
            const bool rewrites = run == "characters-autoencoder" || run == "stories-concept",
                       texts = !rewrites &&
                               (name == "text-diffusion" || name == "continuous" || name == "concepts");
            decoded(with("sample", texts ? "--prefix" : "--input"));
            EXPECT_EQ(with("trace", texts ? "--prefix" : "--input").code, 0);
            EXPECT_EQ(runEngine({"verify", copy.string(), "--quiet"}, away.path()).code, 0);
            ++runs;
        }
    }
    EXPECT_GE(runs, 10);
}

}  // namespace
}  // namespace kurve::testing
