#include "app/engine/verify_corpora.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/json_depth.h"
#include "core/base/text.h"
#include "core/config/run_config.h"
#include "core/text/dataset.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSuffix = ".corpus.json";

Error changed(const fs::path& file, std::string what) {
    return workError("verify.corpus", std::move(what)).in(file.string());
}

json parsed(const std::string& text) {
    return jsonDeeperThan(text, 16) ? json() : json::parse(text, nullptr, false);
}

std::string textAt(const std::map<std::string, std::string>& values, const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
}
std::string textAt(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string listed(std::vector<std::string> names) {
    constexpr std::size_t kMost = 4;
    if (names.size() > kMost) {
        const std::size_t more = names.size() - kMost;
        names.resize(kMost);
        return join(names, ", ") + fmt::format(" and {} more", more);
    }
    return join(names, ", ");
}

}  // namespace

void CorpusCheck::addImports(Imports which) {
    std::vector<Import> imports;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(project_ / "data", ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(kSuffix))
            imports.push_back({entry.path(), name.substr(0, name.size() - std::string(kSuffix).size())});
    }
    std::sort(imports.begin(), imports.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    for (const auto& import : imports) addImport(import, which);
}

void CorpusCheck::addImport(const Import& import, Imports which) {
    const auto text = readFile(import.file);
    const json about = text ? parsed(*text) : json();
    const json splits = about.is_object() ? about.value("splits", json()) : json();
    if (!splits.is_object()) {
        if (which == Imports::OfRuns) return;
        other_.push_back(changed(import.file, "is not the description of a corpus")
                             .fix("kurve data import " + import.name + " --force writes it anew"));
        return;
    }
    for (const auto& [split, part] : splits.items()) {
        if (!part.is_object()) continue;
        const Record record{textAt(part, "file"), textAt(part, "sha256")};
        const bool named = std::any_of(recorders_.begin(), recorders_.end(),
                                       [&](const auto& other) { return other.first.file == record.file; });
        if (record.sha256.empty() || (which == Imports::OfRuns && !named)) continue;
        recorders_[record].push_back("the import of " + import.name);
    }
}

void CorpusCheck::addRun(const std::string& id, const store::RunReader& run) {
    const auto values = run.values();
    const json corpora = parsed(textAt(values, "corpora"));
    if (corpora.is_object()) {
        for (const auto& [file, hash] : corpora.items())
            if (hash.is_string()) recorders_[{file, hash.get<std::string>()}].push_back("run " + id);
    } else if (values.contains("data_hash") && values.contains("config")) {
        checkFingerprint(id, values);
    }
}

void CorpusCheck::checkFingerprint(const std::string& id, const std::map<std::string, std::string>& values) {
    const auto config = RunConfig::parse(values.at("config"), "run.db of " + id, models::schemaLookup());
    if (!config) return other_.push_back(config.error());
    const auto found = text::dataFingerprint(
        *config, project_, {textAt(values, "source_tokenizer_hash"), textAt(values, "tokenizer_hash")});
    if (!found) return other_.push_back(found.error());
    const std::string& recorded = values.at("data_hash");
    Status status;
    if (*found != recorded)
        status = changed(project_ / config->text("data.train"),
                         fmt::format("it or another of {} was changed since run {} was trained: their "
                                     "fingerprint is {:.12}…, recorded was {:.12}…",
                                     join(text::corpusFiles(*config), ", "), id, *found, recorded))
                     .fix("restore the files; until then the run cannot be resumed or replayed exactly");
    other_.push_back(std::move(status));
}

std::vector<Status> CorpusCheck::findings() const {
    std::vector<Status> all = other_;
    for (const auto& [record, recorders] : recorders_) all.push_back(check(record, recorders));
    return all;
}

Status CorpusCheck::check(const Record& record, const std::vector<std::string>& recorders) const {
    const fs::path file = project_ / record.file;
    const auto found = sha256File(file);
    if (found && *found == record.sha256) return {};
    const std::string now =
        found ? fmt::format("its SHA-256 is {:.12}…", *found) : "cannot be read: " + found.error().message;
    return changed(file, fmt::format("{}, recorded was {:.12}… by {}", now, record.sha256, listed(recorders)))
        .fix(
            "restore the file; until then runs that were trained with it cannot be resumed or replayed "
            "exactly");
}

}  // namespace kurve::engine
