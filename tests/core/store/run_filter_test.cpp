// The filter of the run list: terms, scores with their settings, what cannot be read.
#include <gtest/gtest.h>
#include <cmath>

#include "core/store/project.h"

namespace kurve::store {
namespace {

RunSummary example() {
    RunSummary run;
    run.id = "20261121-aaaa";
    run.name = "Restore small";
    run.family = "sclm";
    run.state = "running";
    run.step = 500;
    run.tags = {"ok", "Paper"};
    run.metrics = {{"valid/bleu", 31.5}, {"loss", NAN}};
    run.settings = {{"train.lr", "5e-4"}, {"map.kind", "repeat"}};
    run.notes = "falls <b>fast</b>: lr=3e-4?";
    run.starred = true;
    return run;
}

TEST(RunFilter, EveryTermMustHold) {
    const auto matches = [](const std::string& text) {
        const auto filter = RunFilter::parse(text);
        EXPECT_TRUE(filter) << text;
        return filter && filter->matches(example());
    };
    for (const char* yes : {"",
                            "  ",
                            "restore",
                            "RESTORE sma",
                            "\"restore small\"",
                            "tag:ok",
                            "tag:pap",
                            "tag=paper",
                            "family:sclm",
                            "family=SCLM",
                            "state:run",
                            "bleu>31",
                            "bleu>=31.5",
                            "valid/bleu<32",
                            "bleu!=30",
                            "bleu=31.5",
                            "lr<1e-3",
                            "train.lr=5e-4",
                            "lr=0.0005",
                            "step>=500",
                            "kind:repeat",
                            "kind=repeat",
                            "is:starred",
                            "loss!=3",
                            "lr<1e-3 tag:ok bleu>20 family:sclm state:running small",
                            "family!=difformer",
                            "name:\"restore small\"",
                            "\"fast</b>: lr\"",
                            "\"lr=3e-4\" \"<b>\"",
                            "notes:\"<b>fast\""})
        EXPECT_TRUE(matches(yes)) << yes;
    for (const char* no :
         {"other", "\"small restore\"", "\"tag:ok\"", "tag=pap", "bleu>31.5", "lr>1e-3", "loss<100", "loss>0",
          "nothing>1", "nothing:1", "nothing=1", "is:trashed", "family!=sclm", "restore bleu>40"})
        EXPECT_FALSE(matches(no)) << no;
    EXPECT_TRUE(RunFilter::parse("is:trashed x")->asksFor("is", "trashed"));
    EXPECT_FALSE(RunFilter::parse("trashed")->asksFor("is", "trashed"));
}

TEST(RunFilter, ASettingThatWasNotChangedHasItsDefault) {
    const auto unchanged = [](const RunSummary& run, const std::string& key) -> std::optional<std::string> {
        if (key == "train.lr" || key == "sampler.steps") return "10";
        return run.family == "sclm" && key == "map.fit" ? std::optional<std::string>("ridge") : std::nullopt;
    };
    const std::vector<RunSummary> runs{example()};
    const auto matches = [&](const char* text) {
        return RunFilter::parse(text, unchanged)->matches(runs[0]);
    };
    for (const char* yes : {"sampler.steps=10", "sampler.steps:10", "sampler.steps>9", "map.fit:rid",
                            "map.fit=ridge", "train.lr=5e-4", "train.lr!=10"})
        EXPECT_TRUE(matches(yes)) << yes;
    for (const char* no : {"sampler.steps!=10", "map.fit!=ridge", "map.other:ridge", "train.lr=10", "tag:10"})
        EXPECT_FALSE(matches(no)) << no;
    EXPECT_EQ(RunFilter::parse("map.fit:x", unchanged)->unknownName(runs), "");
    EXPECT_EQ(RunFilter::parse("map.other:x", unchanged)->unknownName(runs), "map.other");
}

TEST(RunFilter, AsksForAScoreWithItsSettings) {
    RunSummary run = example();
    run.metrics["eval_test_bleu"] = 10;
    run.metrics["eval_test_bleu@beam=8"] = 21;
    run.metrics["eval_test_bleu@beam=8,temperature=0.7"] = 25;
    const auto matches = [&](const char* text) { return RunFilter::parse(text)->matches(run); };
    for (const char* yes :
         {"eval_test_bleu@beam=8>20", "eval_test_bleu@beam=8>=21", "eval_test_bleu@beam=8=21",
          "eval_test_bleu@beam=8!=10", "eval_test_bleu<20", "eval_test_bleu@beam=8,temperature=0.7>24",
          "eval_test_bleu@temperature=0.7,beam=8>24 eval_test_bleu@beam=8<22"})
        EXPECT_TRUE(matches(yes)) << yes;
    for (const char* no : {"eval_test_bleu@beam=8>21", "eval_test_bleu@beam=4>1", "eval_test_bleu>20",
                           "eval_test_bleu@beam=8,temperature=0.8>1", "name=someone@home"})
        EXPECT_FALSE(matches(no)) << no;
    EXPECT_TRUE(RunFilter::parse("someone@home")) << "a word";
}

TEST(RunFilter, SaysWhatItCannotRead) {
    for (const char* bad : {"bleu>", "bleu>=", "tag:", ":x", "<3", "bleu>many", "\"open", "a \"b",
                            "eval_test_bleu@beam=8", "eval_test_bleu@beam=8>"}) {
        const auto filter = RunFilter::parse(bad);
        ASSERT_FALSE(filter) << bad;
        EXPECT_EQ(filter.error().code, "filter.syntax");
    }
}

}  // namespace
}  // namespace kurve::store
