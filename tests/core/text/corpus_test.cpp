#include "core/text/corpus.h"

#include <gmock/gmock.h>

#include "core/text/statistics.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The error's whole line with the folder cut off.
std::string errorLine(const Result<Corpus>& corpus, const ScratchFolder& folder) {
    if (corpus) return "fine";
    std::string text = corpus.error().code + " | " + corpus.error().text();
    for (const std::string prefix = folder.path().string() + "/"; text.find(prefix) != std::string::npos;)
        text.erase(text.find(prefix), prefix.size());
    return text;
}

TEST(Corpus, KeepsPairsAndCountsCorrections) {
    const ScratchFolder folder;
    const auto file = folder.write(
        "a.tsv",
        "\xEF\xBB\xBF# from somewhere\n# licence\none\tuno\r\ntwo\tdos\textra\n\tleer\n# three\ttres\n"
        "four\t \n\nfive\tcinco");
    const auto corpus = readTsv(file, {});
    ASSERT_TRUE(corpus) << corpus.error().text();
    std::vector<std::string> pairs;
    for (const Pair& pair : corpus->pairs) pairs.push_back(pair.source + "=" + pair.target);
    EXPECT_THAT(pairs, ElementsAre("one=uno", "two=dos", "# three=tres", "five=cinco"));
    const CorpusReport& report = corpus->report;
    EXPECT_EQ(report.lines, 7);
    EXPECT_EQ(report.notices, 2);
    EXPECT_EQ(report.pairs, 4);
    EXPECT_EQ(report.emptySides, 3);
    EXPECT_EQ(report.crlf, 1);
    EXPECT_EQ(report.bom, 1);
    EXPECT_THAT(report.examples, ElementsAre(HasSubstr("a.tsv:5: no source"), HasSubstr("a.tsv:7: no target"),
                                             HasSubstr("a.tsv:8: empty line")));
    EXPECT_EQ(corpus->sha256.size(), 64U);
}

TEST(Corpus, ReadsOtherColumns) {
    const ScratchFolder folder;
    CorpusOptions options;
    options.sourceColumn = 3;
    options.targetColumn = 1;
    const auto corpus = readTsv(folder.write("a.tsv", "x\ty\tz\n"), options);
    ASSERT_TRUE(corpus);
    EXPECT_EQ(corpus->pairs[0].source, "z");
    EXPECT_EQ(corpus->pairs[0].target, "x");
}

TEST(Corpus, AVeryLongLineIsLeftOutAndCounted) {
    const ScratchFolder folder;
    const auto corpus =
        readTsv(folder.write("a.tsv", "a\tb\n" + std::string(10'000'000, 'x') + "\ty\nc\td\n"), {});
    ASSERT_TRUE(corpus);
    EXPECT_EQ(corpus->report.pairs, 2);
    EXPECT_EQ(corpus->report.tooLong, 1);
    EXPECT_THAT(corpus->report.examples, ElementsAre(HasSubstr("a.tsv:2: 10000002 bytes, more than 65536")));
}

TEST(CorpusErrors, NameFileLineFieldAndRemedy) {
    const ScratchFolder folder;
    const auto read = [&](const std::string& bytes) {
        return errorLine(readTsv(folder.write("bad.tsv", bytes), {}), folder);
    };
    EXPECT_EQ(
        read("a\tb\nonly one\n"),
        "data.missing_column | bad.tsv:2: column 2: the line has 1 column; separate the columns by one tab");
    EXPECT_EQ(read("a\tb\nc\td\xE9\n"),
              "data.utf8 | bad.tsv:2: byte 4 is not UTF-8; convert the file, for example with iconv -f "
              "latin1 -t utf-8");
    EXPECT_EQ(read(std::string("a\tb\n\0c\td\n", 9)),
              "data.nul | bad.tsv:2: byte 1 is NUL, which no text has; save the file as UTF-8 text");
    EXPECT_EQ(
        read(""),
        "data.empty | bad.tsv: has no usable pair among 0 lines; every line needs a source and a target");
    EXPECT_EQ(
        read("# notice\n"),
        "data.empty | bad.tsv: has no usable pair among 0 lines; every line needs a source and a target");
    EXPECT_EQ(
        read(" \t \n"),
        "data.empty | bad.tsv: has no usable pair among 1 line; every line needs a source and a target");
    EXPECT_EQ(
        errorLine(readTsv(folder.path() / "no.tsv", {}), folder),
        "data.missing | no.tsv: there is no such file; check the path; it counts from the project folder");
    std::filesystem::create_directories(folder.path() / "sub");
    EXPECT_EQ(errorLine(readTsv(folder.path() / "sub", {}), folder),
              "data.is_folder | sub: is a folder, not a file; name a file in it");
}

TEST(ParallelCorpus, PairsLineByLine) {
    const ScratchFolder folder;
    const auto left = folder.write("a.en", "# one\ntwo\n\nfour\n");
    const auto corpus = readParallel(left, folder.write("a.de", "# eins\r\nzwei\ndrei\nvier\n"), {});
    ASSERT_TRUE(corpus) << corpus.error().text();
    EXPECT_EQ(corpus->report.pairs, 3);
    EXPECT_EQ(corpus->report.emptySides, 1);
    EXPECT_EQ(corpus->report.crlf, 1);
    EXPECT_EQ(corpus->pairs[0].source, "# one") << "a plain text file has no notices: every line is data";
    EXPECT_EQ(corpus->pairs[2].target, "vier");
    EXPECT_EQ(errorLine(readParallel(left, folder.write("b.de", "eins\nzwei\n"), {}), folder),
              "data.line_counts | b.de:2: ends after line 2, but a.en goes on; line n of one file must "
              "translate line n of "
              "the other");
    EXPECT_THAT(errorLine(readParallel(left, folder.write("c.de", "eins\n\xFF\nc\nd\n"), {}), folder),
                HasSubstr("data.utf8 | c.de:2: byte 1"));
}

std::vector<std::string> pairTexts(const Corpus& corpus) {
    std::vector<std::string> pairs;
    for (const Pair& pair : corpus.pairs) pairs.push_back(pair.source + "=" + pair.target);
    return pairs;
}

TEST(JsonLines, AreSourcesAndTargets) {
    const ScratchFolder folder;
    const auto file = folder.write("a.jsonl",
                                   "\xEF\xBB\xBF{\"src\": \" one \", \"trg\": \"uno\"}\r\n\n"
                                   "{\"trg\": \"d\\u00f3s\\n\\ttres\", \"id\": 7, \"src\": \"# "
                                   "two\"}\n{\"src\": \"x\", \"trg\": \" \"}\n");
    const auto corpus = readTsv(file, {});
    ASSERT_TRUE(corpus) << corpus.error().text();
    EXPECT_THAT(pairTexts(*corpus), ElementsAre("one=uno", "# two=dós  tres"));
    EXPECT_EQ(corpus->report.lines, 4);
    EXPECT_EQ(corpus->report.emptySides, 2);
    EXPECT_EQ(corpus->report.crlf, 1);
    EXPECT_EQ(corpus->report.bom, 1);
    EXPECT_EQ(corpus->report.notices, 0);
    EXPECT_THAT(corpus->report.examples,
                ElementsAre(HasSubstr("a.jsonl:2: empty line"), HasSubstr("a.jsonl:4: no target")));
    const auto text = readText(folder.write("b.jsonl", "{\"trg\": \"alone\"}\n"), {});
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_THAT(pairTexts(*text), ElementsAre("=alone"));
}

TEST(JsonLines, ErrorsNameFileLineMemberAndRemedy) {
    const ScratchFolder folder;
    const auto read = [&](const std::string& line) {
        const std::string good = R"({"src": "a", "trg": "b"})";
        return errorLine(readTsv(folder.write("bad.jsonl", good + "\n" + line + "\n"), {}), folder);
    };
    const std::string remedy = R"(; write {"src": "…", "trg": "…"} in each line)";
    EXPECT_EQ(read(R"({"src": "c"})"),
              "data.json | bad.jsonl:2: trg: the object has no such member" + remedy);
    EXPECT_EQ(read(R"({"src": 3, "trg": "d"})"),
              "data.json | bad.jsonl:2: src: is of type number, not a text" + remedy);
    EXPECT_EQ(read(R"({"src": "c", "trg": null})"),
              "data.json | bad.jsonl:2: trg: is of type null, not a text" + remedy);
    EXPECT_EQ(read(R"(["c", "d"])"),
              "data.json | bad.jsonl:2: the line is of type array, not an object" + remedy);
    for (const char* line :
         {"c\td", R"({"src": "c", "trg": "d")", R"({"src": "c", "trg": "d"} x)", R"("\ud800")", "# a notice"})
        EXPECT_EQ(read(line), "data.json | bad.jsonl:2: the line is not JSON" + remedy) << line;
    EXPECT_EQ(read(std::string(40, '[')), "data.json | bad.jsonl:2: the line is nested too deeply" + remedy);
    EXPECT_EQ(read(R"({"src": "c\u0000", "trg": "d"})"),
              "data.nul | bad.jsonl:2: src: has the character NUL, which no text has; remove \\u0000");
    EXPECT_THAT(read("{\"src\": \"\xE9\", \"trg\": \"d\"}"),
                HasSubstr("data.utf8 | bad.jsonl:2: byte 10 is not UTF-8"));
}

TEST(Statistics, LengthsAreNearestRank) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 100; i >= 1; --i) lengths.push_back(i);
    const LengthSummary summary = summarizeLengths(lengths);
    EXPECT_EQ(summary.min, 1);
    EXPECT_EQ(summary.p50, 50);
    EXPECT_EQ(summary.p95, 95);
    EXPECT_EQ(summary.max, 100);
    EXPECT_EQ(summarizeLengths({}).max, 0);
    EXPECT_EQ(summarizeLengths({7}).p95, 7);
}

TEST(Statistics, ALeakIsFoundThroughCaseAndPunctuation) {
    const Corpus train{{{"he said yes", "He said, “Yes.”"}, {"an apple", "ein Apfel"}}, {}, ""};
    const Corpus valid{
        {{"HE SAID: YES", "other"}, {"new", "Ein Apfel!"}, {"fresh", "frisch"}, {"...", "?"}}, {}, ""};
    const Leak leak = findLeak(train, valid);
    EXPECT_EQ(leak.pairs, 2);
    EXPECT_THAT(leak.examples, ElementsAre("HE SAID: YES", "new"));
    EXPECT_EQ(findLeak(train, train).pairs, 2);
}

TEST(Statistics, CountsCopiesAndUnseenWords) {
    const Corpus train{{{"a b", "c"}, {"a b", "c"}, {"a", "b c"}, {"a b", "c"}}, {}, ""};
    EXPECT_EQ(duplicatePairs(train), 2);
    const Corpus other{{{"a x", "c y"}}, {}, ""};
    EXPECT_DOUBLE_EQ(unseenWordRate(train, other), 0.5);
    EXPECT_DOUBLE_EQ(unseenWordRate(train, train), 0.0);
}

}  // namespace
}  // namespace kurve::text
