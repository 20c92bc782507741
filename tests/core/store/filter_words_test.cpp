// What the filter box proposes, and deleting for good.
#include "core/store/filter_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>

#include "core/store/detail/run_lock.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<RunSummary> someRuns() {
    RunSummary a, b, c;
    a.id = "a", a.family = "sclm", a.tags = {"ok", "two words"}, a.settings = {{"train.lr", "0.001"}};
    a.metrics = {{"valid_bleu", 20}};
    b.id = "b", b.family = "difformer", b.tags = {"ok"}, b.settings = {{"train.lr", "0.002"}};
    b.metrics = {{"valid_bleu", 75.5}};
    c.id = "c", c.family = "sclm", c.reason = "out of memory", c.notes = "a long text";
    return {a, b, c};
}

std::vector<std::string> textsOf(const std::string& typed) {
    std::vector<std::string> texts;
    const auto runs = someRuns();
    for (const auto& suggestion : suggestTerms(typed, runs)) texts.push_back(suggestion.text);
    return texts;
}

TEST(Filter, NamesWhatNoRunHasAndWhatMayBeMeant) {
    const auto runs = someRuns();
    const auto why = [&](const char* text) { return whyNothingMatches(*RunFilter::parse(text), runs); };
    EXPECT_EQ(why("bleu>40"), "no run has a number or a setting \"bleu\"; did you mean valid_bleu?");
    EXPECT_EQ(why("family:sclm train.r<1"),
              "no run has a number or a setting \"train.r\"; did you mean train.lr?");
    for (const char* known : {"valid_bleu>99", "lr<0", "step>9", "tag:none", "words only", "parent:x"})
        EXPECT_EQ(why(known), "") << known;
    EXPECT_EQ(whyNothingMatches(*RunFilter::parse("bleu>40"), {}), "") << "nothing is known of no runs";
}

TEST(SuggestTerms, KeysByTheirBeginningOrTheirLastPart) {
    EXPECT_THAT(textsOf("fam"), ElementsAre("family:"));
    EXPECT_THAT(textsOf("lr"), ElementsAre("train.lr="));
    EXPECT_THAT(textsOf("bleu"), ElementsAre("valid_bleu>"));
    EXPECT_THAT(textsOf("state:x ta"), ElementsAre("state:x tag:", "state:x task:", "state:x state:"));
    EXPECT_EQ(suggestTerms("bleu", someRuns())[0].note, "metric, 20 to 75.5");
}

TEST(SuggestTerms, BestValuesOfCurvesAfterTheLastOnes) {
    auto runs = someRuns();
    for (auto& run : runs) {
        auto extremes = std::make_shared<RunExtremes>();
        extremes->metrics = {{"valid_bleu", 2, 61.5, 1, 2, 0}};
        run.extremes = extremes;
    }
    std::vector<std::string> texts;
    for (const auto& suggestion : suggestTerms("bleu", runs)) texts.push_back(suggestion.text);
    EXPECT_THAT(texts, ElementsAre("valid_bleu>", "min.valid_bleu<", "max.valid_bleu>"));
    EXPECT_EQ(suggestTerms("max.", runs)[0].text, "max.valid_bleu>");
    EXPECT_EQ(suggestTerms("max.", runs)[0].note, "highest of the curve, 61.5 to 61.5");
}

TEST(SuggestTerms, AScoreWithItsSettingsIsOneName) {
    auto runs = someRuns();
    runs[0].metrics["eval_test_bleu@beam=8,temperature=0.7"] = 22;
    const auto only = [&](const std::string& typed) {
        const auto found = suggestTerms(typed, runs);
        return found.size() == 1 ? found[0].text : std::to_string(found.size());
    };
    EXPECT_EQ(only("beam=8,temp"), "0") << "that is a setting named beam";
    for (const char* typed :
         {"eval_test", "eval_test_bleu@be", "eval_test_bleu@beam=", "eval_test_bleu@beam=8,t"})
        EXPECT_EQ(only(typed), "eval_test_bleu@beam=8,temperature=0.7>") << typed;
    EXPECT_THAT(only("eval_test_bleu@beam=8,temperature=0.7>2"), "0");
}

TEST(SuggestTerms, ValuesThatOccurTheMostFrequentFirst) {
    EXPECT_THAT(textsOf("family:"), ElementsAre("family:sclm", "family:difformer"));
    EXPECT_THAT(textsOf("family:DIFF"), ElementsAre("family:difformer"));
    EXPECT_THAT(textsOf("x lr="), ElementsAre("x lr=0.001", "x lr=0.002"));
    EXPECT_THAT(textsOf("tag:two"), ElementsAre("tag:\"two words\""));
    EXPECT_THAT(textsOf("tag:\"two w"), ElementsAre("tag:\"two words\""));
    EXPECT_THAT(textsOf("reason:"), ElementsAre("reason:\"out of memory\""));
    EXPECT_THAT(textsOf("notes:"), IsEmpty());
    EXPECT_EQ(suggestTerms("family:s", someRuns())[0].note, "2 runs");
}

TEST(SuggestTerms, EverySuggestionWithAValueIsAFilterThatFindsARun) {
    const auto runs = someRuns();
    for (const char* typed : {"family:", "tag:", "lr=", "id:"})
        for (const auto& suggestion : suggestTerms(typed, runs)) {
            const auto filter = RunFilter::parse(suggestion.text);
            ASSERT_TRUE(filter) << suggestion.text;
            EXPECT_TRUE(std::any_of(runs.begin(), runs.end(), [&](const auto& run) {
                return filter->matches(run);
            })) << suggestion.text;
        }
}

TEST(SuggestTerms, NothingMoreToSuggest) {
    EXPECT_THAT(textsOf("family:sclm"), IsEmpty());
    EXPECT_THAT(textsOf("valid_bleu>2"), IsEmpty());
    EXPECT_THAT(textsOf("zzz"), IsEmpty());
    EXPECT_EQ(suggestTerms("", someRuns(), 5).size(), 5);
}

class Purge : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(folder_ / "project.toml") << "name = \"p\"\n";
        for (const char* id : {"old", "kept"}) {
            std::filesystem::create_directories(folder_ / "runs" / id / "traces");
            std::ofstream(folder_ / "runs" / id / "run.db") << std::string(1000, 'x');
            std::ofstream(folder_ / "runs" / id / "traces" / "t") << std::string(500, 'x');
        }
    }
    [[nodiscard]] RunSummary run(const char* id, bool trashed, const char* state = "completed") const {
        RunSummary summary;
        summary.id = id, summary.trashed = trashed, summary.state = state;
        return summary;
    }
    testing::TemporaryFolder folder_;
};

TEST_F(Purge, DeletesWhatIsInTheTrashAndSaysHowMuch) {
    const auto project = Project::open(folder_.path());
    {
        const auto index = ProjectIndex::open(*project);
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->setTrashed("old", true));
    }
    const std::vector runs{run("old", true)};
    const auto freed = purgeRuns(*project, runs);
    ASSERT_TRUE(freed) << freed.error().text();
    EXPECT_EQ(*freed, 1500);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "runs/old"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/kept/run.db"));
}

/// Of a checkpoint that a container has written as another user: here a folder that cannot be removed.
TEST_F(Purge, WhatCannotBeDeletedStaysInTheTrash) {
    const auto project = Project::open(folder_.path());
    {
        const auto index = ProjectIndex::open(*project);
        ASSERT_TRUE((*index)->refresh());
        ASSERT_TRUE((*index)->setTrashed("old", true));
    }
    const auto stuck = folder_ / "runs/old/checkpoints";
    std::filesystem::create_directories(stuck);
    if (::mount("tmpfs", stuck.c_str(), "tmpfs", 0, "size=16k") != 0)
        GTEST_SKIP() << "a file system of its own needs the right to mount";
    const std::vector runs{run("old", true)};
    EXPECT_EQ(purgeRuns(*project, runs).error().code, "io.write");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/old/run.db"));
    ::umount(stuck.c_str());
    EXPECT_TRUE(purgeRuns(*project, runs));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "runs/old"));
}

TEST_F(Purge, RefusesAllIfOneMayNotGo) {
    const auto project = Project::open(folder_.path());
    const std::vector kept{run("old", true), run("kept", false)},
        live{run("old", true), run("kept", true, "running")};
    EXPECT_EQ(purgeRuns(*project, kept).error().code, "run.not_trashed");
    EXPECT_EQ(purgeRuns(*project, live).error().code, "run.live");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/old/run.db"));
}

// A process that prepares to resume a run has not written its state yet.
TEST_F(Purge, RefusesWhatAProcessWrites) {
    const auto project = Project::open(folder_.path());
    const std::vector both{run("old", true), run("kept", true)};
    {
        const auto index = ProjectIndex::open(*project);
        ASSERT_TRUE((*index)->refresh());
        for (const auto& one : both) ASSERT_TRUE((*index)->setTrashed(one.id, true));
    }
    {
        const auto lock = detail::RunLock::take(folder_ / "runs/kept");
        ASSERT_TRUE(lock);
        EXPECT_EQ(purgeRuns(*project, both).error().code, "store.locked");
        EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/old/run.db"));
        EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/kept/traces/t"));
    }
    std::filesystem::create_symlink(folder_ / "project.toml", folder_ / "runs/old/run.lock");
    const auto freed = purgeRuns(*project, both);
    ASSERT_TRUE(freed) << freed.error().text();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "runs/old"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "project.toml"));
}

TEST(Archived, IsATag) {
    RunSummary run;
    EXPECT_FALSE(isArchived(run));
    run.tags = {"ok", "archived"};
    EXPECT_TRUE(isArchived(run));
}

}  // namespace
}  // namespace kurve::store
