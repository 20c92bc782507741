#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kurve::layering {

struct SourceFile {
    std::string path;                ///< relative to the repository, with '/'
    std::vector<std::string> lines;  ///< without line ends
};

struct Include {
    std::string path;
    int line = 0;
};

struct FunctionSize {
    std::string file;
    std::string name;  ///< the line it opens with
    int line = 0, length = 0;
};

[[nodiscard]] SourceFile sourceFile(std::string path, std::string_view text);
/// Sources and headers of core, models, views and app, in path order.
[[nodiscard]] std::vector<SourceFile> readTree(const std::filesystem::path& root);
[[nodiscard]] std::vector<Include> includesOf(const SourceFile& file);

/// "core/text" for "core/text/corpus.cpp"; the folder that is one library or program.
[[nodiscard]] std::string libraryOf(std::string_view path);
[[nodiscard]] bool isHeader(std::string_view path);

/// What the table of directions forbids, one sentence per offence ("path:line: …"); empty = clean.
[[nodiscard]] std::vector<std::string> directionFaults(const SourceFile& file);
/// Libraries that include each other in a circle, as "a -> b -> a", each circle once.
[[nodiscard]] std::vector<std::string> cycles(const std::vector<SourceFile>& files);
/// Types with the same full name that different files define, outside unnamed namespaces: "kurve::views::A:
/// one.h, two.h". The linker takes either and says nothing; the program breaks where they differ.
[[nodiscard]] std::vector<std::string> typesDefinedTwice(const std::vector<SourceFile>& files);
/// Outermost bodies, found by the indentation that clang-format gives them.
[[nodiscard]] std::vector<FunctionSize> functionSizes(const SourceFile& file);

}  // namespace kurve::layering
