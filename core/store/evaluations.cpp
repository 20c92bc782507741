#include "core/store/evaluations.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/json_depth.h"
#include "core/base/text.h"
#include "core/metrics/document_scores.h"
#include "core/store/detail/filter_term.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFolder = "evaluations";
constexpr int kDocumentDepth = 32;  // of the lists and objects in a document

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

/// "every=4" of Brier scores from places that far apart: they compare with those of the same distance alone.
std::string placesOf(const json& score) {
    const json signature = score.is_object() ? score.value("signature", json()) : json();
    if (!signature.is_string()) return "";
    for (const std::string& part : split(signature.get_ref<const std::string&>(), '|'))
        if (part.starts_with("every:")) return "every=" + part.substr(part.find(':') + 1);
    return "";
}

/// "lm@step-00000400" of a scorer's name, which ends in the hash of its weights.
std::string runAndCheckpoint(const std::string& scorer) {
    std::vector<std::string> words = splitWords(scorer);
    words.resize(std::min<std::size_t>(words.size(), 2));
    return join(words, "@");
}

constexpr std::string_view kNumber = "eval_";

}  // namespace

std::optional<ScoreName> scoreName(std::string_view number) {
    const auto metric = number.starts_with(kNumber) ? number.find('_', kNumber.size()) : number.npos;
    if (metric == number.npos) return std::nullopt;
    const auto settings = std::min(number.find('@', metric), number.size());
    return ScoreName{std::string(number.substr(kNumber.size(), metric - kNumber.size())),
                     std::string(number.substr(metric + 1, settings - metric - 1)),
                     std::string(number.substr(std::min(settings + 1, number.size())))};
}

std::string scoreSettings(const json& document, const std::string& metric, const json& score) {
    std::vector<std::string> settings;
    if (const json scorer = document.value("scorer", json());
        metrics::isByScorer(metric) && scorer.is_string())
        settings.push_back("scorer=" + runAndCheckpoint(scorer.get<std::string>()));
    if (const auto limit = document.value("limit", json()); limit.is_number())
        settings.push_back("limit=" + limit.dump());  // of the first pairs only
    if (std::string places = placesOf(score); !places.empty()) settings.push_back(std::move(places));
    if (const json sampler = document.value("sampler", json()); sampler.is_object())
        for (const auto& [key, value] : sampler.items())
            settings.push_back(key.substr(key.find('.') + 1) + "=" +
                               (value.is_string() ? value.get<std::string>() : value.dump()));
    return settings.empty() ? "" : detail::withSortedSettings("@" + join(settings, ","));
}

Status saveEvaluation(const fs::path& runFolder, const json& document) {
    KURVE_TRY(const fs::path folder, makeFolderInside(runFolder, kFolder));
    const fs::path checkpoint = document.value("checkpoint", "last");  // a folder, or "avg5"
    const std::string name = document.value("split", "valid") + "-" + checkpoint.filename().string();
    std::map<std::string, json> bySettings;
    for (const auto& [metric, score] : document.at("metrics").items()) {
        json& saved = bySettings[scoreSettings(document, metric, score)][metric] = score;
        saved["saved"] = wallSeconds();
    }
    for (auto& [settings, metrics] : bySettings) {
        constexpr std::size_t kHashDigits = 12;
        const std::string of = settings.empty() ? "" : "-" + sha256(settings).substr(0, kHashDigits);
        const fs::path file = folder / (name + of + ".json");
        json part = document;
        part["metrics"] = std::move(metrics);
        KURVE_CHECKED(writeFileAtomically(file, joined(std::move(part), file).dump(2) + "\n"));
    }
    return {};
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
    std::map<std::string, std::pair<double, json>> newest;  // when it was saved, and its value
    for (const auto& file : storedEvaluations(runFolder)) {
        const auto text = readFile(file, kResultBytes);
        if (!text || jsonDeeperThan(*text, kDocumentDepth)) continue;
        const json document = json::parse(*text, nullptr, false);
        if (!document.is_object() || !document.contains("metrics") || !document["metrics"].is_object())
            continue;
        const json split = document.value("split", json("valid"));
        for (const auto& [metric, score] : document["metrics"].items()) {
            if (!split.is_string() || !score.is_object() || !score.contains("value")) continue;
            const json time = score.value("saved", json());
            const double saved = time.is_number() ? time.get<double>() : 0;
            auto& [when, value] = newest[std::string(kNumber) + split.get<std::string>() + "_" + metric +
                                         scoreSettings(document, metric, score)];
            if (saved < when) continue;
            when = saved;
            value = score["value"];
        }
    }
    std::map<std::string, double> numbers;
    for (const auto& [name, one] : newest)  // instead of a newest "inf" no older score counts
        if (one.second.is_number()) numbers[name] = one.second.get<double>();
    return numbers;
}

}  // namespace kurve::store
