#include <fmt/format.h>
#include <sqlite3.h>
#include <torch/version.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>

#include "app/engine/commands.h"
#include "app/engine/examples.h"
#include "app/engine/manual_pages.h"
#include "app/engine/options.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/base/version.h"

namespace kurve::engine {
namespace {

std::string versionLine() {
    return fmt::format("kurve {} ({}) LibTorch {} CUDA {} SQLite {}\n", versionText(), commitText(),
                       TORCH_VERSION, cudaText(), sqlite3_libversion());
}

/// CLI11 names the largest double as the upper end of a range that is only above 0: 2.1 all its digits, 2.4
/// its exponent.
std::string plainProblem(const std::string& problem) {
    const auto end = problem.find(" not in range ");
    const bool isAbove0 =
        end != std::string::npos && (problem.find("to 1797693134", end) != std::string::npos ||
                                     problem.find("1.79769e+308", end) != std::string::npos);
    return isAbove0 ? problem.substr(0, end) + " is not above 0" : problem;
}

// A parse that failed, or --help and --version, which CLI11 reports the same way.
int reportParse(const CLI::App& app, const CLI::ParseError& error, bool json) {
    if (error.get_exit_code() == 0) {
        const auto chosen = app.get_subcommands();
        writeStandardOutput(chosen.empty() ? app.help() : chosen.front()->help(app.get_name()));
        return 0;
    }
    std::string name;
    for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
        name += chosen.front()->get_name() + " ";
    return reportError(
        requestError("cli.usage", plainProblem(error.what())).fix("see kurve " + name + "--help"), json);
}

/// The command for a word that other tools use.
std::optional<std::string> commandFor(std::string_view word) {
    static const std::map<std::string_view, const char*> kOther = {
        {"report", "use kurve export --what report"},
        {"compare", "use kurve export --what report, or the window"},
        {"generate", "use kurve sample"},
        {"list", "use kurve runs"}};
    const auto found = kOther.find(word);
    return found == kOther.end() ? std::nullopt : std::optional<std::string>(found->second);
}

// The command that the user perhaps meant, before CLI11 calls it an unexpected argument.
std::optional<Error> unknownCommand(int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return std::nullopt;
    std::vector<std::string> names;
    for (const auto& kind : commands()) names.emplace_back(kind.name);
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return std::nullopt;
    const auto other = commandFor(argv[1]);
    const auto near = nearestWord(argv[1], names);
    return requestError("cli.unknown_command", fmt::format("there is no command \"{}\"", argv[1]))
        .fix(other  ? *other
             : near ? "did you mean " + *near + "?"
                    : "kurve --help lists them");
}

int execute(const std::vector<std::pair<CLI::App*, Action>>& actions, const CommonOptions& common) {
    for (const auto& [app, action] : actions) {
        if (!app->parsed()) continue;
        Output out(common);
        const Status status = action(common, out);
        return status ? out.exitCode() : reportError(status.error(), common.json);
    }
    return 0;
}

int run(int argc, char** argv) {
    if (auto error = unknownCommand(argc, argv)) return reportError(*error, jsonRequested(argc, argv));
    CLI::App app("Kurve trains and inspects non-autoregressive language models.", "kurve");
    CommonOptions common;
    bool version = false;
    std::string manualFolder;
    app.add_flag("--version", version, "version, commit, LibTorch, CUDA, SQLite");
    app.add_option("--manual-pages", manualFolder)->group("");  // for the installation; not in the help
    app.require_subcommand(0, 1);
    std::vector<std::pair<CLI::App*, Action>> actions;
    for (const auto& kind : commands()) {
        CLI::App* sub = app.add_subcommand(kind.name, kind.summary);
        actions.emplace_back(sub, kind.setup(*sub));
        addCommonOptions(*sub, common);
        refuseNonsense(*sub);
        showDefaults(*sub);
    }
    addExamples(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return reportParse(app, error, jsonRequested(argc, argv));
    }
    if (!manualFolder.empty()) {
        const Status written = writeManualPages(app, manualFolder);
        return written ? 0 : reportError(written.error(), false);
    }
    if (version || app.get_subcommands().empty()) {
        writeStandardOutput(version ? versionLine() : app.help());
        return 0;
    }
    return execute(actions, common);
}

}  // namespace
}  // namespace kurve::engine

int main(int argc, char** argv) {
    using namespace kurve::engine;
    std::signal(SIGPIPE, SIG_IGN);  // a reader that went away must not end a training
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is a write that fails
    preparePlatform(requestedThreads(argc, argv),
                    argv);  // may start the program again: it needs its stdout then
    protectStandardOutput();
    try {
        return exitCodeOfOutput(run(argc, argv));
    } catch (const std::exception& error) {  // out of memory, a bug of ours: never a stack trace for the user
        return reportError(kurve::workError("internal", kurve::firstLine(error.what())),
                           jsonRequested(argc, argv));
    }
}
