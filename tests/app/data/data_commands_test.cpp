#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "app/engine/commands.h"
#include "app/engine/corpus_check.h"
#include "app/engine/data_commands.h"
#include "app/engine/project_template.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/store/project.h"
#include "core/store/run_writer.h"
#include "core/text/tokenizer.h"
#include "tests/core/text/scratch_folder.h"

namespace kurve::engine {

/// Needs LibTorch, which this program has not.
Action setupDataVectors(CLI::App& /*app*/) {
    return [](const CommonOptions& /*common*/, Output& /*out*/) -> Status { return {}; };
}

namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using text::ScratchFolder;
namespace fs = std::filesystem;

struct Ran {
    Status status;
    json document;
    std::string text;
    [[nodiscard]] std::string code() const { return status ? "fine" : status.error().code; }
};

/// Parses like the program does; `document` is what --json prints, `text` what people see.
Ran runCommand(Action (*setup)(CLI::App&), const std::vector<std::string>& arguments,
               CommonOptions common = {}, const std::string& input = "") {
    Ran ran;
    for (const bool isJson : {false, true}) {
        CLI::App app;
        const Action action = setup(app);
        std::vector<std::string> words(arguments.rbegin(), arguments.rend());
        app.parse(words);
        common.json = isJson;
        Output out(common);
        std::istringstream in(input);
        std::streambuf* const standard = std::cin.rdbuf(in.rdbuf());
        testing::internal::CaptureStdout();
        ran.status = action(common, out);
        const std::string printed = testing::internal::GetCapturedStdout();
        std::cin.rdbuf(standard);
        std::cin.clear();
        if (!ran.status) return ran;
        (isJson ? ran.document = json::parse(printed), ran.text : ran.text = printed);
        common.force = true;  // the second time over, an import finds its own result
    }
    return ran;
}

CommonOptions inProject(const ScratchFolder& folder) {
    folder.write("p/project.toml", "name = \"p\"\n");
    CommonOptions common;
    common.project = (folder.path() / "p").string();
    return common;
}

TEST(DataStats, HasThePromisedFields) {
    const ScratchFolder folder;
    const auto train = folder.write("train.tsv", "# note\na b c\tx y\na b c\tx y\n\tempty\nd\tz\n").string();
    const auto valid =
        folder.write("valid.tsv", "A, B, C!\tnew\ne e e e e\tw w w w w w w w w w w\n").string();
    const Ran ran = runCommand(setupData, {"stats", train, valid, "--max-length", "10"});
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    const json& d = ran.document;
    EXPECT_EQ(d["lines"], 6);
    EXPECT_EQ(d["pairs"], 5);
    EXPECT_EQ(d["tokens"], 5 + 5 + 2 + 4 + 16);
    EXPECT_EQ(d["length"], json::parse(R"({"min":1,"p50":2,"p95":11,"max":11})"));
    EXPECT_EQ(d["truncated"], 1);
    EXPECT_EQ(d["duplicates"], 1);
    EXPECT_EQ(d["train_valid_overlap"], 1);
    EXPECT_EQ(d["empty_sides"], 1);
    EXPECT_DOUBLE_EQ(d["files"][1]["oov_rate"].get<double>(), 1.0);
    EXPECT_DOUBLE_EQ(d["oov_rate"].get<double>(), 20.0 / 32);
    EXPECT_THAT(ran.text, HasSubstr("1 line left out: 1 with an empty side, 0 too long"));
    EXPECT_THAT(ran.text, HasSubstr("train.tsv:4: no source"));
}

TEST(DataStats, NamesWhatIsWrong) {
    const ScratchFolder folder;
    const auto file = folder.write("bad.tsv", "a\tb\nonly\n").string();
    EXPECT_EQ(runCommand(setupData, {"stats", file}).status.error().text(),
              file + ":2: column 2: the line has 1 column; separate the columns by one tab");
    EXPECT_EQ(runCommand(setupData, {"stats", file + "x"}).code(), "data.missing");
    EXPECT_EQ(runCommand(setupData, {"stats", file, "--parallel"}).code(), "data.files");
    EXPECT_EQ(runCommand(setupData, {"stats", file, "--tokenizer", "abcdef"}).code(), "tokenizer.missing");
}

TEST(DataImport, WritesHashesAndReportsTheLeakCheck) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    const auto train = folder.write("t.tsv", "one\tuno\ntwo\tdos\n").string();
    const auto valid = folder.write("v.tsv", "Two!\tother\nthree\ttres\n").string();
    const Ran ran = runCommand(setupData, {"import", "mine", "--train", train, "--valid", valid}, common);
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    EXPECT_EQ(ran.document["splits"]["train"]["sha256"],
              *sha256File(folder.path() / "p/data/mine.train.tsv"));
    EXPECT_EQ(ran.document["leak"]["valid"]["pairs"], 1);
    EXPECT_THAT(ran.text, HasSubstr("valid: 1 pair with a sentence of train, for example “Two!”"));
    EXPECT_EQ(json::parse(*readFile(folder.path() / "p/data/mine.corpus.json")), ran.document);
    EXPECT_EQ(runCommand(setupData, {"import", "mine", "--train", train}, common).code(), "data.exists");
}

TEST(DataImport, TakesDocumentsAndCountsTheirSentences) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    const auto file = folder.write("d.txt", "He came. She left.\n\nWhy? Mr. X\nwent.\n\n***\n").string();
    const Ran ran = runCommand(setupData, {"import", "mine", "--kind", "documents", "--train", file}, common);
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    EXPECT_EQ(ran.document["kind"], "documents");
    EXPECT_EQ(ran.document["splits"]["train"]["pairs"], 2);
    EXPECT_EQ(ran.document["splits"]["train"]["sentences"], 4);
    EXPECT_THAT(ran.text, HasSubstr("2 documents  4 sentences  data/mine.train.txt"));
    EXPECT_THAT(ran.text, HasSubstr("1 document left out: 1 without a letter, 0 too long"));
    const auto written = folder.path() / "p/data/mine.train.txt";
    EXPECT_EQ(*readFile(written), "He came.\nShe left.\n\nWhy?\nMr. X went.\n\n");
    const Ran stats = runCommand(setupData, {"stats", "--kind", "documents", written.string()}, common);
    ASSERT_TRUE(stats.status) << stats.status.error().text();
    EXPECT_EQ(stats.document["files"][0]["sentences"], 4);
    EXPECT_EQ(stats.document["files"][0]["length"]["max"], 3);
    EXPECT_THAT(stats.text, HasSubstr("2 documents of 4 sentences"));
    const Ran lines = runCommand(
        setupData, {"import", "other", "--kind", "documents", "--sentences", "--train", file}, common);
    EXPECT_EQ(lines.document["splits"]["train"]["sentences"], 3);
    const auto valid = folder.write("v.txt", "He came. Nobody left.\n").string();
    const Ran both = runCommand(
        setupData, {"import", "both", "--kind", "documents", "--train", file, "--valid", valid}, common);
    EXPECT_THAT(both.text, HasSubstr("valid shares no document with train")) << "only a sentence";
}

/// Every number is counted manually from the lines here.
TEST(DataImportCheck, HasTheNumbersAndWritesNothing) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    const auto train =
        folder.write("t.tsv", "a b c\tx y\na b c\tx y\n\tempty\nd e\tz\n\na a a a a a a\tz\n").string();
    const auto valid = folder.write("v.tsv", "A, B c!\tq\nd d\tq q q\n").string();
    const Ran ran = runCommand(setupData,
                               {"import", "mine", "--train", train, "--valid", valid, "--check",
                                "--tokenizer-kind", "whitespace", "--vocabulary", "16", "--max-length", "8"},
                               common);
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    const json& t = ran.document["splits"]["train"];
    const json& v = ran.document["splits"]["valid"];
    EXPECT_EQ(t["lines"], 6);
    EXPECT_EQ(t["pairs"], 4);
    EXPECT_EQ(t["empty_sides"], 2);
    EXPECT_EQ(t["duplicates"], 1);
    EXPECT_EQ(t["tokens"], 3 + 2 + 3 + 2 + 2 + 1 + 7 + 1);
    EXPECT_EQ(t["source_lengths"], json::parse("[0,0,1,2,0,0,0,1]"));
    EXPECT_EQ(t["target_lengths"], json::parse("[0,2,2]"));
    EXPECT_EQ(t["truncated"], 1);  // 7 + 2 tokens are more than 8
    EXPECT_DOUBLE_EQ(t["truncated_rate"].get<double>(), 0.25);
    EXPECT_DOUBLE_EQ(t["oov_rate"].get<double>(), 0.0);
    EXPECT_EQ(t["examples"], json({train + ":3: no source", train + ":5: empty line"}));
    EXPECT_EQ(t["preview"][2], json({"d e", "z"}));
    EXPECT_EQ(v["preview"].size(), 2U);
    // “A,”, “B”, “c!” and four “q” of nine tokens are not in train.
    EXPECT_DOUBLE_EQ(v["oov_rate"].get<double>(), 7.0 / 9);
    EXPECT_DOUBLE_EQ(v["unseen_word_rate"].get<double>(), 7.0 / 9);
    EXPECT_EQ(ran.document["leak"]["valid"]["pairs"], 1);  // “A, B c!” is “a b c”
    EXPECT_EQ(ran.document["tokenizer"]["vocabulary"], 5 + 8);
    EXPECT_EQ(ran.document["counted_in"], "tokens");
    EXPECT_TRUE(ran.document["problems"].empty());
    EXPECT_THAT(ran.text, HasSubstr("nothing was written"));
    EXPECT_FALSE(fs::exists(folder.path() / "p/data"));
}

TEST(DataImportCheck, CutsAsTheImportDoes) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    std::string lines;
    for (int i = 0; i < 40; ++i) lines += "word" + std::to_string(i) + "\tt" + std::to_string(i % 37) + "\n";
    const auto train = folder.write("t.tsv", lines).string();
    const std::vector<std::string> words = {"import",        "mine", "--train",      train,
                                            "--valid-pairs", "10",   "--test-pairs", "5"};
    auto check = words;
    for (const char* word : {"--check", "--tokenizer-kind", "word", "--vocabulary", "100"})
        check.emplace_back(word);
    const Ran checked = runCommand(setupData, check, common);
    ASSERT_TRUE(checked.status) << checked.status.error().text();
    const Ran imported = runCommand(setupData, words, common);
    ASSERT_TRUE(imported.status) << imported.status.error().text();
    for (const char* split : {"train", "valid", "test"})
        EXPECT_EQ(checked.document["splits"][split]["pairs"], imported.document["splits"][split]["pairs"]);
    EXPECT_EQ(checked.document["splits"]["valid"]["pairs"], 10);
    EXPECT_EQ(checked.document["leak"], imported.document["leak"]);
    EXPECT_EQ(checked.document["left_out_as_leak"], imported.document["left_out_as_leak"]);
}

TEST(DataImportCheck, TellsWhatAnImportOrATrainingWouldRefuse) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    const auto train = folder.write("t.tsv", "one\tuno\ntwo\tdos\n").string();
    const auto check = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"import", "my corpus", "--train", train, "--check"};
        words.insert(words.end(), more.begin(), more.end());
        return runCommand(setupData, words, common);
    };
    const Ran ran = check({"--vocabulary", "5000"});
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    ASSERT_EQ(ran.document["problems"].size(), 2U);
    EXPECT_EQ(ran.document["problems"][0]["code"], "data.name");
    EXPECT_EQ(ran.document["problems"][1]["code"], "tokenizer.vocabulary");
    EXPECT_THAT(ran.document["problems"][1]["remedy"].get<std::string>(), HasSubstr("use at most"));
    EXPECT_EQ(ran.document["counted_in"], "words");
    EXPECT_TRUE(ran.document["splits"]["train"]["oov_rate"].is_null());
    EXPECT_TRUE(ran.document["splits"]["train"]["truncated_rate"].is_null());
    EXPECT_EQ(check({"--valid-pairs", "9"}).code(), "data.too_few");
    EXPECT_EQ(check({"--valid", train + "x"}).code(), "data.missing");
}

// It was trained on all of a large corpus, which no training does.
TEST(DataImportCheck, TrainsItsTokenizerOnNoMoreThanATraining) {
    const ScratchFolder folder;
    std::string lines;  // 16.8 MB
    for (int i = 0; i < 280; ++i) lines += std::string(60'000, 'a') + std::to_string(i) + "\tt\n";
    text::ImportRequest request;
    request.name = "mine";
    request.splits["train"] = {folder.write("t.tsv", lines), {}};
    CheckSettings settings;
    settings.tokenizer.kind = "whitespace";
    const auto found = checkCorpus(request, settings, folder.path());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ((*found)["tokenizer"]["vocabulary"], 5 + 140 + 1) << "the words of every second pair";
}

TEST(DataImport, NotesASharedLanguage) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    const auto train = folder.write("t.tsv", "one\tuno\n").string();
    const Ran ran = runCommand(setupData, {"import", "mine", "--train", train, "--same-language"}, common);
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    EXPECT_EQ(ran.document["same_language"], true);
}

TEST(DataTokenize, ShowsPiecesByFolderHashAndRun) {
    const ScratchFolder folder;
    const CommonOptions common = inProject(folder);
    text::TokenizerSpec spec;
    spec.kind = "word";
    const auto fresh = folder.path() / "fresh";
    ASSERT_TRUE(text::trainTokenizer(spec, std::vector<std::string>{"God said, come"}, fresh));
    const std::string hash = (*text::loadTokenizer(fresh))->hash();
    fs::create_directories(folder.path() / "p/data/tokenizers");
    fs::copy(fresh, folder.path() / "p/data/tokenizers" / hash.substr(0, 12), fs::copy_options::recursive);
    {
        auto writer = store::RunWriter::open(folder.path() / "p/runs/r1");
        ASSERT_TRUE(writer) << writer.error().text();
        (*writer)->set("source_tokenizer_hash", hash);
        ASSERT_TRUE((*writer)->flush());
    }
    fs::copy(fresh, folder.path() / "p/runs/r1/tokenizer", fs::copy_options::recursive);
    for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
             {"--tokenizer", fresh.string()},
             {"--tokenizer", hash.substr(0, 6)},
             {"--run", "r1"},
             {"--run", (folder.path() / "p/runs/r1").string()}}) {
        const Ran ran =
            runCommand(setupData, {"tokenize", option, value}, common, "God said, go\n\nsaid\r\n");
        ASSERT_TRUE(ran.status) << ran.status.error().text();
        EXPECT_THAT(ran.text, HasSubstr("▁God ▁said , <unk>\n\n▁said\n"));
        ASSERT_EQ(ran.document["lines"].size(), 3U);
        EXPECT_EQ(ran.document["lines"][0]["text"], "God said, go");
        EXPECT_EQ(ran.document["lines"][0]["ids"].size(), 4U);
        EXPECT_EQ(ran.document["lines"][2]["pieces"], json::parse(R"(["▁said"])"));
    }
    EXPECT_TRUE(runCommand(setupData, {"tokenize", "--run", "r1", "--side", "target"}, common, "a\n").status)
        << "the same, where the sides have one";
    fs::remove_all(folder.path() / "p/runs/r1/tokenizer");
    EXPECT_EQ(runCommand(setupData, {"tokenize", "--run", "r1"}, common).code(), "tokenizer.missing");
    EXPECT_EQ(runCommand(setupData, {"tokenize", "--run", "r2"}, common).code(), "store.missing");
    EXPECT_EQ(
        runCommand(setupData, {"tokenize", "--tokenizer", fresh.string()}, common, "a\n\xFF\n")
            .status.error()
            .text(),
        "standard input:2: byte 1 is not UTF-8; convert the text, for example with iconv -f latin1 -t utf-8");
}

TEST(New, CopiesATemplateAndNamesIt) {
    const ScratchFolder folder;
    std::map<std::string, std::string> titles;
    for (const auto& one : projectTemplates()) {
        titles[one.name] = one.title;
        EXPECT_GT(one.bytes, 0) << one.name;
    }
    EXPECT_EQ(titles["blank"], "A project for texts of your own");
    EXPECT_EQ(titles.count("sample"), 1U);
    const auto target = folder.path() / "my project";
    const Ran ran = runCommand(setupNew, {target.string(), "--template", "blank"});
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    EXPECT_EQ(ran.document["project"], target.string());
    const auto project = store::Project::open(target);
    ASSERT_TRUE(project);
    EXPECT_EQ(project->name(), "my project");
    EXPECT_EQ(project->experiments().size(), 1U);
}

TEST(New, TheSampleIsTheDefaultAndCachesStayBehind) {
    const ScratchFolder folder;
    ASSERT_TRUE(runCommand(setupNew, {(folder.path() / "s").string()}).status);
    EXPECT_TRUE(fs::exists(folder.path() / "s/data/restore.train.tsv"));
    EXPECT_TRUE(fs::exists(folder.path() / "s/LICENSES.md"));
    EXPECT_FALSE(fs::exists(folder.path() / "s/data/cache"));
    EXPECT_FALSE(fs::exists(folder.path() / "s/index.db"));
    EXPECT_EQ(store::Project::open(folder.path() / "s")->experiments().front().filename(),
              "restore-difformer.toml");
}

TEST(New, TemplatesAreListedWithALineEach) {
    const Ran ran = runCommand(setupNew, {"--list"});
    ASSERT_TRUE(ran.status) << ran.status.error().text();
    EXPECT_EQ(ran.document["templates"][0]["name"], "blank");
    EXPECT_EQ(runCommand(setupNew, {}).status.error().code, "cli.usage");
}

TEST(New, WhatFailsLeavesNothingBehind) {
    const ScratchFolder folder;
    folder.write("closed/file", "x");
    const auto closed = folder.path() / "closed" / "file" / "project";
    EXPECT_FALSE(copyTemplate("blank", closed, false));
    ASSERT_TRUE(copyTemplate("blank", folder.path() / "good", false));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        names.push_back(entry.path().filename().string());
    EXPECT_THAT(names, testing::UnorderedElementsAre("closed", "good"));
    fs::create_directories(folder.path() / "empty");
    EXPECT_TRUE(copyTemplate("blank", folder.path() / "empty", false)) << "an empty folder is filled";
    EXPECT_TRUE(store::Project::open(folder.path() / "empty"));
}

TEST(New, NeverOverwritesSilently) {
    const ScratchFolder folder;
    folder.write("full/mine.txt", "mine");
    const std::string full = (folder.path() / "full").string();
    EXPECT_EQ(
        copyTemplate("blank", full, false).error().text(),
        full + ": the folder is not empty; choose another folder, or use --force to copy over what is there");
    EXPECT_TRUE(copyTemplate("blank", full, true));
    EXPECT_EQ(*readFile(folder.path() / "full/mine.txt"), "mine");
    EXPECT_EQ(copyTemplate("blank", folder.path() / "full/mine.txt", true).error().code, "new.exists");
    EXPECT_THAT(copyTemplate("nothing", folder.path() / "x", false).error().text(),
                HasSubstr("template: there is no template “nothing”; choose one of: blank, "));
}

}  // namespace
}  // namespace kurve::engine
