#include "app/engine/corpus_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/corpus_statistics.h"
#include "app/engine/output.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/text/trial_tokenizer.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

constexpr std::size_t kPreviewPairs = 8;
constexpr std::size_t kTokenizerBytes = 16'000'000;  // data.tokenizer.sample by default

/// Of a large corpus every n-th example, in the order of an experiment: the vocabulary is the one that its
/// first training makes.
std::vector<std::string> bothSides(const text::Corpus& corpus, text::CorpusKind kind) {
    std::size_t bytes = 0;  // of the file that the import writes
    for (const text::Pair& pair : corpus.pairs)
        bytes += pair.source.size() + pair.target.size() + (kind == text::CorpusKind::Text ? 1 : 2);
    const std::size_t stride = 1 + (bytes - 1) / kTokenizerBytes;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < corpus.pairs.size(); i += stride)
        if (!corpus.pairs[i].source.empty()) lines.push_back(corpus.pairs[i].source);
    for (std::size_t i = 0; i < corpus.pairs.size(); i += stride)
        for (std::string& line : split(corpus.pairs[i].target, '\n'))  // sentences
            lines.push_back(std::move(line));
    return lines;
}

/// How many sides have length 0, 1, 2, …
std::vector<std::int64_t> countsByLength(const std::vector<std::int64_t>& lengths) {
    std::vector<std::int64_t> counts;
    for (const std::int64_t length : lengths) {
        const auto at = static_cast<std::size_t>(length);
        if (at >= counts.size()) counts.resize(at + 1);
        ++counts[at];
    }
    return counts;
}

json previewOf(const text::Corpus& corpus) {
    json pairs = json::array();
    for (std::size_t i = 0; i < std::min(kPreviewPairs, corpus.pairs.size()); ++i)
        pairs.push_back({corpus.pairs[i].source, corpus.pairs[i].target});
    return pairs;
}

/// Numbers that need a tokenizer are null where none could be made.
json checkSplit(const text::Corpus& corpus, const text::Corpus* maybeTrain,
                const std::shared_ptr<const text::Tokenizer>& maybeTokenizer, std::int64_t maxLength) {
    const bool inTokens = maybeTokenizer != nullptr;
    const CorpusStatistics counted = corpusStatistics(corpus, lengthsBy(maybeTokenizer), maxLength);
    json row = fileRow(corpus, counted, maybeTrain, inTokens);
    row["pairs"] = corpus.pairs.size();  // the report's are those before the splits are held out
    row["source_lengths"] = countsByLength(counted.sources);
    row["target_lengths"] = countsByLength(counted.targets);
    row["unseen_word_rate"] = maybeTrain ? text::unseenWordRate(*maybeTrain, corpus) : 0.0;
    row["truncated_rate"] = static_cast<double>(counted.truncated) /
                            static_cast<double>(std::max<std::size_t>(corpus.pairs.size(), 1));
    if (!inTokens) row["oov_rate"] = row["truncated"] = row["truncated_rate"] = nullptr;
    row["examples"] = corpus.report.examples;
    row["preview"] = previewOf(corpus);
    return row;
}

std::string percentOr(const json& rate) {
    return rate.is_null() ? "–" : fmt::format("{:.2f}%", 100 * rate.get<double>());
}

}  // namespace

Result<json> checkCorpus(const text::ImportRequest& request, const CheckSettings& settings,
                         const std::filesystem::path& project) {
    json problems = json::array();
    if (const auto name = text::checkCorpusName(project, request.name, request.force); !name)
        problems.push_back(errorJson(name.error())["error"]);
    KURVE_TRY(const text::PlannedImport plan, text::planImport(request));
    const text::Corpus& train = plan.splits.at("train");
    auto tokenizer = text::trialTokenizer(settings.tokenizer, bothSides(train, request.kind));
    if (!tokenizer) problems.push_back(errorJson(tokenizer.error())["error"]);
    const auto maybeTokenizer = tokenizer ? *tokenizer : nullptr;
    json splits;
    for (const auto& [name, corpus] : plan.splits)
        splits[name] =
            checkSplit(corpus, name == "train" ? nullptr : &train, maybeTokenizer, settings.maxLength);
    json leaks = json::object();
    for (const auto& [name, leak] : plan.report.leaks)
        leaks[name] = {{"pairs", leak.pairs}, {"examples", leak.examples}};
    return json{{"corpus", request.name},
                {"kind", text::corpusKindName(request.kind)},
                {"check", true},
                {"counted_in", tokenizer ? "tokens" : "words"},
                {"tokenizer",
                 {{"kind", settings.tokenizer.kind},
                  {"vocabulary", tokenizer ? json((*tokenizer)->vocabularySize()) : json()}}},
                {"max_length", settings.maxLength},
                {"splits", std::move(splits)},
                {"leak", std::move(leaks)},
                {"left_out_as_leak", plan.report.removedAsLeak},
                {"same_language", request.sameLanguage},
                {"problems", std::move(problems)}};
}

std::string checkText(const json& found) {
    const std::string unit = found["counted_in"];
    std::string out =
        fmt::format("{:<7}{:>9}{:>7}{:>7}{:>7}{:>10}{:>10}{:>11}{:>9}{:>10}\n", "split", "pairs", "p50",
                    "p95", "max", "unknown", "too long", "new words", "copies", "in train");
    for (const auto& [name, row] : found["splits"].items())
        out += fmt::format("{:<7}{:>9}{:>7}{:>7}{:>7}{:>10}{:>10}{:>11}{:>9}{:>10}\n", name,
                           row["pairs"].get<std::int64_t>(), row["length"]["p50"].get<std::int64_t>(),
                           row["length"]["p95"].get<std::int64_t>(), row["length"]["max"].get<std::int64_t>(),
                           percentOr(row["oov_rate"]), percentOr(row["truncated_rate"]),
                           percentOr(row["unseen_word_rate"]), row["duplicates"].get<std::int64_t>(),
                           row["train_valid_overlap"].get<std::int64_t>());
    out += fmt::format("lengths are in {}; too long: a side above {} tokens\n", unit,
                       found["max_length"].get<std::int64_t>());
    for (const auto& [name, row] : found["splits"].items())
        for (const json& example : row["examples"]) out += "  " + example.get<std::string>() + "\n";
    if (const auto removed = found["left_out_as_leak"].get<std::int64_t>(); removed > 0)
        out += counted(removed, "pair") + " of another split would be left out of train\n";
    for (const json& problem : found["problems"])
        out += fmt::format("{}; {}\n", problem["message"].get<std::string>(),
                           problem["remedy"].get<std::string>());
    return out + "nothing was written\n";
}

}  // namespace kurve::engine
