#include "core/text/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/hash.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;
using Corpora = std::map<std::string, Corpus>;

Result<Corpora> readAll(const ImportRequest& request) {
    Corpora corpora;
    for (const auto& [split, files] : request.splits) {
        auto corpus = readCorpus({files.source, files.target, request.kind, request.options});
        if (!corpus) return corpus.error();
        if (request.kind != CorpusKind::Pairs) {
            corpus->notices.clear();  // of a TSV: in a *.txt they would be examples
        } else {                      // of two files: a tab would begin a column of the TSV
            for (Pair& pair : corpus->pairs)
                for (std::string* side : {&pair.source, &pair.target})
                    std::replace(side->begin(), side->end(), '\t', ' ');
        }
        corpora[split] = std::move(*corpus);
    }
    return corpora;
}

/// Of the source, or of a text without one.
std::string keyOf(const Pair& pair) {
    return sentenceKey(pair.source.empty() ? pair.target : pair.source);
}

/// Moves `count` sources' pairs, the ones with the smallest hashes, out of `train`.
Corpus holdOutSplit(Corpus& train, std::size_t count) {
    std::set<std::pair<std::string, std::string>> ranked;  // hash, key
    for (const Pair& pair : train.pairs) {
        const std::string key = keyOf(pair);
        ranked.emplace(sha256(key), key);
    }
    std::set<std::string> chosen;
    for (auto at = ranked.begin(); at != ranked.end() && chosen.size() < count; ++at)
        chosen.insert(at->second);
    Corpus part;
    part.notices = train.notices;
    const auto isChosen = [&](const Pair& pair) { return chosen.contains(keyOf(pair)); };
    std::copy_if(train.pairs.begin(), train.pairs.end(), std::back_inserter(part.pairs), isChosen);
    train.pairs.erase(std::remove_if(train.pairs.begin(), train.pairs.end(), isChosen), train.pairs.end());
    return part;
}

std::int64_t removeLeaks(Corpus& train, const Corpus& other) {
    const SentenceSet known(keysOf(other));
    return static_cast<std::int64_t>(
        std::erase_if(train.pairs, [&](const Pair& pair) { return known.shares(keysOf(pair)); }));
}

/// The side that is the same in all pairs, if one is: any held-out split leaks.
const char* commonSide(const Corpus& corpus) {
    std::set<std::string> sources, targets;
    for (const Pair& pair : corpus.pairs) {
        sources.insert(keyOf(pair));
        targets.insert(sentenceKey(pair.target));
    }
    return sources.size() == 1 ? "source" : targets.size() == 1 ? "target" : nullptr;
}

Status holdOutSplits(const ImportRequest& request, Corpora& corpora, ImportReport& report) {
    const std::map<std::string, std::size_t> wanted = {{"valid", request.validPairs},
                                                       {"test", request.testPairs}};
    Corpus& train = corpora.at("train");
    const std::string file = request.splits.at("train").source.string();
    const char* common = commonSide(train);
    for (const auto& [split, count] : wanted) {
        if (count == 0 || corpora.contains(split)) continue;
        if (common != nullptr)
            return requestError(
                       "data.all_same",
                       fmt::format("all {} pairs have the same {}: any split held out from them leaks",
                                   train.pairs.size(), common))
                .in(file)
                .fix(fmt::format("give a corpus whose {0}s differ, or name a file of its own for {1} (--{1})",
                                 common, split));
        corpora[split] = holdOutSplit(train, count);
        report.removedAsLeak += removeLeaks(train, corpora[split]);
    }
    if (!train.pairs.empty()) return {};
    return requestError("data.too_few", "no training pairs are left after holding out the other splits")
        .in(file)
        .fix("hold out fewer pairs with --valid-pairs and --test-pairs");
}

std::string fileText(const Corpus& corpus, CorpusKind kind) {
    std::string text;
    for (const std::string& notice : corpus.notices) text += notice + "\n";
    for (const Pair& pair : corpus.pairs) {
        if (kind == CorpusKind::Pairs) text += pair.source + "\t";
        text += pair.target + (kind == CorpusKind::Documents ? "\n\n" : "\n");
    }
    return text;
}

void describe(const Corpora& corpora, ImportReport& report) {
    for (const auto& [split, corpus] : corpora) {
        ImportedSplit& out = report.splits[split];
        out.file = fmt::format("data/{}.{}.{}", report.name, split,
                               report.kind == CorpusKind::Pairs ? "tsv" : "txt");
        out.report = corpus.report;
        out.pairs = static_cast<std::int64_t>(corpus.pairs.size());
        if (report.kind == CorpusKind::Documents) out.sentences = sentenceCount(corpus);
        out.duplicates = duplicatePairs(corpus);
        if (split != "train") report.leaks[split] = findLeak(corpora.at("train"), corpus);
    }
}

Status writeSplits(const Corpora& corpora, const fs::path& project, ImportReport& report) {
    for (const auto& [split, corpus] : corpora) {
        const std::string text = fileText(corpus, report.kind);
        ImportedSplit& out = report.splits.at(split);
        out.sha256 = sha256(text);
        KURVE_CHECKED(writeFileAtomically(project / out.file, text));
    }
    return {};
}

}  // namespace

Status checkCorpusName(const fs::path& project, const std::string& name, bool force) {
    const auto isFine = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    };
    if (name.empty() || name.front() == '-' || !std::all_of(name.begin(), name.end(), isFine))
        return requestError("data.name", fmt::format("“{}” cannot name a corpus", name))
            .at("name")
            .fix("use letters, digits, - and _; begin with no dash");
    const fs::path file = project / "data" / (name + ".corpus.json");
    std::error_code ignored;
    if (!force && fs::exists(file, ignored))
        return requestError("data.exists", "there is a corpus of this name")
            .in(file.string())
            .fix("choose another name, or replace it with --force");
    return {};
}

Result<PlannedImport> planImport(const ImportRequest& request) {
    PlannedImport plan;
    KURVE_TRY(plan.splits, readAll(request));
    plan.report.name = request.name;
    plan.report.file = fmt::format("data/{}.corpus.json", request.name);
    plan.report.kind = request.kind;
    plan.report.sameLanguage = request.sameLanguage;
    KURVE_CHECKED(holdOutSplits(request, plan.splits, plan.report));
    describe(plan.splits, plan.report);
    return plan;
}

Result<ImportReport> importCorpus(const ImportRequest& request, const fs::path& project) {
    KURVE_CHECKED(checkCorpusName(project, request.name, request.force));
    KURVE_TRY(PlannedImport plan, planImport(request));
    ImportReport& report = plan.report;
    std::error_code problem;
    fs::create_directories(project / "data", problem);
    KURVE_CHECKED(writeSplits(plan.splits, project, report));
    KURVE_CHECKED(writeFileAtomically(project / report.file, toJson(report).dump(2) + "\n"));
    return report;
}

nlohmann::json toJson(const ImportReport& report) {
    nlohmann::json splits, leaks;
    for (const auto& [name, split] : report.splits) {
        const CorpusReport& read = split.report;
        splits[name] = {{"file", split.file},
                        {"sha256", split.sha256},
                        {"pairs", split.pairs},
                        {"sentences", split.sentences},
                        {"duplicates", split.duplicates},
                        {"lines", read.lines},
                        {"notices", read.notices},
                        {"empty_sides", read.emptySides},
                        {"too_long", read.tooLong},
                        {"crlf", read.crlf},
                        {"bom", read.bom},
                        {"examples", read.examples}};
    }
    leaks = nlohmann::json::object();
    for (const auto& [name, leak] : report.leaks)
        leaks[name] = {{"pairs", leak.pairs}, {"examples", leak.examples}};
    return {{"format", 1},
            {"corpus", report.name},
            {"kind", corpusKindName(report.kind)},
            {"file", report.file},
            {"splits", std::move(splits)},
            {"leak", std::move(leaks)},
            {"same_language", report.sameLanguage},
            {"left_out_as_leak", report.removedAsLeak}};
}

}  // namespace kurve::text
