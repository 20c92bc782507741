#include "core/text/distilled.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTokenizerNotice = "# distilled; tokenizer ";
constexpr const char* kField = "data.distilled_train";
constexpr int kTokensColumn = 3;

bool passes(const DistilledPair& pair, const DistilFilter& filter, DistilReport& report) {
    const auto source = pair.sourceTokens, target = static_cast<std::int64_t>(pair.target.size());
    const auto shorter = static_cast<double>(std::min(source, target)),
               longer = static_cast<double>(std::max(source, target));
    if (std::min(source, target) < 1)
        ++report.empty;
    else if (std::max(source, target) > filter.longest)
        ++report.tooLong;
    else if (longer > filter.ratio * shorter)
        ++report.unlikeLengths;
    else
        return true;
    return false;
}

std::string tokensOf(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
    std::vector<std::string> tokens;
    for (const std::int32_t id : ids) tokens.push_back(tokenizer.token(id));
    return join(tokens, " ");
}

struct Files {
    std::string tsv, jsonl;
};

Files render(const DistilledCorpus& corpus, const Tokenizer& tokenizer, const DistilFilter& filter,
             DistilReport& report) {
    Files out;
    for (const auto& notice : corpus.notices) out.tsv += notice + "\n";
    out.tsv += kTokenizerNotice + tokenizer.hash() + "\n";
    for (std::size_t i = 0; i < corpus.pairs.size(); ++i) {
        const DistilledPair& pair = corpus.pairs[i];
        if (!passes(pair, filter, report)) continue;
        const std::string text = tokenizer.decode(pair.target);
        if (trim(text).empty()) {  // only tokens without a text
            ++report.empty;
            continue;
        }
        ++report.pairs;
        report.copied += text == pair.source ? 1 : 0;
        report.original += text == corpus.references[i] ? 1 : 0;
        out.tsv += pair.source + "\t" + text + "\t" + tokensOf(pair.target, tokenizer) + "\n";
        out.jsonl += json({{"src", pair.source}, {"trg", text}}).dump() + "\n";
    }
    return out;
}

json describe(const DistilReport& report, const json& origin, const std::string& sha) {
    json about = origin;
    about["copied"] = report.copied;
    about["original"] = report.original;
    about["left_out"] = {
        {"empty", report.empty}, {"too_long", report.tooLong}, {"unlike_lengths", report.unlikeLengths}};
    return {{"name", report.name},
            {"distilled", about},
            {"splits", {{"train", {{"file", report.file}, {"sha256", sha}, {"pairs", report.pairs}}}}}};
}

Error wrongFile(const fs::path& file, const char* code, std::string what) {
    return requestError(code, std::move(what))
        .in(file.string())
        .at(kField)
        .fix("name a corpus that kurve distil made for this data");
}

}  // namespace

Result<DistilReport> writeDistilled(const fs::path& project, const DistilledCorpus& corpus,
                                    const Tokenizer& tokenizer, const DistilFilter& filter) {
    DistilReport report;
    report.name = corpus.name;
    report.file = fmt::format("data/{}.train.tsv", corpus.name);
    const Files files = render(corpus, tokenizer, filter, report);
    if (report.pairs == 0)
        return workError("data.empty", fmt::format("none of the {} pairs is left", corpus.pairs.size()))
            .fix(
                "check the teacher with kurve sample: its outputs are empty, or far from the sources' "
                "lengths");
    const fs::path folder = project / "data";
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    KURVE_CHECKED(writeFileAtomically(project / report.file, files.tsv));
    KURVE_CHECKED(writeFileAtomically(folder / (corpus.name + ".train.jsonl"), files.jsonl));
    KURVE_CHECKED(writeFileAtomically(folder / (corpus.name + ".corpus.json"),
                                      describe(report, corpus.origin, sha256(files.tsv)).dump(2) + "\n"));
    return report;
}

CorpusSource DistilledTargets::source(const fs::path& file) {
    CorpusSource files{file};
    files.options.targetColumn = kTokensColumn;
    return files;
}

Error distilledError(const fs::path& file, Error error) {
    if (error.code == "data.missing_column")
        return wrongFile(file, "data.distilled_file", "is not a distilled corpus");
    if (error.field.empty()) error.field = kField;
    return error;
}

Result<DistilledTargets> DistilledTargets::open(const fs::path& file, const std::vector<std::string>& notices,
                                                const Tokenizer& tokenizer) {
    const auto notice = std::find_if(notices.begin(), notices.end(), [](const std::string& line) {
        return line.starts_with(kTokenizerNotice);
    });
    if (notice == notices.end()) return wrongFile(file, "data.distilled_file", "is not a distilled corpus");
    if (*notice != kTokenizerNotice + tokenizer.hash())
        return wrongFile(file, "data.distilled_tokenizer",
                         "was made with another tokenizer than that of data.train and data.tokenizer.*");
    DistilledTargets out;
    out.file_ = file;
    for (std::int32_t id = 0; id < tokenizer.vocabularySize(); ++id)
        out.ids_.emplace(tokenizer.token(id), id);
    return out;
}

Result<std::vector<std::int32_t>> DistilledTargets::ids(const Pair& example) const {
    std::vector<std::int32_t> ids;
    for (const auto& token : splitWords(example.target)) {
        const auto at = ids_.find(token);
        if (at == ids_.end())
            return wrongFile(
                file_, "data.distilled_token",
                fmt::format("“{}” in the tokens of “{}” is unknown to the tokenizer", token, example.source));
        ids.push_back(at->second);
    }
    return ids;
}

}  // namespace kurve::text
