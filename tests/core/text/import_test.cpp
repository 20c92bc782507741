#include "core/text/import.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::HasSubstr;

std::string manyPairs(int count) {
    std::string text = "# from a friend\n";
    for (int i = 0; i < count; ++i) {
        const std::string name =
            std::string(1, static_cast<char>('a' + i % 26)) + std::string(1, static_cast<char>('a' + i / 26));
        text += "the " + name + "\tder " + name + "\n";
    }
    return text;
}

ImportRequest requestFor(const std::filesystem::path& train) {
    ImportRequest request;
    request.name = "mine";
    request.splits["train"] = {train, {}};
    return request;
}

TEST(Import, WritesSplitsWithHashesAndKeepsNotices) {
    const ScratchFolder folder;
    ImportRequest request =
        requestFor(folder.write("in.tsv", "\xEF\xBB\xBF# licence\none\tuno\textra\r\none\tuno\n\tx\n"));
    request.splits["valid"] = {folder.write("v.en", "ONE!\ntwo\n"), folder.write("v.es", "a\nb\n")};
    const auto report = importCorpus(request, folder.path() / "p");
    ASSERT_TRUE(report) << report.error().text();
    const auto file = folder.path() / "p/data/mine.train.tsv";
    EXPECT_EQ(*readFile(file), "# licence\none\tuno\none\tuno\n");
    EXPECT_EQ(*sha256File(file), report->splits.at("train").sha256);
    EXPECT_EQ(report->splits.at("train").duplicates, 1);
    EXPECT_EQ(report->leaks.at("valid").pairs, 1);
    const auto json = nlohmann::json::parse(*readFile(folder.path() / "p/data/mine.corpus.json"));
    EXPECT_EQ(json, toJson(*report));
    EXPECT_EQ(json["splits"]["train"]["empty_sides"], 1);
    EXPECT_EQ(json["splits"]["train"]["crlf"], 1);
    EXPECT_EQ(json["leak"]["valid"]["examples"][0], "ONE!");
}

TEST(Import, JsonLinesBecomeATsv) {
    const ScratchFolder folder;
    const auto report = importCorpus(
        requestFor(folder.write("in.jsonl", "{\"src\": \"one\\ttwo\", \"trg\": \"uno\\ndos\"}\n")),
        folder.path());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->splits.at("train").file, "data/mine.train.tsv");
    EXPECT_EQ(*readFile(folder.path() / "data/mine.train.tsv"), "one two\tuno dos\n");
}

// The target was lost, as "b" was read in its place; and the pair, as a notice.
TEST(Import, ParallelLinesAreReadBackAsPairs) {
    const ScratchFolder folder;
    ImportRequest request = requestFor("");
    request.splits["train"] = {folder.write("t.en", "# a\tb\nc\n"), folder.write("t.de", "x\ny\t\tz\n")};
    const auto report = importCorpus(request, folder.path());
    ASSERT_TRUE(report) << report.error().text();
    const auto written = readTsv(folder.path() / "data/mine.train.tsv", {});
    ASSERT_TRUE(written) << written.error().text();
    EXPECT_THAT(written->pairs, testing::ElementsAre(Pair{"# a b", "x"}, Pair{"c", "y  z"}));
}

TEST(Import, HoldsOutDisjointStableSplits) {
    const ScratchFolder folder;
    ImportRequest request = requestFor(folder.write("in.tsv", manyPairs(100) + "The AA!\tx\nzz\tder ab\n"));
    request.validPairs = 10;
    request.testPairs = 20;
    const auto first = importCorpus(request, folder.path());
    ASSERT_TRUE(first) << first.error().text();
    const std::int64_t pairs =
        first->splits.at("train").pairs + first->splits.at("valid").pairs + first->splits.at("test").pairs;
    EXPECT_EQ(pairs + first->removedAsLeak, 102);
    EXPECT_GE(first->splits.at("valid").pairs, 10);
    EXPECT_EQ(first->leaks.at("valid").pairs, 0);
    EXPECT_EQ(first->leaks.at("test").pairs, 0);
    const std::string valid = *readFile(folder.path() / "data/mine.valid.tsv");
    request.splits["train"].source = folder.write("in.tsv", manyPairs(100) + "The AA!\tx\nzz\tder ab\n");
    request.force = true;
    ASSERT_TRUE(importCorpus(request, folder.path()));
    EXPECT_EQ(*readFile(folder.path() / "data/mine.valid.tsv"), valid);
}

TEST(Import, SaysWhatIsWrong) {
    const ScratchFolder folder;
    ImportRequest request = requestFor(folder.write("in.tsv", "one\tuno\ntwo\tdos\n"));
    ASSERT_TRUE(importCorpus(request, folder.path()));
    EXPECT_THAT(importCorpus(request, folder.path()).error().text(),
                HasSubstr("data/mine.corpus.json: there is a corpus of this name; choose another name, or "
                          "replace it with --force"));
    request.name = "../x";
    EXPECT_EQ(importCorpus(request, folder.path()).error().text(),
              "name: “../x” cannot name a corpus; use letters, digits, - and _; begin with no dash");
    request.name = "other";
    request.validPairs = 5;
    EXPECT_EQ(importCorpus(request, folder.path()).error().code, "data.too_few");
    request.splits["test"] = {folder.path() / "no.tsv", {}};
    EXPECT_EQ(importCorpus(request, folder.path()).error().code, "data.missing");
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "data/other.train.tsv"))
        << "nothing is written of a failed import";
}

// "Cut fewer pairs" was no way out: already one takes all of them along.
TEST(Import, OfEqualPairsNoSplitCanBeHeldOut) {
    const ScratchFolder folder;
    const auto message = [&](const std::string& text) {
        ImportRequest request = requestFor(folder.write("in.tsv", text));
        request.validPairs = 1;
        return importCorpus(request, folder.path()).error().text();
    };
    EXPECT_THAT(
        message("one\tuno\nOne\tdos\n"),
        HasSubstr("in.tsv: all 2 pairs have the same source: any split held out from them leaks; give a "
                  "corpus whose sources differ, or name a file of its own for valid (--valid)"));
    EXPECT_THAT(message("one\tuno\ntwo\tuno\n"), HasSubstr("all 2 pairs have the same target"));
    ImportRequest whole = requestFor(folder.write("in.tsv", "one\tuno\none\tuno\n"));
    EXPECT_TRUE(importCorpus(whole, folder.path())) << "nothing is cut from it";
}

TEST(Import, TextsAreLinesWithoutASource) {
    const ScratchFolder folder;
    std::string lines;
    for (const char c : std::string("abcdefghijklmnopqrstuvwxyz"))
        lines += "the line of the letter " + std::string(3, c) + "\n";
    ImportRequest request = requestFor(folder.write("in.txt", lines + "\n" + lines));
    request.kind = CorpusKind::Text;
    request.validPairs = 5;
    const auto report = importCorpus(request, folder.path());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->splits.at("valid").file, "data/mine.valid.txt");
    EXPECT_EQ(report->splits.at("valid").pairs, 10) << "both copies of five lines";
    EXPECT_EQ(report->splits.at("train").pairs, 42);
    EXPECT_EQ(report->leaks.at("valid").pairs, 0);
    const auto valid = readText(folder.path() / "data/mine.valid.txt", {});
    ASSERT_TRUE(valid);
    EXPECT_EQ(valid->pairs.size(), 10U);
    EXPECT_TRUE(valid->pairs[0].source.empty());
}

// The licence was a text of train and of valid.
TEST(Import, NoticesOfATableDoNotBecomeTexts) {
    const ScratchFolder folder;
    ImportRequest request = requestFor(folder.write("in.tsv", "# licence\na\tone\nb\ttwo\n"));
    request.kind = CorpusKind::Text;
    request.validPairs = 1;
    const auto report = importCorpus(request, folder.path());
    ASSERT_TRUE(report) << report.error().text();
    for (const auto& [split, imported] : report->splits) {
        const auto written = readText(folder.path() / imported.file, {});
        ASSERT_TRUE(written) << written.error().text();
        EXPECT_EQ(written->report.lines, 1) << split;
    }
}

TEST(Import, DocumentsAreWrittenAsOneSentenceALine) {
    const ScratchFolder folder;
    std::string text;
    for (const char c : std::string("abcdefghijklmnopqrstuvwxyz"))
        text += "Mr. " + std::string(3, c) + " came.\nHe saw " + std::string(2, c) + "! Why?\n\n\n";
    ImportRequest request = requestFor(folder.write("in.txt", text + "***\n"));
    request.kind = CorpusKind::Documents;
    request.options.running = true;
    request.validPairs = 5;
    const auto report = importCorpus(request, folder.path());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->splits.at("train").pairs, 21);
    EXPECT_EQ(report->splits.at("train").sentences, 63);
    EXPECT_EQ(report->splits.at("train").report.emptySides, 1);
    EXPECT_EQ(report->splits.at("valid").file, "data/mine.valid.txt");
    EXPECT_EQ(report->leaks.at("valid").pairs, 0);
    const CorpusSource written{folder.path() / "data/mine.train.txt", {}, CorpusKind::Documents};
    const auto train = readCorpus(written);
    ASSERT_TRUE(train) << train.error().text();
    EXPECT_EQ(train->pairs.size(), 21U);
    EXPECT_THAT(train->pairs[0].target, testing::MatchesRegex("Mr. ... came.\nHe saw ..!\nWhy."));
    EXPECT_THAT(*readFile(folder.path() / "data/mine.corpus.json"), HasSubstr("\"kind\": \"documents\""));
}

}  // namespace
}  // namespace kurve::text
