// The tokenizers of a data set: those that are there, or new ones.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "core/base/file.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/text/detail/preparation.h"
#include "core/text/detail/tokenizer_folder.h"

namespace kurve::text::detail {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool isMadeFrom(const json& about, const std::string& training) {
    const json origins = about.is_object() ? about.value("made_from", json()) : json();
    return std::find(origins.begin(), origins.end(), training) != origins.end();
}

/// The folder below data/tokenizers whose tokenizer was made from the same text and settings.
std::optional<fs::path> findTokenizer(const fs::path& tokenizers, const std::string& madeFrom) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(tokenizers, problem)) {
        if (entry.path().filename().string().starts_with("."))
            continue;  // another process is still making it
        const auto text = readFile(entry.path() / kAbout);
        if (!text) continue;
        if (isMadeFrom(json::parse(*text, nullptr, false), madeFrom)) return entry.path();
    }
    return std::nullopt;
}

Status addOrigin(const fs::path& file, const std::string& training) {
    const auto text = readFile(file);
    json about = json::parse(text ? *text : "", nullptr, false);
    if (!about.is_object() || isMadeFrom(about, training)) return {};  // loadTokenizer() says what is wrong
    json& origins = about["made_from"];
    if (!origins.is_array()) origins = json::array({origins});
    origins.push_back(training);
    return writeFileAtomically(file, about.dump(2) + "\n");
}

Result<fs::path> trainInto(const fs::path& tokenizers, const TokenizerSpec& spec,
                           const std::vector<std::string>& lines) {
    std::error_code problem;
    const fs::path fresh = tokenizers / (".new" + std::to_string(::getpid()));
    fs::remove_all(fresh, problem);
    KURVE_CHECKED(trainTokenizer(spec, lines, fresh));
    KURVE_TRY(const auto tokenizer, loadTokenizer(fresh));
    fs::path final = tokenizers / tokenizer->hash().substr(0, 12);
    fs::rename(fresh, final, problem);
    if (problem) {  // the same one is there, of other settings or made by another process meanwhile
        fs::remove_all(fresh, problem);
        KURVE_CHECKED(addOrigin(final / kAbout, trainingHash(spec, lines)));
    }
    return final;
}

TokenizerSpec tokenizerSpec(const RunConfig& config) {
    TokenizerSpec spec;
    spec.kind = config.text("data.tokenizer.kind");
    spec.vocabularySize = static_cast<std::int32_t>(config.integer("data.tokenizer.vocabulary"));
    spec.lowerCase = config.flag("data.tokenizer.lower_case");
    spec.characterCoverage = config.real("data.tokenizer.coverage");
    return spec;
}

struct Opened {
    fs::path folder;
    std::shared_ptr<const Tokenizer> tokenizer;
};

Result<Opened> openTokenizer(const Preparation& work, const std::vector<std::string>& lines,
                             const std::string& what) {
    const TokenizerSpec spec = tokenizerSpec(work.config);
    const fs::path tokenizers = work.project / "data" / "tokenizers";
    auto folder = findTokenizer(tokenizers, trainingHash(spec, lines));
    if (!folder && !work.makesFiles)
        return requestError("data.not_prepared", "the " + what + " has not been trained yet")
            .in(work.path("data.train").string())
            .fix("start a training or a dry run: it prepares the data");
    if (!folder) {
        work.report(0.1, "training the " + what);
        auto made = trainInto(tokenizers, spec, lines);
        if (!made && made.error().field == "data.train")
            return std::move(made.error()).in(work.path("data.train").string());
        KURVE_TRY(folder, std::move(made));
        ::malloc_trim(0);  // the trainer took some ten times the text, which glibc would keep
    }
    KURVE_TRY(auto tokenizer, loadTokenizer(*folder));
    return Opened{std::move(*folder), std::move(tokenizer)};
}

/// Sides of the training split; of a large one every n-th example, so that data.tokenizer.sample is kept.
struct TrainingLines {
    std::vector<std::string> sources, targets;
};

Result<TrainingLines> trainingLines(const Preparation& work, const CorpusIndex& train) {
    const auto limit = static_cast<std::uint64_t>(work.config.integer("data.tokenizer.sample")) * 1'000'000;
    const auto stride = static_cast<std::size_t>(1 + (train.bytes() - 1) / limit);
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < train.size(); i += stride) chosen.push_back(static_cast<std::uint32_t>(i));
    KURVE_TRY(std::vector<Pair> pairs, train.read(chosen));
    TrainingLines lines;
    for (Pair& pair : pairs) {
        if (isDocuments(work.config)) {
            std::ranges::move(split(pair.target, '\n'), std::back_inserter(lines.targets));
            continue;
        }
        if (!isText(work.config)) lines.sources.push_back(std::move(pair.source));
        lines.targets.push_back(std::move(pair.target));
    }
    return lines;
}

/// data.tokenizer.kind = published:NAME.
Result<Tokenizers> publishedTokenizers(const Preparation& work, const std::string& name) {
    const fs::path folder = work.project / "data" / "tokenizers" / name;
    if (!isFileName(name) || !isTokenizerFolder(folder))
        return requestError("tokenizer.missing", "there is no tokenizer \"" + name + "\" in data/tokenizers")
            .at("data.tokenizer.kind")
            .fix("kurve data tokenizer import PATH --name NAME makes one");
    KURVE_TRY(const auto tokenizer, loadTokenizer(folder));
    return Tokenizers{tokenizer, tokenizer, folder, folder};
}

}  // namespace

Result<Tokenizers> openTokenizers(const Preparation& work, const CorpusIndex& train) {
    const std::string& kind = work.config.text("data.tokenizer.kind");
    if (kind.starts_with(kPublishedPrefix))
        return publishedTokenizers(work, kind.substr(std::string_view(kPublishedPrefix).size()));
    KURVE_TRY(TrainingLines lines, trainingLines(work, train));
    if (lines.sources.empty() || work.config.flag("data.tokenizer.joint")) {
        std::move(lines.targets.begin(), lines.targets.end(), std::back_inserter(lines.sources));
        KURVE_TRY(const Opened both, openTokenizer(work, lines.sources, "tokenizer"));
        return Tokenizers{both.tokenizer, both.tokenizer, both.folder, both.folder};
    }
    KURVE_TRY(const Opened source, openTokenizer(work, lines.sources, "source tokenizer"));
    KURVE_TRY(const Opened target, openTokenizer(work, lines.targets, "target tokenizer"));
    return Tokenizers{source.tokenizer, target.tokenizer, source.folder, target.folder};
}

}  // namespace kurve::text::detail
