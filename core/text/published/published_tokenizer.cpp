#include "core/text/published/published_tokenizer.h"

#include <algorithm>
#include <vector>

#include "core/text/published/reading.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSupported = "tokenizer.json, *.tiktoken, vocab.txt, or a folder that holds one";

Error missing(const fs::path& path, const char* what) {
    return requestError("tokenizer.missing", what)
        .in(path.string())
        .fix(std::string("give it one of: ") + kSupported);
}

std::vector<fs::path> tiktokenFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".tiktoken") files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // the same one on every file system
    return files;
}

Result<fs::path> fileOf(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return missing(path, "there is no such file or folder");
    if (!fs::is_directory(path, ignored)) return path;
    std::vector<fs::path> found = tiktokenFiles(path);
    if (fs::exists(path / "tokenizer.json", ignored)) found.insert(found.begin(), path / "tokenizer.json");
    if (found.size() > 1)
        return requestError("tokenizer.ambiguous",
                            "there are several tokenizers in this folder: " + found[0].filename().string() +
                                ", " + found[1].filename().string())
            .in(path.string())
            .fix("name the file");
    if (found.empty() && fs::exists(path / "vocab.txt", ignored)) found.push_back(path / "vocab.txt");
    if (found.empty()) return missing(path, "there is no tokenizer in this folder");
    return found.front();
}

Result<PublishedTokenizer> readByEnding(const fs::path& file) {
    if (file.extension() == ".json") return detail::readTokenizerJson(file);
    if (file.extension() == ".tiktoken") return detail::readTiktoken(file);
    if (file.extension() == ".txt") return detail::readTokenList(file);
    return detail::unsupportedPart("file's ending", file.extension().string(), kSupported);
}

}  // namespace

Result<PublishedTokenizer> readPublishedTokenizer(const fs::path& path) {
    KURVE_TRY(const fs::path file, fileOf(path));
    auto read = readByEnding(file);
    if (read) {
        read->file = file;
        return read;
    }
    Error error = read.error();
    if (error.file.empty()) error.file = file.string();
    return error;
}

}  // namespace kurve::text
