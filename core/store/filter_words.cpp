#include "core/store/filter_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/counted.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/store/detail/filter_term.h"
#include "core/store/detail/run_lock.h"
#include "core/store/detail/side_writer.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using detail::lower;

std::string quotedIfNeeded(const std::string& value) {
    return value.find(' ') == value.npos ? value : '"' + value + '"';
}

/// Where the term begins that is being typed; spaces between quotation marks do not end one.
std::size_t lastTerm(const std::string& text) {
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == ' ' && !quoted) begin = i + 1;
    }
    return begin;
}

struct Key {
    std::string text, note;
};

using Ranges = std::map<std::string, std::pair<double, double>>;

void widen(Ranges& ranges, const std::string& name, double low, double high) {
    const auto at = ranges.try_emplace(name, low, high).first;
    at->second = {std::min(at->second.first, low), std::max(at->second.second, high)};
}

/// The best values of curves, "min.valid_loss<" and "max.valid_loss>", after what is asked for more often.
void addExtremes(std::span<const RunSummary> runs, std::vector<Key>& keys) {
    Ranges lows, highs;
    for (const RunSummary& run : runs)
        for (const auto& one : run.extremes ? run.extremes->metrics : std::vector<Extremes>()) {
            if (!one.isKnown()) continue;
            widen(lows, one.metric, one.low, one.low);
            widen(highs, one.metric, one.high, one.high);
        }
    for (const auto& [name, range] : lows)
        keys.push_back({"min." + name + "<",
                        fmt::format("lowest of the curve, {:.4g} to {:.4g}", range.first, range.second)});
    for (const auto& [name, range] : highs)
        keys.push_back({"max." + name + ">",
                        fmt::format("highest of the curve, {:.4g} to {:.4g}", range.first, range.second)});
}

std::vector<Key> keysOf(std::span<const RunSummary> runs) {
    std::vector<Key> keys;
    const auto add = [&](bool texts) {
        for (const auto& one : detail::filterNames())
            if (one.note && (one.texts != nullptr) == texts)
                keys.push_back({one.name + std::string(texts ? ":" : ">"), one.note});
    };
    add(true);
    Ranges metrics;
    std::map<std::string, std::set<std::string>> settings;
    for (const RunSummary& run : runs) {
        for (const auto& [name, value] : run.metrics) widen(metrics, name, value, value);
        for (const auto& [name, value] : run.settings) settings[name].insert(value);
    }
    for (const auto& [name, range] : metrics)
        keys.push_back({name + ">", fmt::format("metric, {:.4g} to {:.4g}", range.first, range.second)});
    for (const auto& [name, values] : settings)
        keys.push_back({name + "=", "setting, " + counted(values.size(), "value")});
    add(false);
    addExtremes(runs, keys);
    return keys;
}

std::vector<FilterSuggestion> values(const std::string& before, const std::string& key,
                                     const std::string& typed, std::span<const RunSummary> runs) {
    if (key == "notes") return {};  // whole texts, each its own
    std::map<std::string, int> counts;
    for (const RunSummary& run : runs)
        for (const auto& value : detail::textsOf(run, key))
            if (!value.empty() && lower(value).find(typed) != std::string::npos) ++counts[value];
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<FilterSuggestion> found;
    for (const auto& [value, count] : sorted)
        found.push_back({before + quotedIfNeeded(value), counted(count, "run")});
    return found;
}

Status deletable(const RunSummary& run) {
    if (!run.trashed)
        return requestError("run.not_trashed", "only runs in the trash are deleted")
            .at(run.id)
            .fix("move it there first");
    if (run.state == "running" || run.state == "paused" || run.state == "stopping")
        return requestError("run.live", "the run is still being trained").at(run.id).fix("stop it first");
    return {};
}

/// A process that prepares to go on with a run has its lock, but has not said so in run.db. Null: nobody can
/// write there.
Result<std::unique_ptr<detail::RunLock>> lockOf(const fs::path& folder) {
    std::error_code none;
    if (fs::is_symlink(folder, none) || detail::onNetwork(folder)) return nullptr;
    auto lock = detail::RunLock::take(folder);
    if (!lock && lock.error().code != "store.locked") return nullptr;  // a full disk, above all, is emptied
    return lock;
}

}  // namespace

std::vector<FilterSuggestion> suggestTerms(const std::string& text, std::span<const RunSummary> runs,
                                           std::size_t most) {
    const std::size_t begin = lastTerm(text);
    const std::string head = text.substr(0, begin), term = text.substr(begin);
    std::vector<FilterSuggestion> found;
    const auto at = detail::operatorAt(term);
    if (at != term.npos && (term[at] == ':' || term[at] == '=')) {
        std::string typed = lower(term.substr(at + 1));
        typed.erase(std::remove(typed.begin(), typed.end(), '"'), typed.end());
        found = values(head + term.substr(0, at + 1), term.substr(0, at), typed, runs);
    } else if (at == term.npos) {
        const std::string typed = lower(term);
        for (const bool atStart : {true, false})  // what begins so comes before what contains it
            for (const Key& key : keysOf(runs)) {
                const std::string name = lower(key.text), part(detail::lastPart(name));
                const bool starts = name.rfind(typed, 0) == 0 || part.rfind(typed, 0) == 0;
                if (starts == atStart && name.find(typed) != name.npos)
                    found.push_back({head + key.text, key.note});
            }
    }
    std::erase_if(found, [&](const auto& suggestion) { return suggestion.text == text; });
    if (found.size() > most) found.resize(most);
    return found;
}

std::string whyNothingMatches(const RunFilter& filter, std::span<const RunSummary> runs) {
    constexpr std::size_t kMost = 3;
    const std::string name = filter.unknownName(runs);
    if (name.empty()) return {};
    std::vector<std::string> near, known;
    for (const auto& suggestion : suggestTerms(name, runs, kMost))
        near.push_back(suggestion.text.substr(0, detail::operatorAt(suggestion.text)));
    for (const Key& key : keysOf(runs)) known.push_back(key.text.substr(0, detail::operatorAt(key.text)));
    if (near.empty())
        if (const auto nearest = nearestWord(name, known)) near.push_back(*nearest);
    return fmt::format("no run has a number or a setting \"{}\"{}", name,
                       near.empty() ? "" : "; did you mean " + join(near, " or ") + "?");
}

bool isArchived(const RunSummary& run) {
    return std::find(run.tags.begin(), run.tags.end(), kArchivedTag) != run.tags.end();
}

Result<std::int64_t> purgeRuns(const Project& project, std::span<const RunSummary> runs) {
    for (const RunSummary& run : runs) KURVE_CHECKED(deletable(run));
    // Another program may have taken one out of the trash, or train it again, since `runs` were read.
    KURVE_TRY(const auto index, ProjectIndex::open(project));
    KURVE_TRY(const auto changed, index->refresh());
    KURVE_TRY(const auto now, index->runs());
    for (const RunSummary& run : runs)
        for (const RunSummary& known : now)
            if (known.id == run.id) KURVE_CHECKED(deletable(known));
    for (const RunSummary& run : runs) KURVE_CHECKED(lockOf(project.runFolder(run.id)));
    std::int64_t freed = 0;
    for (const RunSummary& run : runs) {
        const fs::path folder = project.runFolder(run.id);
        std::error_code code;
        const fs::path own = fs::is_symlink(folder, code) ? fs::path() : folder;
        const auto readable = fs::directory_options::skip_permission_denied;
        for (const auto& item : fs::recursive_directory_iterator(own, readable, code))
            if (item.is_regular_file(code)) freed += static_cast<std::int64_t>(item.file_size(code));
        KURVE_TRY(const auto lock, lockOf(folder));
        // run.db is last, with its log and the lock: what cannot be deleted stays in the trash.
        for (const auto& item : fs::directory_iterator(own, code))
            if (const auto name = item.path().filename();
                isPlainName(name.native()) && !name.native().starts_with("run."))
                KURVE_CHECKED(removeInside(project.runsFolder(), folder.filename() / name));
        KURVE_CHECKED(removeInside(project.runsFolder(), folder.filename()));
        KURVE_CHECKED(index->dropMarks(run.id));
    }
    return freed;
}

}  // namespace kurve::store
