// train.init_from: training that begins from the weights of another run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/store/run_reader.h"
#include "core/store/safetensors.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

class InitialWeightsTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        ASSERT_EQ(run({"train", "small", "--run", "first", "--quiet"}).code, 0);
    }
    /// Two steps that change nothing, so that the checkpoint holds what the run began from.
    [[nodiscard]] EngineResult begin(const std::string& id, const std::vector<std::string>& settings) const {
        std::vector<std::string> all{"train", "small", "--run", id, "--json", "--quiet", "--max-steps", "2"};
        for (const std::string one : {"train.lr=0", "train.lr_initial=0"})
            all.insert(all.end(), {"--set", one});
        for (const std::string& one : settings) all.insert(all.end(), {"--set", one});
        return run(all);
    }
    [[nodiscard]] std::shared_ptr<const store::SafetensorsFile> weights(const std::string& id,
                                                                        const std::string& checkpoint) const {
        auto file =
            store::SafetensorsFile::open(runFolder(id) / "checkpoints" / checkpoint / "weights.safetensors");
        EXPECT_TRUE(file) << id;
        return *file;
    }
    [[nodiscard]] static std::string bytesOf(const std::shared_ptr<const store::SafetensorsFile>& file,
                                             const std::string& tensor) {
        const auto* view = file->find(tensor);
        return view == nullptr
                   ? "none"
                   : std::string(reinterpret_cast<const char*>(view->bytes.data()), view->bytes.size());
    }
};

TEST_F(InitialWeightsTest, AreThoseOfTheOtherRun) {
    ASSERT_EQ(begin("copy", {"train.init_from=first@12", "seed=9"}).code, 0);
    const auto first = weights("first", "step-00000012"), copy = weights("copy", "step-00000002");
    ASSERT_GT(first->tensors().size(), 10U);
    for (const auto& [name, view] : first->tensors()) EXPECT_EQ(bytesOf(copy, name), bytesOf(first, name));
    const auto reader = store::RunReader::open(runFolder("copy"));
    const json pins = json::parse((*reader)->values().at("references"));
    EXPECT_EQ(pins[0]["field"], "train.init_from");
    EXPECT_EQ(pins[0]["run"], "first");
    EXPECT_FALSE(fs::exists(runFolder("copy") / "references")) << "it holds the weights itself";
    fs::remove_all(runFolder("first"));
    EXPECT_EQ(run({"resume", "copy", "--max-steps", "4", "--quiet"}).code, 0) << "only the start needs it";
    EXPECT_EQ(run({"sample", "copy", "--input", "in the beginning", "--quiet"}).code, 0);
}

TEST_F(InitialWeightsTest, APatternTakesAPartAndMayFreezeIt) {
    const std::string part = "train.init_from_parameters=encoder*, embedding.weight";
    ASSERT_EQ(begin("none", {"seed=9"}).code, 0);
    const auto done = begin("part", {"train.init_from=first@12", part, "seed=9"});
    ASSERT_EQ(done.code, 0) << done.output;
    const auto first = weights("first", "step-00000012"), mine = weights("part", "step-00000002"),
               none = weights("none", "step-00000002");
    int taken = 0;
    for (const auto& [name, view] : first->tensors()) {
        const bool wanted = name.starts_with("encoder") || name == "embedding.weight";
        taken += wanted;
        EXPECT_EQ(bytesOf(mine, name), bytesOf(wanted ? first : none, name)) << name;
    }
    EXPECT_GT(taken, 3);
    ASSERT_EQ(run({"train", "small", "--run", "tuned", "--quiet", "--set", "train.init_from=first@12",
                   "--set", part, "--set", "train.parameter_groups=encoder*: frozen; embedding.*: lr 0.1"})
                  .code,
              0);
    const auto tuned = weights("tuned", "step-00000012");
    for (const auto& [name, view] : first->tensors())
        EXPECT_EQ(bytesOf(tuned, name) == bytesOf(first, name), name.starts_with("encoder")) << name;
}

TEST_F(InitialWeightsTest, EveryTensorThatDoesNotFitIsNamed) {
    ASSERT_EQ(begin("alone", {"model.ffn=48", "model.decoder_layers=1"}).code, 0);
    const auto failed = begin("wide", {"train.init_from=first", "model.ffn=48", "model.decoder_layers=1"});
    EXPECT_EQ(failed.code, 2);
    const std::string text = failed.json()["error"]["message"];
    const auto first = weights("first", "step-00000012"), wanted = weights("alone", "step-00000002");
    int unfit = 0;
    for (const auto& [name, view] : first->tensors()) {
        const auto* mine = wanted->find(name);
        const bool fits = mine != nullptr && mine->shape == view.shape;
        unfit += !fits;
        const bool named =
            text.find(": " + name + " ") != text.npos || text.find("; " + name + " ") != text.npos;
        EXPECT_NE(named, fits) << name;
    }
    EXPECT_THAT(text, HasSubstr(std::to_string(unfit) + " tensors do not fit"));
    EXPECT_THAT(text, HasSubstr("is not part of this model"));
    EXPECT_THAT(text, HasSubstr("the model wants"));
    EXPECT_THAT(failed.json()["error"]["remedy"].get<std::string>(), HasSubstr("init_from_parameters"));
    EXPECT_FALSE(fs::exists(runFolder("wide")));
    const auto nothing = begin("wide", {"train.init_from=first", "train.init_from_parameters=coder.*"});
    EXPECT_EQ(nothing.json()["error"]["code"], "train.init_from");
    EXPECT_FALSE(fs::exists(runFolder("wide")));
}

TEST_F(InitialWeightsTest, ReproducingNeedsTheSameWeights) {
    ASSERT_EQ(run({"train", "small", "--run", "tuned", "--quiet", "--set", "train.init_from=first", "--set",
                   "seed=3"})
                  .code,
              0);
    const auto again = run({"reproduce", "tuned", "--json", "--quiet"});
    EXPECT_EQ(again.json()["equal"], true) << again.output << again.log;
    const auto replayed = run({"reproduce", "tuned", "--steps", "12", "--json", "--quiet"});
    EXPECT_EQ(replayed.json()["equal"], true) << replayed.output;
    fs::remove_all(runFolder("first"));
    const json missing = run({"reproduce", "tuned", "--json", "--quiet"}).json()["error"];
    EXPECT_EQ(missing["code"], "reference.missing");
    EXPECT_EQ(missing["field"], "train.init_from");
    ASSERT_EQ(run({"train", "small", "--run", "first", "--quiet", "--set", "seed=4"}).code, 0);
    EXPECT_EQ(run({"reproduce", "tuned", "--json", "--quiet"}).json()["error"]["code"],
              "reference.other_weights");
}

TEST_F(InitialWeightsTest, AForkBeginsFromItsParent) {
    ASSERT_EQ(begin("tuned", {"train.init_from=first"}).code, 0);
    fs::remove_all(runFolder("first"));
    EXPECT_EQ(run({"fork", "tuned", "--run", "fork", "--quiet", "--json"}).code, 0);
    const auto refused = run({"fork", "tuned", "--run", "other", "--json", "--set", "train.init_from=tuned"});
    EXPECT_EQ(refused.json()["error"]["code"], "fork.init_from");
    EXPECT_FALSE(fs::exists(runFolder("other")));
}

}  // namespace
}  // namespace kurve::testing
