#include "app/engine/commands.h"
#include "app/engine/options.h"
#include "core/base/text.h"

namespace kurve::engine {
namespace {

struct Words {
    std::string command;
    std::vector<std::string> options;
};

// The commands and their long options, from the same declarations that parse them.
std::vector<Words> completionWords() {
    std::vector<Words> all;
    for (const auto& kind : commands()) {
        CLI::App app;
        CommonOptions common;
        const Action keepsTargetsAlive = kind.setup(app);
        addCommonOptions(app, common);
        Words words{kind.name, {}};
        for (const CLI::Option* option : app.get_options())
            for (const auto& name : option->get_lnames()) words.options.push_back("--" + name);
        all.push_back(std::move(words));
    }
    return all;
}

std::string bashScript() {
    std::string cases, names;
    for (const auto& words : completionWords()) {
        names += words.command + " ";
        cases += fmt::format("        {}) words=\"{}\" ;;\n", words.command, join(words.options, " "));
    }
    return "_kurve() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} words\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"" +
           names +
           "--help --version\" -- \"$cur\")); return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n" +
           cases +
           "    esac\n"
           "    case $cur in\n"
           "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
           "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _kurve kurve\n";
}

/// 'name:summary' for zsh's _describe.
std::string zshCommand(const CommandKind& kind) {
    std::string quoted;
    for (const char* c = kind.summary; *c != '\0'; ++c)
        quoted += *c == '\'' ? std::string("'\\''") : std::string{*c};
    return fmt::format("            '{}:{}'\n", kind.name, quoted);
}

// One file for both uses: sourced it registers itself, in a folder of fpath zsh calls it.
std::string zshScript() {
    std::string cases, names;
    for (const auto& kind : commands()) names += zshCommand(kind);
    for (const auto& words : completionWords())
        cases += fmt::format("        {}) options=({}) ;;\n", words.command, join(words.options, " "));
    return "#compdef kurve\n"
           "_kurve() {\n"
           "    local -a commands options\n"
           "    if (( CURRENT == 2 )); then\n"
           "        commands=(\n" +
           names +
           "        )\n"
           "        _describe command commands; return\n"
           "    fi\n"
           "    case ${words[2]} in\n" +
           cases +
           "    esac\n"
           "    if [[ $PREFIX == -* ]]; then compadd -- $options; else _files; fi\n"
           "}\n"
           "if [[ $funcstack[1] == _kurve ]]; then _kurve \"$@\"; else compdef _kurve kurve; fi\n";
}

}  // namespace

Action setupCompletion(CLI::App& app) {
    auto shell = std::make_shared<std::string>("bash");
    app.add_option("shell", *shell, "bash or zsh")->check(CLI::IsMember({"bash", "zsh"}));
    return [shell](const CommonOptions&, Output& out) -> Status {
        const std::string script = *shell == "zsh" ? zshScript() : bashScript();
        out.content({{"shell", *shell}, {"script", script}}, script);
        return {};
    };
}

}  // namespace kurve::engine
