#include "core/text/tokenizer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/text/detail/token_model.h"
#include "core/text/detail/tokenizer_folder.h"
#include "core/text/lower_case.h"
#include "core/text/trial_tokenizer.h"

namespace kurve::text {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool isSentencePiece(const std::string& kind) {
    return kind == "bpe" || kind == "unigram" || kind == "character";
}
const char* modelFile(const std::string& kind) {
    return isSentencePiece(kind) ? "model.spm" : "model.txt";
}

class FileTokenizer : public Tokenizer {
public:
    FileTokenizer(std::unique_ptr<detail::TokenModel> model, bool lowerCase, std::string hash)
        : model_(std::move(model)), lowerCase_(lowerCase), hash_(std::move(hash)) {}

    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const override {
        return lowerCase_ ? model_->encode(lowerCase(text)) : model_->encode(text);
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::vector<std::int32_t> shown;
        for (const std::int32_t id : ids) {
            checkId(id);
            if (id == kUnk || id >= kFirstRegularToken) shown.push_back(id);
        }
        return model_->decode(shown);
    }
    [[nodiscard]] std::string token(std::int32_t id) const override {
        checkId(id);
        return id < kFirstRegularToken ? kSpecialTokens[static_cast<std::size_t>(id)] : model_->token(id);
    }
    [[nodiscard]] std::int32_t vocabularySize() const override { return model_->size(); }
    [[nodiscard]] const SpecialIds& special() const override { return kTrainedSpecials; }
    [[nodiscard]] WordBoundary wordBoundary() const override { return WordBoundary::Mark; }
    [[nodiscard]] const std::string& hash() const override { return hash_; }

private:
    void checkId(std::int32_t id) const {
        KURVE_CHECK(id >= 0 && id < model_->size(), "id {} of {}", id, model_->size());
    }

    std::unique_ptr<detail::TokenModel> model_;
    bool lowerCase_;
    std::string hash_;
};

std::string contentHash(const std::string& kind, bool lowerCase, const std::string& model) {
    return sha256(fmt::format("tokenizer 1\n{}\n{}\n{}", kind, lowerCase, sha256(model)));
}

Result<std::shared_ptr<const Tokenizer>> openModel(const std::string& kind, bool lowerCase,
                                                   const std::string& bytes) {
    auto model = isSentencePiece(kind) ? detail::openSentencePiece(bytes)
                 : kind == "byte"      ? detail::openBytes(bytes)
                                       : detail::openWords(bytes, kind == "word");
    if (!model) return model.error();
    return std::make_shared<FileTokenizer>(std::move(*model), lowerCase, contentHash(kind, lowerCase, bytes));
}

}  // namespace

std::string detail::vocabularyTable(const Tokenizer& tokenizer, std::span<const std::string> lines) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(tokenizer.vocabularySize()));
    for (const std::string& line : lines)
        for (const std::int32_t id : tokenizer.encode(line)) ++counts[static_cast<std::size_t>(id)];
    std::string table;
    for (std::size_t id = 0; id < counts.size(); ++id)
        table +=
            fmt::format("{}\t{}\t{}\n", id, shownToken(tokenizer, static_cast<std::int32_t>(id)), counts[id]);
    return table;
}

Status detail::writeTokenizerFolder(const fs::path& folder,
                                    const std::vector<std::pair<std::string, std::string>>& files) {
    std::error_code problem;
    const fs::path fresh = folder.string() + ".tmp" + std::to_string(::getpid());
    fs::create_directories(fresh, problem);
    if (problem)
        return workError("io.write", "cannot make the folder: " + problem.message())
            .in(fresh.string())
            .fix("check free space and permissions");
    for (const auto& [name, bytes] : files) {
        if (auto written = writeFileAtomically(fresh / name, bytes); !written) {
            fs::remove_all(fresh, problem);
            return written.error();
        }
    }
    fs::rename(fresh, folder, problem);
    if (!problem) return {};
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    return workError("io.write", "cannot rename the tokenizer's folder: " + problem.message())
        .in(folder.string())
        .fix("remove what is there first");
}

Error detail::damagedTokenizerFile(const fs::path& file, const std::string& what) {
    return workError("tokenizer.damaged", what)
        .in(file.string())
        .fix("restore the folder from a copy, or delete it to train the tokenizer again");
}

namespace {

Result<std::string> trainModel(const TokenizerSpec& spec, std::span<const std::string> lines) {
    KURVE_CHECK(spec.vocabularySize > kFirstRegularToken, "vocabulary of {}", spec.vocabularySize);
    const auto isBlank = [](const std::string& line) { return trim(line).empty(); };
    if (std::all_of(lines.begin(), lines.end(), isBlank))
        return requestError("tokenizer.empty_corpus", "there is no text to train a tokenizer on")
            .fix("check data.train");
    if (spec.kind == "byte") return detail::byteModel();
    return isSentencePiece(spec.kind) ? detail::trainSentencePiece(spec, lines)
                                      : detail::trainWords(spec, lines);
}

}  // namespace

std::string trainingHash(const TokenizerSpec& spec, std::span<const std::string> lines) {
    std::string all = fmt::format("tokenizer {}\n{}\n{}\n{}\n{}\n", spec.lowerCase ? 2 : 1, spec.kind,
                                  spec.vocabularySize, spec.lowerCase, spec.characterCoverage);
    if (spec.kind == "byte") return sha256(all);  // of any text the same
    for (const std::string& line : lines) all.append(line).push_back('\n');
    return sha256(all);
}

Status trainTokenizer(const TokenizerSpec& spec, std::span<const std::string> lines, const fs::path& folder) {
    KURVE_TRY(const std::string model, trainModel(spec, lines));
    KURVE_TRY(const auto tokenizer, openModel(spec.kind, spec.lowerCase, model));
    const std::string table = detail::vocabularyTable(*tokenizer, lines);
    const json about = {{"format", 1},
                        {"kind", spec.kind},
                        {"lower_case", spec.lowerCase},
                        {"coverage", spec.characterCoverage},
                        {"vocabulary", tokenizer->vocabularySize()},
                        {"sha256", tokenizer->hash()},
                        {"table_sha256", sha256(table)},
                        {"made_from", trainingHash(spec, lines)}};
    return detail::writeTokenizerFolder(
        folder,
        {{modelFile(spec.kind), model}, {detail::kTable, table}, {detail::kAbout, about.dump(2) + "\n"}});
}

Result<std::shared_ptr<const Tokenizer>> trialTokenizer(const TokenizerSpec& spec,
                                                        std::span<const std::string> lines) {
    KURVE_TRY(const std::string model, trainModel(spec, lines));
    return openModel(spec.kind, spec.lowerCase, model);
}

namespace {

bool isDescription(const json& about) {
    return about.is_object() && about.value("kind", json()).is_string() &&
           about.value("sha256", json()).is_string() && about.value("lower_case", json()).is_boolean();
}

Result<json> readAbout(const fs::path& folder) {
    const fs::path file = folder / detail::kAbout;
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return requestError("tokenizer.missing", "there is no tokenizer here (no tokenizer.json)")
            .in(folder.string())
            .fix("prepare the data again: kurve data import");
    const auto text = readFile(file);
    if (!text) return detail::damagedTokenizerFile(file, text.error().message);
    const json about = json::parse(*text, nullptr, false);
    if (!isDescription(about))
        return detail::damagedTokenizerFile(file, "is not the description of a tokenizer");
    return about;
}

}  // namespace

bool isTokenizerFolder(const fs::path& folder) {
    const auto text = readFile(folder / detail::kAbout, kModelBytes);  // a published one is large
    return text && isDescription(json::parse(*text, nullptr, false));
}

std::string shownToken(const Tokenizer& tokenizer, std::int32_t id) {
    constexpr const char *kWordBegins = "▁", *kContinues = "##", *kNoCharacter = "\uFFFD";
    const std::string spelled = tokenizer.token(id);
    if (tokenizer.wordBoundary() == WordBoundary::Mark || id == tokenizer.special().unk) return spelled;
    const std::array<std::int32_t, 1> one{id};
    const std::string text = tokenizer.decode(one);
    const auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (text.empty() || text.find(kNoCharacter) != std::string::npos ||
        std::any_of(text.begin(), text.end(), isControl))
        return spelled;
    if (tokenizer.wordBoundary() == WordBoundary::Continuation)
        return spelled.starts_with(kContinues) ? spelled.substr(2) : kWordBegins + spelled;
    std::string shown;
    for (const char c : text)
        if (c == ' ')
            shown += kWordBegins;
        else
            shown += c;
    return shown;
}

Result<std::shared_ptr<const Tokenizer>> loadTokenizer(const fs::path& folder) {
    KURVE_TRY(const json about, readAbout(folder));
    const std::string kind = about["kind"];
    if (kind == detail::kPublishedKind) return detail::loadPublished(folder, about);
    const auto bytes = readFile(folder / modelFile(kind), kModelBytes);
    if (!bytes) return detail::damagedTokenizerFile(folder / modelFile(kind), bytes.error().message);
    const bool lowerCase = about["lower_case"];
    if (contentHash(kind, lowerCase, *bytes) != about["sha256"].get<std::string>())
        return detail::damagedTokenizerFile(folder / modelFile(kind),
                                            "is not the model that tokenizer.json names (other SHA-256)");
    auto tokenizer = openModel(kind, lowerCase, *bytes);
    if (!tokenizer) return detail::damagedTokenizerFile(folder / modelFile(kind), tokenizer.error().message);
    return tokenizer;
}

Status checkTokenizer(const fs::path& folder) {
    KURVE_TRY(const auto tokenizer, loadTokenizer(folder));
    KURVE_TRY(const json about, readAbout(folder));
    const auto table = sha256File(folder / detail::kTable);
    if (!table) return detail::damagedTokenizerFile(folder / detail::kTable, table.error().message);
    if (about.value("table_sha256", json()) != *table)
        return detail::damagedTokenizerFile(folder / detail::kTable,
                                            "is not the table that tokenizer.json names (other SHA-256)");
    if (about.value("vocabulary", json()) != tokenizer->vocabularySize())
        return detail::damagedTokenizerFile(folder / detail::kAbout,
                                            "names another number of tokens than the model has");
    return {};
}

}  // namespace kurve::text
