#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/text/detail/tokenizer_folder.h"
#include "core/text/published/published_tokenizer.h"

namespace kurve::text {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kConfig = "tokenizer_config.json";

/// tokenizer.json is the name of our own description; other names say what is in the file.
std::string storedName(const fs::path& file) {
    return file.extension() == ".json"  ? std::string("published.json")
           : file.extension() == ".txt" ? std::string("vocab.txt")
                                        : file.filename().string();
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> storePublishedTokenizer(const PublishedTokenizer& published,
                                                                 std::int64_t vocabulary,
                                                                 const fs::path& folder) {
    KURVE_TRY(auto tokenizer, completeTokenizer(published.tokenizer, vocabulary));
    std::error_code ignored;
    if (fs::exists(folder, ignored)) {
        const auto there = loadTokenizer(folder);
        if (there && (*there)->hash() == tokenizer->hash()) return there;
        return requestError("tokenizer.exists", "there is another tokenizer of this name")
            .in(folder.string())
            .fix("choose another name");
    }
    const std::string table = detail::vocabularyTable(*tokenizer, {});
    const json about = {{"format", 1},
                        {"kind", detail::kPublishedKind},
                        {"published", published.kind},
                        {"file", storedName(published.file)},
                        {"lower_case", false},
                        {"vocabulary", tokenizer->vocabularySize()},
                        {"sha256", tokenizer->hash()},
                        {"table_sha256", sha256(table)}};
    std::vector<std::pair<std::string, std::string>> files = {{detail::kTable, table},
                                                              {detail::kAbout, about.dump(2) + "\n"}};
    KURVE_TRY(std::string bytes, readFile(published.file, kModelBytes));
    files.emplace_back(storedName(published.file), std::move(bytes));
    const fs::path config = published.file.parent_path() / kConfig;
    if (fs::exists(config, ignored)) {
        KURVE_TRY(std::string text, readFile(config, kModelBytes));
        files.emplace_back(kConfig, std::move(text));
    }
    KURVE_CHECKED(detail::writeTokenizerFolder(folder, files));
    return tokenizer;
}

Result<std::shared_ptr<const Tokenizer>> detail::loadPublished(const fs::path& folder, const json& about) {
    const json name = about.value("file", json()), size = about.value("vocabulary", json());
    if (!name.is_string() || !isFileName(name.get<std::string>()) || !size.is_number_integer())
        return damagedTokenizerFile(folder / kAbout, "is not the description of a published tokenizer");
    const fs::path file = folder / name.get<std::string>();
    const auto published = readPublishedTokenizer(file);
    if (!published) return damagedTokenizerFile(file, published.error().message);
    auto tokenizer = completeTokenizer(published->tokenizer, size.get<std::int64_t>());
    if (!tokenizer || (*tokenizer)->hash() != about["sha256"].get<std::string>())
        return damagedTokenizerFile(file, "is not the tokenizer that tokenizer.json names (other SHA-256)");
    return tokenizer;
}

}  // namespace kurve::text
