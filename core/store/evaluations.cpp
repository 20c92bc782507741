#include "core/store/evaluations.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/metrics/document_scores.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFolder = "evaluations";

/// With the scores of the earlier document that this one does not have, if both are of the same weights; of
/// those by a scorer only if it is the same.
json joined(json document, const fs::path& earlierFile) {
    const auto text = readFile(earlierFile, kResultBytes);
    const json earlier = text ? json::parse(*text, nullptr, false) : json();
    const json weights = document.value("checkpoint_sha256", json());
    if (!earlier.is_object() || weights.is_null() || earlier.value("checkpoint_sha256", json()) != weights)
        return document;
    const json scorer = earlier.value("scorer", json());
    const bool sameScorer = scorer.is_null() || document.emplace("scorer", scorer).first.value() == scorer;
    for (const char* key : {"metrics", "sample_statistics"}) {
        json all = earlier.value(key, json::object());
        if (!all.is_object()) continue;
        if (!sameScorer)
            std::erase_if(all.get_ref<json::object_t&>(),
                          [](const auto& score) { return metrics::isByScorer(score.first); });
        all.update(document.value(key, json::object()));
        document[key] = std::move(all);
    }
    return document;
}

/// Brier scores from places that far apart: they compare with those of the same distance alone.
std::string placesOf(const json& score) {
    const std::string signature = score.value("signature", ""), key = "every:";
    const auto begin = signature.find(key);
    if (begin == std::string::npos) return "";
    const auto from = begin + key.size();
    return "every=" + signature.substr(from, signature.find('|', from) - from);
}

}  // namespace

std::string otherSettings(const json& document) {
    std::string text;
    if (const auto limit = document.value("limit", json()); limit.is_number())
        text = "@limit=" + limit.dump();  // of the first pairs only
    const json sampler = document.value("sampler", json());
    if (!sampler.is_object()) return text;
    for (const auto& [key, value] : sampler.items()) {
        const std::string said = value.is_string() ? value.get<std::string>() : value.dump();
        text += (text.empty() ? "@" : ",") + key.substr(key.find('.') + 1) + "=" + said;
    }
    return text;
}

Status saveEvaluation(const fs::path& runFolder, const json& document) {
    KURVE_TRY(const fs::path folder, makeFolderInside(runFolder, kFolder));
    const fs::path checkpoint = document.value("checkpoint", "last");  // a folder, or "avg5"
    std::string name = document.value("split", "valid") + "-" + checkpoint.filename().string();
    constexpr std::size_t kHashDigits = 12;
    if (const std::string other = otherSettings(document); !other.empty())
        name += "-" + sha256(other).substr(0, kHashDigits);
    const fs::path file = folder / (name + ".json");
    return writeFileAtomically(file, joined(document, file).dump(2) + "\n");
}

std::vector<fs::path> storedEvaluations(const fs::path& runFolder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code failed;
    if (!pathInside(runFolder, kFolder)) return {};
    for (fs::directory_iterator it(runFolder / kFolder, failed), end; !failed && it != end;
         it.increment(failed)) {
        std::error_code gone;
        const auto time = fs::last_write_time(it->path(), gone);
        if (!gone && !it->is_symlink(gone) && it->path().extension() == ".json")
            found.emplace_back(time, it->path());
    }
    std::sort(found.begin(), found.end());
    std::vector<fs::path> files;
    for (auto& [time, file] : found) files.push_back(std::move(file));
    return files;
}

std::map<std::string, double> evaluatedNumbers(const fs::path& runFolder) {
    std::map<std::string, double> numbers;
    for (const auto& file : storedEvaluations(runFolder)) {
        const auto text = readFile(file, kResultBytes);
        const json document = text ? json::parse(*text, nullptr, false) : json();
        if (!document.is_object() || !document.contains("metrics") || !document["metrics"].is_object())
            continue;
        const json split = document.value("split", json("valid"));
        const std::string other = otherSettings(document);
        for (const auto& [metric, score] : document["metrics"].items()) {
            if (!split.is_string() || !score.is_object() || !score.contains("value") ||
                !score["value"].is_number())
                continue;
            const std::string places = placesOf(score),
                              settings =
                                  places.empty() ? other : other + (other.empty() ? "@" : ",") + places;
            numbers["eval_" + split.get<std::string>() + "_" + metric + settings] =
                score["value"].get<double>();
        }
    }
    return numbers;
}

}  // namespace kurve::store
