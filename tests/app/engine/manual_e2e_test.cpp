// kurve --manual-pages: what --help says of every command and its own commands is in its page, and nothing
// else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/app/engine/engine_process.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

using Words = std::vector<std::string>;

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern, std::regex::multiline);
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
        found.insert((*at)[1]);
    return found;
}

/// roff's escapes undone, by groff_char(7).
std::string plain(std::string text) {
    const std::pair<const char*, const char*> escapes[] = {
        {R"(\\f[BIR])", ""}, {R"(\\-)", "-"},    {R"(\\&)", ""},      {R"(\\\(aq)", "'"}, {R"(\\\(ga)", "`"},
        {R"(\\\(ha)", "^"},  {R"(\\\(ti)", "~"}, {R"(\\\(dq)", "\""}, {R"(\\e)", "\\"}};
    for (const auto& [escape, character] : escapes)
        text = std::regex_replace(text, std::regex(escape), character);
    return text;
}

std::string readPage(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The lines of the help below "Title:", to the next empty one.
std::string group(const std::string& help, const std::string& title) {
    const auto at = help.find("\n" + title + ":\n");
    if (at == std::string::npos) return {};
    const auto begin = at + title.size() + 3;
    return help.substr(begin, help.find("\n\n", begin) - begin + 1);
}

std::string withoutBlanks(const std::string& text) {
    return std::regex_replace(text, std::regex(R"(\s+)"), "");
}

/// The texts of its arguments and options, the blanks of two-column lines undone.
struct CommandHelp {
    std::string help;
    std::set<std::string> names;  ///< of arguments and options, as written: "--max-steps", "-h,--help"
    std::set<std::string> nested;
};

CommandHelp helpOf(Words words) {
    words.emplace_back("--help");
    CommandHelp of{runEngine(words).output, {}, {}};
    for (const char* title : {"Positionals", "Options", "Common options"})
        of.names.merge(matches(group(of.help, title), R"(^  (\S+))"));
    of.nested = matches(group(of.help, "Subcommands"), R"(^  (\S+))");
    return of;
}

std::set<std::string> termsOf(const std::string& page) {
    std::set<std::string> terms;
    for (const std::string& term : matches(page, R"(^\.TP\n\\fB(.*?)\\fR)")) terms.insert(plain(term));
    return terms;
}

/// Of a command and of its own commands; a nested command's --help is not repeated.
std::set<std::string> namesBelow(const Words& words, const std::string& text, bool nested) {
    CommandHelp of = helpOf(words);
    if (nested) of.names.erase("-h,--help");
    for (const auto& name : of.names) EXPECT_THAT(text, HasSubstr(name)) << words.back();
    for (const auto& name : of.nested) {
        Words below = words;
        below.push_back(name);
        of.names.merge(namesBelow(below, text, true));
    }
    return of.names;
}

TEST(ManualTest, EveryCommandAndOptionHasItsEntry) {
    const TemporaryFolder folder;
    ASSERT_EQ(runEngine({"--manual-pages", (folder / "man").string()}).code, 0);
    const std::string program = readPage(folder / "man/kurve.1");
    const auto commands = helpOf({}).nested;
    ASSERT_GT(commands.size(), 20U);
    std::size_t pages = 1;
    for (const std::string& command : commands) {
        EXPECT_THAT(termsOf(program), Contains(command));
        const std::string source = readPage(folder / ("man/kurve-" + command + ".1"));
        EXPECT_EQ(termsOf(source), namesBelow({command}, plain(source), false)) << command;
        ++pages;
    }
    using Entries = std::filesystem::directory_iterator;
    EXPECT_EQ(std::distance(Entries(folder / "man"), Entries()), static_cast<std::ptrdiff_t>(pages));
}

TEST(ManualTest, ThePageSaysWhatTheHelpSays) {
    const TemporaryFolder folder;
    ASSERT_EQ(runEngine({"--manual-pages", folder.path().string()}).code, 0);
    const std::string page = withoutBlanks(plain(readPage(folder / "kurve-train.1"))),
                      help = runEngine({"train", "--help"}).output;
    for (const char* title : {"Options", "Common options"}) {
        std::istringstream lines(std::regex_replace(group(help, title), std::regex(R"(\n {6,})"), " "));
        for (std::string line; std::getline(lines, line);) EXPECT_THAT(page, HasSubstr(withoutBlanks(line)));
    }
    EXPECT_THAT(page, HasSubstr("kurvetrainrestore-sclm--max-steps500")) << "an example";
    EXPECT_EQ(page.find(".TH\"KURVE-TRAIN\"\"1\""), 0U);
}

TEST(ManualTest, IsDatedReproducibly) {
    const TemporaryFolder folder;
    ::setenv("SOURCE_DATE_EPOCH", "86400", 1);
    EXPECT_EQ(runEngine({"--manual-pages", folder.path().string()}).code, 0);
    ::unsetenv("SOURCE_DATE_EPOCH");
    EXPECT_THAT(readPage(folder / "kurve.1"), HasSubstr("\"1970-01-02\""));
}

TEST(ManualTest, AFolderThatCannotBeMadeIsAnError) {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "no folder";
    const EngineResult result = runEngine({"--manual-pages", (folder / "file/man").string()});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.log, HasSubstr("cannot write"));
}

}  // namespace
}  // namespace kurve::testing
