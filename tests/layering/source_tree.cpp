#include "tests/layering/source_tree.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace kurve::layering {
namespace {

bool startsWith(std::string_view text, std::string_view head) {
    return text.substr(0, head.size()) == head;
}

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool isIn(std::string_view path, std::initializer_list<std::string_view> folders) {
    return std::any_of(folders.begin(), folders.end(), [&](auto f) { return startsWith(path, f); });
}

bool isTorch(std::string_view include) {
    return isIn(include, {"torch/", "ATen/", "c10/", "caffe2/"});
}

bool isQt(std::string_view include) {
    return include == "qcustomplot.h" ||
           (include.size() > 1 && include[0] == 'Q' && std::isupper(include[1])) ||
           startsWith(include, "Qt") || include == "QCustomPlot";
}

bool isImGui(std::string_view include) {
    return startsWith(include, "imgui");
}

bool isTorchCore(std::string_view path) {
    return isIn(path, {"core/tensor/", "core/diffusion/", "core/distributed/", "core/train/"});
}

bool isTorchFreeCore(std::string_view path) {
    return startsWith(path, "core/") && !isTorchCore(path);
}

/// One row of the table: who, and what it may not include (first the includes of ours, then the outside).
struct Rule {
    std::function<bool(std::string_view file)> from;
    std::function<bool(std::string_view include)> forbidden;
    const char* reason;
};

/// A family stands on models/common and, where its paper builds on another family, on that one.
bool isForeignFamily(std::string_view file, std::string_view include) {
    static const std::set<std::pair<std::string, std::string>> kBuildsOn = {
        {"models/sclm", "models/difformer"},           {"models/sclm_mdlm", "models/mdlm"},
        {"models/ngram", "models/transformer"},        {"models/calm", "models/calm_autoencoder"},
        {"models/concept", "models/sentence_encoder"}, {"models/lcm", "models/concept"}};
    if (!startsWith(include, "models/") || libraryOf(file) == "models") return false;
    const auto target = libraryOf(include);
    return target != "models/common" && target != libraryOf(file) &&
           !kBuildsOn.contains({libraryOf(file), target});
}

/// A panel stands on views/common; those that draw with ImGui also on the widget that hosts it, those that
/// show the states of traces on views/states.
bool isForeignPanel(std::string_view file, std::string_view include) {
    if (!startsWith(include, "views/")) return false;
    const auto target = libraryOf(include);
    return target != libraryOf(file) && target != "views/common" && target != "views/imgui_host" &&
           target != "views/states";
}

Rule rule(std::initializer_list<std::string_view> folders, std::function<bool(std::string_view)> forbidden,
          const char* reason) {
    return {[list = std::vector<std::string_view>(folders)](std::string_view file) {
                return std::any_of(list.begin(), list.end(), [&](auto f) { return startsWith(file, f); });
            },
            std::move(forbidden), reason};
}

std::vector<Rule> makeRules() {
    const auto ours = [](auto... heads) {
        return [=](std::string_view include) { return isIn(include, {heads...}); };
    };
    std::vector<Rule> rules;
    rules.push_back(rule(
        {"core/base/"},
        [](std::string_view i) {
            return isIn(i, {"core/", "models/", "views/", "app/"}) && !startsWith(i, "core/base/");
        },
        "base depends on nothing of ours"));
    rules.push_back(rule(
        {"core/kernels/"},
        [](std::string_view i) {
            return startsWith(i, "core/") && !isIn(i, {"core/base/", "core/kernels/"});
        },
        "kernels stand on base alone"));
    rules.push_back({isTorchFreeCore, [](std::string_view i) { return isTorch(i) || isTorchCore(i); },
                     "this half of core is torch-free"});
    rules.push_back(rule({"core/"}, ours("models/", "views/", "app/"), "core knows nothing above it"));
    rules.push_back(rule({"models/"}, ours("views/", "app/"), "models know nothing above them"));
    rules.push_back(rule({"core/", "models/", "app/engine/"}, isQt, "the engine's side is Qt-free"));
    rules.push_back(rule({"core/", "models/", "app/engine/"}, isImGui, "the engine's side draws nothing"));
    rules.push_back(rule({"app/engine/"}, ours("views/", "app/studio/"), "the engine has no window"));
    rules.push_back(rule(
        {"views/", "app/studio/"}, [](std::string_view i) { return isTorch(i) || isTorchCore(i); },
        "the studio is torch-free"));
    rules.push_back(rule({"views/", "app/studio/"}, ours("models/", "app/engine/"),
                         "the studio asks `kurve describe`, it compiles in no family"));
    rules.push_back(rule({"views/"}, ours("app/"), "a panel does not know the program it sits in"));
    rules.push_back(
        {[](auto file) { return startsWith(file, "app/studio/") && file != "app/studio/panels.cpp"; },
         [](auto include) { return startsWith(include, "views/") && include.ends_with("_panel.h"); },
         "only app/studio/panels.cpp knows the panels"});
    rules.push_back(
        rule({"views/"}, ours("core/store/run_writer.h"), "only the engine writes a run's store"));
    return rules;
}

/// The first line of the statement that opens a block on `line`.
std::size_t statementStart(const SourceFile& file, std::size_t line) {
    const auto endsBefore = [](std::string_view text) {
        text = trimmed(text);
        return text.empty() || text.find_first_of("{};:", text.size() - 1) != text.npos ||
               startsWith(text, "//") || startsWith(text, "#");
    };
    while (line > 0 && !endsBefore(file.lines[line - 1])) --line;
    return line;
}

/// A namespace, a type or a linkage block: no function.
bool opensScope(std::string_view line) {
    line = trimmed(line);
    if (startsWith(line, "inline ")) line.remove_prefix(7);
    return isIn(line, {"namespace", "class ", "struct ", "enum ", "union ", "extern "});
}

}  // namespace

SourceFile sourceFile(std::string path, std::string_view text) {
    SourceFile file{std::move(path), {}};
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) file.lines.push_back(line);
    return file;
}

std::vector<SourceFile> readTree(const std::filesystem::path& root) {
    static const std::set<std::string> kKinds = {".h", ".cpp", ".cu", ".cuh"};
    std::vector<SourceFile> files;
    for (const char* top : {"core", "models", "views", "app"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            if (!entry.is_regular_file() || !kKinds.contains(entry.path().extension().string())) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            std::stringstream text;
            text << in.rdbuf();
            files.push_back(sourceFile(entry.path().lexically_relative(root).generic_string(), text.str()));
        }
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return files;
}

std::vector<Include> includesOf(const SourceFile& file) {
    std::vector<Include> found;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const std::string_view line = trimmed(file.lines[i]);
        if (!startsWith(line, "#")) continue;
        const auto directive = trimmed(line.substr(1));
        if (!startsWith(directive, "include")) continue;
        const auto open = directive.find_first_of("<\"");
        const auto close = open == line.npos ? line.npos : directive.find_first_of(">\"", open + 1);
        if (close == directive.npos) continue;
        found.push_back({std::string(directive.substr(open + 1, close - open - 1)), static_cast<int>(i) + 1});
    }
    return found;
}

std::string libraryOf(std::string_view path) {
    const auto first = path.find('/');
    const auto second = first == path.npos ? path.npos : path.find('/', first + 1);
    return std::string(path.substr(0, second == path.npos ? first : second));
}

bool isHeader(std::string_view path) {
    return path.ends_with(".h") || path.ends_with(".cuh");
}

std::vector<std::string> directionFaults(const SourceFile& file) {
    static const auto kRules = makeRules();
    std::vector<std::string> faults;
    for (const auto& include : includesOf(file)) {
        const auto report = [&](const char* reason) {
            faults.push_back(file.path + ":" + std::to_string(include.line) + ": includes " + include.path +
                             "; " + reason);
        };
        for (const auto& rule : kRules) {
            if (rule.from(file.path) && rule.forbidden(include.path)) report(rule.reason);
        }
        if (startsWith(file.path, "models/") && isForeignFamily(file.path, include.path)) {
            report("a family includes models/common and only a family that its paper builds on");
        }
        if (startsWith(file.path, "views/") && isForeignPanel(file.path, include.path)) {
            report("a panel includes no other panel");
        }
        if (isHeader(file.path) && include.path == "torch/torch.h")
            report("it costs 12 s in every file that includes it");
    }
    return faults;
}

std::vector<std::string> cycles(const std::vector<SourceFile>& files) {
    std::map<std::string, std::set<std::string>> graph;
    for (const auto& file : files) {
        for (const auto& include : includesOf(file)) {
            const auto from = libraryOf(file.path), to = libraryOf(include.path);
            if (from != to && isIn(include.path, {"core/", "models/", "views/", "app/"}))
                graph[from].insert(to);
        }
    }
    std::vector<std::string> found, stack;
    std::set<std::string> done;
    const std::function<void(const std::string&)> visit = [&](const std::string& library) {
        if (const auto open = std::find(stack.begin(), stack.end(), library); open != stack.end()) {
            std::string circle;
            for (auto at = open; at != stack.end(); ++at) circle += *at + " -> ";
            found.push_back(circle + library);
            return;
        }
        if (done.contains(library)) return;
        stack.push_back(library);
        for (const auto& next : graph[library]) visit(next);
        stack.pop_back();
        done.insert(library);
    };
    std::vector<std::string> libraries;
    for (const auto& [library, targets] : graph) libraries.push_back(library);
    for (const auto& library : libraries) visit(library);
    return found;
}

std::vector<std::string> typesDefinedTwice(const std::vector<SourceFile>& files) {
    static const std::regex opened("^(?:inline )?namespace ([\\w:]*) ?\\{$"), closed("^\\}  // namespace.*$"),
        type("^(?:class|struct|enum class) ([A-Z]\\w*)(?: final)?(?: :.*)? ?\\{.*$");
    std::map<std::string, std::set<std::string>> definedIn;
    for (const auto& file : files) {
        std::vector<std::string> scopes;  // clang-format writes every namespace and its end at the left edge
        for (const auto& line : file.lines) {
            std::smatch found;
            if (std::regex_match(line, found, opened)) scopes.push_back(found[1]);
            if (std::regex_match(line, closed) && !scopes.empty()) scopes.pop_back();
            if (!std::regex_match(line, found, type)) continue;
            if (std::find(scopes.begin(), scopes.end(), "") != scopes.end()) continue;
            std::string name;
            for (const auto& scope : scopes) name += scope + "::";
            definedIn[name + found[1].str()].insert(file.path);
        }
    }
    std::vector<std::string> faults;
    for (const auto& [name, paths] : definedIn) {
        if (paths.size() < 2) continue;
        std::string fault = name + ":";
        for (const auto& path : paths) fault += " " + path;
        faults.push_back(fault);
    }
    return faults;
}

std::vector<FunctionSize> functionSizes(const SourceFile& file) {
    std::vector<FunctionSize> sizes;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (!file.lines[i].ends_with("{")) continue;
        const auto start = statementStart(file, i);
        const auto& first = file.lines[start];
        const auto indent = first.find_first_not_of(' ');
        const bool isSignature = first.find('(') != first.npos || start != i;
        if (indent > 4 || !isSignature || opensScope(first)) continue;
        auto end = i + 1;
        while (end < file.lines.size() && !startsWith(file.lines[end], std::string(indent, ' ') + "}")) ++end;
        const auto length = static_cast<int>(end - start) + 1;
        sizes.push_back({file.path, first.substr(indent), static_cast<int>(start) + 1, length});
        i = end;
    }
    return sizes;
}

}  // namespace kurve::layering
