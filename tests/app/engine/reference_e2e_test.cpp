// Runs that are built on other runs, of the family echo: model.base names the run below.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>

#include "core/base/hash.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char *kProgram = "kurve_echo", *kInput = "in the beginning";

class ReferenceTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        std::string text = *readFile(project_ / "experiments/causal.toml");
        text.replace(0, text.find("[data]"), "family = \"echo\"\n");
        text.replace(text.find("[model]"), text.find("[train]") - text.find("[model]"), "");
        std::ofstream(project_ / "experiments/echo.toml") << text;
    }
    [[nodiscard]] EngineResult echo(const std::vector<std::string>& arguments) const {
        return runEngine(arguments, project_.path(), kProgram);
    }
    [[nodiscard]] EngineResult train(const std::string& id, std::vector<std::string> more = {}) const {
        std::vector<std::string> all{"train", "echo", "--run", id, "--quiet", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return echo(all);
    }
    [[nodiscard]] EngineResult trainOn(const std::string& id, const std::string& base,
                                       std::vector<std::string> more = {}) const {
        more.insert(more.end(), {"--set", "model.base=" + base});
        return train(id, more);
    }
    /// That it fails, names the field and leaves no run; the code.
    [[nodiscard]] std::string refusal(const EngineResult& result, const std::string& newRun = "top") const {
        const json error = result.json()["error"];
        EXPECT_NE(result.code, 0);
        EXPECT_EQ(error["field"], "model.base") << result.output;
        EXPECT_FALSE(error["remedy"].get<std::string>().empty()) << result.output;
        if (!newRun.empty()) EXPECT_FALSE(fs::exists(runFolder(newRun)));
        return error["code"];
    }
    [[nodiscard]] static json output(const std::string& run, const fs::path& in) {
        const auto result = runEngine({"sample", run, "--input", kInput, "--json", "--quiet"}, in, kProgram);
        EXPECT_EQ(result.code, 0) << result.output << result.log;
        return result.json()["samples"];
    }
    [[nodiscard]] json pins(const std::string& id) const {
        const auto reader = store::RunReader::open(runFolder(id));
        return json::parse((*reader)->values().at("references"));
    }
};

TEST_F(ReferenceTest, ARunOnAnotherStaysWholeWithoutIt) {
    ASSERT_EQ(train("base", {"--set", "train.ema_decay=0.9"}).code, 0);
    const auto trained = trainOn("top", "base@8");
    ASSERT_EQ(trained.code, 0) << trained.output << trained.log;
    const json pin = pins("top").at(0);
    EXPECT_EQ(pin["field"], "model.base");
    EXPECT_EQ(pin["checkpoint"], "step-00000008");
    const fs::path copy = runFolder("top") / "references/model.base/weights.safetensors",
                   original = runFolder("base") / "checkpoints/step-00000008/ema.safetensors";
    EXPECT_EQ(pin["weights"], *sha256File(original)) << "those that evaluation used";
    EXPECT_EQ(*sha256File(copy), *sha256File(original));
    EXPECT_TRUE(fs::equivalent(copy, original)) << "a link takes no space";
    const std::string mine = bytes("top", "step-00000012/weights.safetensors");
    EXPECT_EQ(mine.size(), bytes("base", "step-00000012/weights.safetensors").size())
        << "the frozen network is no part of a checkpoint";
    EXPECT_EQ(echo({"runs", "--json", "--filter", "id=top"}).json()["runs"][0]["references"]["model.base"],
              "base@step-00000008");

    const json before = output("top", project_.path());
    ASSERT_EQ(train("base2", {"--set", "seed=7"}).code, 0);
    ASSERT_EQ(trainOn("other", "base2").code, 0);
    EXPECT_NE(output("other", project_.path()), before) << "the base counts";
    // Stopped on the way, resumed where the base is gone.
    ASSERT_EQ(trainOn("parts", "base@8", {"--max-steps", "7"}).code, 0);
    fs::remove_all(runFolder("base"));
    const auto resumed = echo({"resume", "parts", "--max-steps", "12", "--quiet", "--json"});
    ASSERT_EQ(resumed.code, 0) << resumed.output;
    EXPECT_EQ(bytes("parts", "step-00000012/weights.safetensors"), mine);
    EXPECT_EQ(output("top", project_.path()), before);
    EXPECT_EQ(echo({"verify", "--quiet"}).code, 0);

    const TemporaryFolder away;
    fs::copy(runFolder("top"), away / "copy", fs::copy_options::recursive);
    EXPECT_EQ(output((away / "copy").string(), away.path()), before) << "on another machine";
    std::ofstream(away / "copy/references/model.base/weights.safetensors", std::ios::app) << "x";
    const auto damaged =
        runEngine({"sample", (away / "copy").string(), "--input", kInput, "--json"}, away.path(), kProgram);
    EXPECT_EQ(refusal(damaged, ""), "reference.missing");
    EXPECT_NE(runEngine({"verify", (away / "copy").string(), "--quiet"}, away.path(), kProgram).code, 0);
}

TEST_F(ReferenceTest, ReplicasShareTheFrozenWeightsAndAreExact) {
    ASSERT_EQ(train("base").code, 0);
    for (const char* id : {"one", "two"})
        ASSERT_EQ(trainOn(id, "base", {"--set", "train.cpu_replicas=2"}).code, 0);
    EXPECT_EQ(bytes("one", "step-00000012/weights.safetensors"),
              bytes("two", "step-00000012/weights.safetensors"));
    const auto again = echo({"reproduce", "one", "--quiet", "--json"});
    EXPECT_EQ(again.json()["equal"], true) << again.output;
}

TEST_F(ReferenceTest, ARunOnARunOnARunIsWholeAsWell) {
    ASSERT_EQ(train("base").code, 0);
    ASSERT_EQ(trainOn("middle", "base").code, 0);
    const auto top = trainOn("top", "middle");
    ASSERT_EQ(top.code, 0) << top.output;
    EXPECT_EQ(pins("top")[0]["references"][0]["run"], "base");
    const json before = output("top", project_.path());
    fs::remove_all(runFolder("base"));
    EXPECT_EQ(trainOn("later", "middle").code, 0) << "its copy of the base is enough";
    fs::remove_all(runFolder("middle"));
    EXPECT_EQ(output("top", project_.path()), before);
    EXPECT_EQ(output("later", project_.path()), before);
    const auto fork = echo({"fork", "top", "--run", "fork", "--json", "--set", "train.lr=0.001"});
    ASSERT_EQ(fork.code, 0) << fork.output;
    EXPECT_EQ(output("fork", project_.path()), before);
}

TEST_F(ReferenceTest, OtherWeightsThanThosePinnedAreRefused) {
    ASSERT_EQ(train("base").code, 0);
    ASSERT_EQ(trainOn("top", "base").code, 0);
    const json before = output("top", project_.path());
    fs::remove_all(runFolder("base"));
    ASSERT_EQ(train("base", {"--set", "seed=7"}).code, 0);
    EXPECT_EQ(output("top", project_.path()), before) << "its copy is what was pinned";
    fs::rename(runFolder("top") / "references", project_ / "references");
    const auto sample = echo({"sample", "top", "--input", kInput, "--json"});
    EXPECT_EQ(refusal(sample, ""), "reference.other_weights");
    EXPECT_THAT(sample.json()["error"]["message"].get<std::string>(), HasSubstr("base"));
    EXPECT_EQ(refusal(echo({"resume", "top", "--max-steps", "14", "--json", "--quiet"}), ""),
              "reference.other_weights");
    fs::rename(project_ / "references", runFolder("top") / "references");
    EXPECT_EQ(output("top", project_.path()), before) << "nothing was lost";
}

TEST_F(ReferenceTest, ALostCopyIsMadeAgainFromTheRunThatStillHasIt) {
    ASSERT_EQ(train("base").code, 0);
    ASSERT_EQ(trainOn("top", "base").code, 0);
    const fs::path copies = runFolder("top") / "references";
    fs::remove_all(copies);
    ASSERT_EQ(echo({"resume", "top", "--max-steps", "14", "--quiet"}).code, 0);
    EXPECT_TRUE(fs::exists(copies / "model.base/weights.safetensors"));
}

TEST_F(ReferenceTest, WhatCannotBeBuiltOnIsRefusedBeforeAnyWork) {
    EXPECT_EQ(refusal(trainOn("top", "nobody")), "run.missing");
    EXPECT_EQ(refusal(trainOn("top", "../base")), "config.bad_run");
    EXPECT_EQ(refusal(trainOn("top", "top")), "reference.itself");
    ASSERT_EQ(run({"train", "small", "--run", "small", "--max-steps", "2", "--quiet"}).code, 0);
    EXPECT_EQ(refusal(trainOn("top", "small")), "reference.unfit");
    ASSERT_EQ(train("base").code, 0);
    EXPECT_EQ(refusal(trainOn("top", "base@99")), "checkpoint.missing");
    EXPECT_EQ(refusal(trainOn("top", "base@avg2")), "checkpoint.average");
    EXPECT_EQ(refusal(trainOn("top", "base", {"--set", "data.tokenizer.vocabulary=200"})),
              "reference.other_tokenizer");
    EXPECT_EQ(refusal(trainOn("top", "base", {"--dry-run", "--set", "data.tokenizer.vocabulary=200"})),
              "reference.other_tokenizer");
    {  // made by kurve import: a record of numbers, no model
        const auto writer = store::RunWriter::open(runFolder("numbers"));
        ASSERT_TRUE(writer);
        (*writer)->set("id", "numbers");
        (*writer)->set("family", "imported");
        ASSERT_TRUE((*writer)->flush());
    }
    EXPECT_EQ(refusal(trainOn("top", "numbers")), "run.no_config");
    fs::remove_all(runFolder("base") / "checkpoints");
    EXPECT_EQ(refusal(trainOn("top", "base")), "checkpoint.missing");
}

TEST_F(ReferenceTest, ACycleIsRefused) {
    ASSERT_EQ(train("base").code, 0);
    ASSERT_EQ(trainOn("top", "base").code, 0);
    fs::remove_all(runFolder("base"));
    EXPECT_EQ(refusal(trainOn("base", "top"), "base"), "reference.cycle");
    EXPECT_EQ(trainOn("another", "top").code, 0);
}

TEST_F(ReferenceTest, ARunThatStillTrainsIsTakenAtANamedCheckpointOnly) {
    EngineProcess engine({"train", "echo", "--run", "base", "--events", "--set", "train.steps=100000000"},
                         project_.path(), kProgram);
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    const auto refused = trainOn("top", "base");
    EXPECT_EQ(refusal(refused), "reference.training");
    EXPECT_THAT(refused.json()["error"]["remedy"].get<std::string>(), HasSubstr("base@"));
    const auto saved = (*store::RunReader::open(runFolder("base")))->checkpoints();
    EXPECT_EQ(trainOn("top", fmt::format("base@{}", saved.back().step)).code, 0);
    engine.send({{"type", "stop"}});
    engine.finish();
}

TEST_F(ReferenceTest, TheFieldSaysWhatFits) {
    const json described = echo({"describe", "families", "echo", "--json"}).json();
    json base;
    for (const json& field : described["families"][0]["fields"])
        if (field["key"] == "model.base") base = field;
    EXPECT_EQ(base["type"], "run");
    EXPECT_EQ(base["fits"], json::array({"echo"}));
    EXPECT_EQ(run({"describe", "families", "transformer", "--json"}).json()["families"][0]["provides"],
              json::array({"exact-likelihood"}));
}

}  // namespace
}  // namespace kurve::testing
