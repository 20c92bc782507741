#include "app/engine/manual_pages.h"

#include "core/base/manual_page.h"
#include "core/base/text.h"

namespace kurve::engine {
namespace {

using Options = std::vector<const CLI::Option*>;

/// As --help writes them.
ManualEntry entryOf(const CLI::Option& option) {
    const CLI::Formatter help;
    const bool isArgument = option.get_positional();
    return {help.make_option_name(&option, isArgument), std::string(trim(help.make_option_opts(&option))),
            help.make_option_desc(&option)};
}

Options ofGroup(const CLI::App& app, const std::string& group, bool positional) {
    return app.get_options([&](const CLI::Option* option) {
        return option->get_group() == group && option->get_positional() == positional;
    });
}

ManualSection section(const std::string& title, const Options& options) {
    ManualSection made{title, {}, {}, {}};
    for (const CLI::Option* option : options) made.entries.push_back(entryOf(*option));
    return made;
}

std::string usage(const CLI::App& app, const std::string& words) {
    const std::string text = CLI::Formatter().make_usage(&app, words);  // "Usage: …"
    return std::string(trim(text.substr(text.find(':') + 1)));
}

/// The footer's lines below its title.
std::vector<std::string> examplesOf(const CLI::App& app) {
    std::vector<std::string> lines;
    for (const auto& line : split(app.get_footer(), '\n'))
        if (line.starts_with("  ")) lines.push_back(line.substr(2));
    return lines;
}

/// A section for each command of a command; their usage joins the synopsis.
void addNested(ManualPage& page, const CLI::App& app, const std::string& words) {
    for (const CLI::App* sub : app.get_subcommands({})) {
        const std::string name = words + " " + sub->get_name();
        page.synopsis.push_back(usage(*sub, name));
        page.sections.push_back(section(name, sub->get_options([&](const CLI::Option* option) {
            return option != sub->get_help_ptr();
        })));
        page.sections.back().text = sub->get_description() + ".";
        page.sections.back().lines = examplesOf(*sub);
        addNested(page, *sub, name);
    }
}

ManualPage commandPage(const CLI::App& program, const CLI::App& app) {
    const std::string words = program.get_name() + " " + app.get_name();
    ManualPage page{
        program.get_name() + "-" + app.get_name(), app.get_description(), {usage(app, words)}, {}, {}};
    if (const Options arguments = ofGroup(app, "Options", true); !arguments.empty())
        page.sections.push_back(section("Arguments", arguments));
    for (const std::string& group : app.get_groups())
        if (!group.empty()) page.sections.push_back(section(group, ofGroup(app, group, false)));
    if (auto examples = examplesOf(app); !examples.empty())
        page.sections.push_back({"Examples", {}, {}, std::move(examples)});
    addNested(page, app, words);
    page.seeAlso = {program.get_name()};
    return page;
}

ManualPage programPage(const CLI::App& program) {
    const std::string& name = program.get_name();
    ManualPage page{
        name, "train and inspect non-autoregressive language models", {usage(program, name)}, {}, {}};
    page.sections.push_back({"Description", program.get_description(), {}, {}});
    page.sections.push_back(section("Options", ofGroup(program, "Options", false)));
    ManualSection commands{"Commands", "Each has a page of its own, as kurve-train(1).", {}, {}};
    for (const CLI::App* sub : program.get_subcommands({})) {
        commands.entries.push_back({sub->get_name(), {}, sub->get_description()});
        page.seeAlso.push_back(name + "-" + sub->get_name());
    }
    page.sections.push_back(std::move(commands));
    page.sections.push_back({"Exit status",
                             {},
                             {{"0", {}, "done"},
                              {"1", {}, "failed: disk, device, damaged file, non-finite loss"},
                              {"2", {}, "wrong request: unknown key, bad value, missing file"},
                              {"130", {}, "stopped; a training has written its checkpoint"}},
                             {}});
    page.sections.push_back({"Examples", {}, {}, examplesOf(program)});
    page.seeAlso.push_back(name + "-studio");
    return page;
}

}  // namespace

Status writeManualPages(const CLI::App& program, const std::filesystem::path& folder) {
    KURVE_CHECKED(writeManualPage(folder, programPage(program)));
    for (const CLI::App* sub : program.get_subcommands({}))
        KURVE_CHECKED(writeManualPage(folder, commandPage(program, *sub)));
    return {};
}

}  // namespace kurve::engine
