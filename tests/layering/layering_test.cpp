// The architecture as a test: who may include whom, that nothing goes in circles, and what has grown too
// large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>

#include "tests/layering/source_tree.h"

namespace kurve::layering {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::filesystem::path root() {
    return KURVE_SOURCE_DIR;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    return text;
}

std::vector<std::string> faults(const char* path, const char* include) {
    return directionFaults(sourceFile(path, std::string("#include ") + include + "\n"));
}

TEST(Layering, TheTreeKeepsTheDirections) {
    std::vector<std::string> all;
    for (const auto& file : readTree(root())) {
        for (auto& fault : directionFaults(file)) all.push_back(std::move(fault));
    }
    EXPECT_THAT(all, IsEmpty()) << joined(all);
}

TEST(Layering, NoLibrariesIncludeEachOtherInACircle) {
    const auto circles = cycles(readTree(root()));
    EXPECT_THAT(circles, IsEmpty()) << joined(circles);
}

TEST(Layering, NoTypeIsDefinedTwice) {
    const auto found = typesDefinedTwice(readTree(root()));
    EXPECT_THAT(found, IsEmpty()) << joined(found);
}

TEST(Layering, TheWholeTreeIsRead) {
    const auto files = readTree(root());
    const auto has = [&](const char* path) {
        return std::any_of(files.begin(), files.end(), [&](const auto& f) { return f.path == path; });
    };
    EXPECT_TRUE(has("core/base/result.h"));
    EXPECT_TRUE(has("models/families.h"));
    EXPECT_TRUE(has("views/common/shell/panel.h"));
    EXPECT_TRUE(has("app/engine/command.h"));
}

// The rules themselves: each row of the table once broken and once kept.
/// Folders of model families, and the scalars that they declare.
std::set<std::string> familyWords() {
    std::set<std::string> words;
    const std::regex scalar(R"re(\{"([a-z][a-z_]+)",\s*"[A-Z])re");
    for (const SourceFile& file : readTree(root())) {
        if (!file.path.starts_with("models/")) continue;
        const std::string folder = libraryOf(file.path);
        if (folder.starts_with("models/") && folder != "models/common") words.insert(folder.substr(7));
        const std::string text = joined(file.lines);
        if (text.find("ScalarSpec") == std::string::npos) continue;
        for (std::sregex_iterator at(text.begin(), text.end(), scalar), end; at != end; ++at)
            words.insert((*at)[1]);
    }
    return words;
}

// What stands in quotes: a comment may tell where a formula is from.
TEST(Layering, NoFamilysNameOrScalarIsKnownToCoreOrViews) {
    const std::set<std::string> words = familyWords();
    for (const char* one : {"sclm", "mdlm", "loss_diff", "masked_nll", "loss_length", "embedding_std"})
        EXPECT_TRUE(words.contains(one)) << one;
    const std::regex quoted(R"re("([^"\\]|\\.)*")re"), word("[a-z][a-z_]*");
    std::vector<std::string> known;
    for (const SourceFile& file : readTree(root())) {
        if (!file.path.starts_with("core/") && !file.path.starts_with("views/")) continue;
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string code = file.lines[i].substr(0, file.lines[i].find("//"));
            for (std::sregex_iterator text(code.begin(), code.end(), quoted), end; text != end; ++text) {
                const std::string all = text->str();
                for (std::sregex_iterator at(all.begin(), all.end(), word); at != end; ++at)
                    if (words.contains(at->str()))
                        known.push_back(file.path + ":" + std::to_string(i + 1) + ": " + at->str());
            }
        }
    }
    EXPECT_THAT(known, IsEmpty()) << joined(known);
}

TEST(LayeringRules, SeeEachOffence) {
    EXPECT_THAT(faults("core/base/a.cpp", "\"core/config/run_config.h\""), SizeIs(1));
    EXPECT_THAT(faults("core/kernels/k.cpp", "\"core/text/corpus.h\""), SizeIs(1));
    EXPECT_THAT(faults("core/kernels/k.cpp", "<ATen/ATen.h>"), SizeIs(1));
    EXPECT_THAT(faults("core/curve/c.cpp", "<torch/nn.h>"), SizeIs(1));
    EXPECT_THAT(faults("core/curve/c.cpp", "\"core/train/trainer.h\""), SizeIs(1));
    EXPECT_THAT(faults("core/metrics/m.cpp", "<QString>"), SizeIs(1));
    EXPECT_THAT(faults("core/train/t.cpp", "\"models/families.h\""), SizeIs(1));
    EXPECT_THAT(faults("models/difformer/d.cpp", "\"models/sclm/sclm_net.h\""), SizeIs(1));
    EXPECT_THAT(faults("models/common/c.cpp", "\"models/difformer/difformer_net.h\""), SizeIs(1));
    EXPECT_THAT(faults("views/runs/r.cpp", "\"views/monitor/monitor_panel.h\""), SizeIs(1));
    EXPECT_THAT(faults("views/states/s.cpp", "\"views/similarity/similarity_panel.h\""), SizeIs(1));
    EXPECT_THAT(faults("views/runs/r.cpp", "\"core/store/run_writer.h\""), SizeIs(1));
    EXPECT_THAT(faults("views/runs/r.cpp", "<c10/core/Device.h>"), SizeIs(1));
    EXPECT_THAT(faults("app/studio/main.cpp", "\"models/families.h\""), SizeIs(1));
    EXPECT_THAT(faults("app/studio/main.cpp", "\"views/runs/runs_panel.h\""), SizeIs(1));
    EXPECT_THAT(faults("app/engine/main.cpp", "<qcustomplot.h>"), SizeIs(1));
    EXPECT_THAT(faults("core/train/trainer.h", "<torch/torch.h>"), SizeIs(1));
}

TEST(LayeringRules, AllowWhatTheTableAllows) {
    EXPECT_THAT(faults("core/store/s.cpp", "\"core/base/result.h\""), IsEmpty());
    EXPECT_THAT(faults("core/train/t.cpp", "<torch/torch.h>"), IsEmpty());
    EXPECT_THAT(faults("models/sclm/s.cpp", "\"models/difformer/difformer_net.h\""), IsEmpty());
    EXPECT_THAT(faults("models/families.cpp", "\"models/sclm/sclm_family.h\""), IsEmpty());
    EXPECT_THAT(faults("views/curve/c.cpp", "\"views/imgui_host/imgui_widget.h\""), IsEmpty());
    EXPECT_THAT(faults("views/curve/c.cpp", "<imgui.h>"), IsEmpty());
    EXPECT_THAT(faults("views/compare/c.cpp", "\"views/states/run_summaries.h\""), IsEmpty());
    EXPECT_THAT(faults("app/studio/panels.cpp", "\"views/runs/runs_panel.h\""), IsEmpty());
    EXPECT_THAT(faults("core/metrics/m.cpp", "<Quux/other.h>"), IsEmpty());
}

TEST(LayeringRules, NameFileLineAndReason) {
    const auto found =
        directionFaults(sourceFile("core/curve/c.h", "#pragma once\n\n#include <ATen/ATen.h>\n"));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0],
                HasSubstr("core/curve/c.h:3: includes ATen/ATen.h; this half of core is torch-free"));
}

TEST(LayeringRules, FindACircleOfThree) {
    const std::vector<SourceFile> files = {sourceFile("core/a/a.h", "#include \"core/b/b.h\"\n"),
                                           sourceFile("core/b/b.h", "#include \"core/c/c.h\"\n"),
                                           sourceFile("core/c/c.h", "#include \"core/a/a.h\"\n"),
                                           sourceFile("core/d/d.h", "#include \"core/a/a.h\"\n")};
    EXPECT_THAT(cycles(files), ElementsAre("core/a -> core/b -> core/c -> core/a"));
}

TEST(LayeringRules, FindATypeOfTwoFiles) {
    const auto one = sourceFile("views/a/a.h",
                                "namespace kurve::views {\nstruct Row {\n};\n}  // namespace kurve::views\n");
    const auto same =
        sourceFile("views/b/b.cpp", "namespace kurve::views {\nclass Row final : public Base {\n};\n}\n");
    const auto hidden = sourceFile(
        "views/c/c.cpp", "namespace kurve::views {\nnamespace {\nstruct Row {\n};\n}  // namespace\n}\n");
    const auto other =
        sourceFile("core/a/a.h", "namespace kurve {\nstruct Row {\n};\n}  // namespace kurve\n");
    const auto declared =
        sourceFile("views/d/d.h", "namespace kurve::views {\nstruct Row;\n}  // namespace kurve::views\n");
    EXPECT_THAT(typesDefinedTwice({one, same, hidden, other, declared}),
                ElementsAre("kurve::views::Row: views/a/a.h views/b/b.cpp"));
    EXPECT_THAT(typesDefinedTwice({one, hidden, other, declared}), IsEmpty());
}

TEST(LayeringRules, MeasureFunctions) {
    const auto sizes = functionSizes(sourceFile("core/a/a.cpp",
                                                "namespace x {\n"
                                                "int one(int a,\n"
                                                "        int b) {\n"
                                                "    if (a) {\n"
                                                "        return b;\n"
                                                "    }\n"
                                                "    return 1;\n"
                                                "}\n"
                                                "void two() {\n"
                                                "}\n"
                                                "}\n"));
    ASSERT_THAT(sizes, SizeIs(2));
    EXPECT_EQ(sizes[0].length, 7);
    EXPECT_EQ(sizes[0].line, 2);
    EXPECT_EQ(sizes[1].length, 2);
}

// Printed, never failed on: a long file or function is a question for its reader.
TEST(Sizes, OutliersArePrinted) {
    constexpr int kFileLines = 400, kFunctionLines = 80;
    for (const auto& file : readTree(root())) {
        if (file.lines.size() > kFileLines) std::cout << file.path << ": " << file.lines.size() << " lines\n";
        for (const auto& size : functionSizes(file)) {
            if (size.length > kFunctionLines) {
                std::cout << size.file << ":" << size.line << ": " << size.length << " lines: " << size.name
                          << "\n";
            }
        }
    }
}

// A model works with any tokenizer: special ids come from it.
TEST(Sources, OnlyTrainedTokenizersKnowTheirSpecialIds) {
    for (const auto& file : readTree(root())) {
        if (file.path.starts_with("core/text/") || file.path.starts_with("tests/")) continue;
        for (const auto& line : file.lines)
            EXPECT_EQ(line.find("core/text/trained_specials.h"), std::string::npos) << file.path;
    }
}

// A pipe in the place of a file would hang the program, a device fill its memory: readFile() looks first.
// What the system and a build folder tell is no project's.
TEST(Sources, ProjectFilesHaveOneReader) {
    const std::set<std::string> others = {"core/base/process_meter.cpp",
                                          "core/store/detail/process.cpp",
                                          "core/base/free_memory.cpp",
                                          "app/engine/platform.cpp",
                                          "app/engine/cmd_new.cpp",
                                          "app/studio/engine/run_supervisor.cpp",
                                          "app/studio/session/run_queue.cpp",
                                          "app/studio/engine/engine_program.cpp",
                                          "core/base/file.cpp",
                                          "core/base/child_output.cpp"};
    const std::regex reader(R"(std::ifstream|std::fstream|QIODevice::ReadOnly|O_RDONLY(?!.*O_DIRECTORY))");
    for (const auto& file : readTree(root())) {
        const std::string top = file.path.substr(0, file.path.find('/'));
        if (!std::set<std::string>{"core", "models", "views", "app"}.contains(top) ||
            others.contains(file.path))
            continue;
        for (std::size_t i = 0; i < file.lines.size(); ++i)
            EXPECT_FALSE(std::regex_search(file.lines[i], reader))
                << file.path << ":" << i + 1 << ": " << file.lines[i]
                << "\nreadFile() of core/base/file.h reads it";
    }
}

// A panel takes and gives through views::Panel and the services; the window knows none by its class, and
// looks for no widget by its name.
TEST(Sources, TheStudioReachesIntoNoPanel) {
    const std::regex reach(
        R"(_cast<[^>]*\w+Panel\b|findChild(ren)?<[^>]*(\w+Panel\b|>\(\s*(QStringLiteral|QLatin1String|")))");
    EXPECT_TRUE(std::regex_search("qobject_cast<views::RunsPanel*>(panel)", reach));
    EXPECT_TRUE(std::regex_search("window.findChild<PromptPanel*>()", reach));
    EXPECT_TRUE(std::regex_search(R"(window.findChild<QLabel*>(QStringLiteral("x")))", reach));
    EXPECT_FALSE(std::regex_search("qobject_cast<const Panel*>(&view)", reach));
    for (const auto& file : readTree(root()))
        for (std::size_t i = 0; file.path.starts_with("app/studio/") && i < file.lines.size(); ++i)
            EXPECT_FALSE(std::regex_search(file.lines[i], reach))
                << file.path << ":" << i + 1 << ": " << file.lines[i];
}

// What is not done belongs into the tracker, and a path of somebody's machine belongs nowhere.
TEST(Hygiene, NothingIsLeftBehind) {
    // Put together here, so that this file has none of them.
    const std::string marks[] = {std::string("TO") + "DO", std::string("FIX") + "ME",
                                 std::string("/ro") + "ot/", std::string("/ho") + "me/",
                                 std::string("/wo") + "rk/"};
    std::vector<std::string> found;
    for (const auto& file : readTree(root())) {
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const auto& line = file.lines[i];
            if (std::any_of(std::begin(marks), std::end(marks),
                            [&](const auto& m) { return line.find(m) != line.npos; }))
                found.push_back(file.path + ":" + std::to_string(i + 1) + ": " + line);
        }
    }
    EXPECT_THAT(found, IsEmpty()) << joined(found);
}

}  // namespace
}  // namespace kurve::layering
