// The user guide keeps up with the code: every error code is explained, every command listed, every link
// leads somewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/layering/source_tree.h"

namespace kurve::layering {
namespace {

using ::testing::IsEmpty;
namespace fs = std::filesystem;

std::string textOf(const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

fs::path help() {
    return fs::path(KURVE_SOURCE_DIR) / "assets/help";
}

std::string allSources() {
    std::string all;
    for (const auto& file : readTree(KURVE_SOURCE_DIR))
        for (const auto& line : file.lines) all += line + "\n";
    return all;
}

std::set<std::string> found(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::set<std::string> names;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), expression); it != std::sregex_iterator();
         ++it)
        names.insert((*it)[1]);
    return names;
}

/// The codes in the first column of the tables of errors.md.
std::set<std::string> explainedCodes() {
    std::set<std::string> codes;
    std::istringstream page(textOf(help() / "errors.md"));
    for (std::string line; std::getline(page, line);)
        if (line.rfind("| `", 0) == 0)
            codes.merge(found(line.substr(0, line.find('|', 1)), "`([a-z0-9_.]+)`"));
    return codes;
}

/// The first argument of every requestError("…") and workError("…").
std::set<std::string> givenCodes(const std::string& sources) {
    std::set<std::string> codes;
    for (const std::string call : {"requestError(", "workError("}) {
        for (auto at = sources.find(call); at != sources.npos; at = sources.find(call, at + 1)) {
            const auto open = sources.find_first_not_of(" \n", at + call.size());
            if (open == sources.npos || sources[open] != '"') continue;
            codes.insert(sources.substr(open + 1, sources.find('"', open + 1) - open - 1));
        }
    }
    codes.erase("a.b");  // the example in error.h
    return codes;
}

TEST(Guide, ExplainsEveryErrorCode) {
    const auto explained = explainedCodes();
    std::set<std::string> missing;
    for (const auto& code : givenCodes(allSources()))
        if (explained.count(code) == 0) missing.insert(code);
    EXPECT_THAT(missing, IsEmpty());
}

TEST(Guide, ExplainsNoUnusedCode) {
    const std::string sources = allSources();
    std::set<std::string> stale;
    for (const auto& code : explainedCodes())
        if (sources.find('"' + code + '"') == std::string::npos) stale.insert(code);
    EXPECT_THAT(stale, IsEmpty());
}

TEST(Guide, ListsEveryCommand) {
    const std::string page = textOf(help() / "command-line.md");
    const auto commands =
        found(textOf(fs::path(KURVE_SOURCE_DIR) / "app/engine/commands.cpp"), R"re(\{"([a-z-]+)", ")re");
    EXPECT_GE(commands.size(), 3U);
    std::set<std::string> missing;
    for (const auto& command : commands)
        if (page.find('`' + command) == std::string::npos) missing.insert(command);
    EXPECT_THAT(missing, IsEmpty());
}

TEST(Guide, LinksExist) {
    std::set<std::string> broken;
    for (const auto& page : fs::directory_iterator(help()))
        for (const auto& link : found(textOf(page.path()), R"(\]\(([a-z-]+\.md)[#)])"))
            if (!fs::exists(help() / link)) broken.insert(page.path().filename().string() + " -> " + link);
    EXPECT_THAT(broken, IsEmpty());
}

}  // namespace
}  // namespace kurve::layering
