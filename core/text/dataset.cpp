#include "core/text/dataset.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/counted.h"
#include "core/text/detail/preparation.h"
#include "core/text/detail/split_files.h"
#include "core/text/distilled.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;
using detail::Index;
using detail::Preparation;

void warn(Dataset& data, const std::string& name, const Split& split) {
    const auto add = [&](std::int64_t count, const char* noun, const char* which) {
        if (count > 0)
            data.warnings.push_back(fmt::format("{}: left out {} {}", name, counted(count, noun), which));
    };
    const char* const line = data.documents ? "document" : "line";
    add(split.leftOut, detail::exampleOf(data),
        data.documents ? "with a sentence above data.max_length" : "longer than data.max_length");
    add(split.withoutAnswer, "document", "without an answer behind data.prompt_end");
    add(split.leftOver, "token", "behind the last whole block");
    add(split.report.emptySides, line,
        data.documents ? "without a letter"
        : data.texts   ? "without a text"
                       : "with an empty side");
    add(split.report.tooLong, line, "above the byte limit");
}

Result<Split> trainingSplit(Preparation& work, const Index& original, std::string& sha256) {
    const RunConfig& config = work.config;
    sha256 = original->sha256();
    if (!detail::isDistilled(config)) return detail::packSplit(work, original, "train");
    if (work.dataset.texts)
        return requestError("data.no_source", "a text has no source that a teacher could rewrite")
            .at("data.distilled")
            .fix("set data.distilled to false, or data.kind to \"pairs\"");
    if (config.text("data.distilled_train").empty())
        return requestError("data.distilled_missing",
                            "data.distilled is on, but no distilled corpus is named")
            .at("data.distilled_train")
            .fix("make one with kurve distil and name it here");
    const fs::path file = work.path("data.distilled_train");
    auto corpus =
        detail::CorpusIndex::open(DistilledTargets::source(file), work.cache(), work.dataset.warnings);
    if (!corpus) return distilledError(file, std::move(corpus.error()));
    sha256 = (*corpus)->sha256();
    work.dataset.corpora[file] = sha256;
    return detail::packDistilled(work, *corpus);
}

void warnOfLeak(Preparation& work, const std::string& name, const Leak& leak) {
    if (leak.pairs == 0) return;
    work.dataset.warnings.push_back(fmt::format("{}: {} {} the training split, for example “{}”", name,
                                                counted(leak.pairs, detail::exampleOf(work.dataset)),
                                                work.dataset.texts ? "also in" : "with a sentence of",
                                                leak.examples.front()));
}

/// Those of pairs are short enough to be of a split.
Status readPrompts(Preparation& work, const detail::CorpusIndex& corpus) {
    Dataset& data = work.dataset;
    std::vector<std::uint32_t> all(corpus.size());
    std::iota(all.begin(), all.end(), 0);
    KURVE_TRY(data.prompts, corpus.read(all));
    if (data.texts) return {};
    Split counted;
    counted.report = corpus.report();
    counted.leftOut = static_cast<std::int64_t>(std::erase_if(data.prompts, [&](const Pair& pair) {
        return detail::isTooLong(work, detail::withEnds(*data.source, pair.source)) ||
               detail::isTooLong(work, detail::withEnds(*data.target, pair.target));
    }));
    warn(data, "prompts", counted);
    if (data.prompts.empty()) return detail::nothingFits(work, corpus.size(), "prompts");
    return {};
}

Result<Dataset> prepared(Preparation work) {
    const RunConfig& config = work.config;
    Dataset& data = work.dataset;
    work.report(0, "reading the corpora");
    KURVE_TRY(const Index train, detail::openCorpus(work, "data.train"));
    KURVE_TRY(static_cast<Tokenizers&>(data), detail::openTokenizers(work, *train));
    data.documents = isDocuments(config);
    data.texts = isText(config) || data.documents;
    if (data.texts && !isRunning(config)) data.promptEnd = config.text("data.prompt_end");
    data.sameLanguage = !data.texts && config.flag("data.same_language");
    std::string trainHash;
    KURVE_TRY(data.train, trainingSplit(work, train, trainHash));
    warn(data, "train", data.train);
    std::vector<std::string> packings{trainHash};
    for (const auto& [name, split] :
         {std::pair<std::string, Split*>{"valid", &data.valid}, {"test", &data.test}, {"prompts", nullptr}}) {
        if (name != "valid" && config.text("data." + name).empty()) continue;
        KURVE_TRY(const Index corpus, detail::openCorpus(work, "data." + name));
        if (split == nullptr) {
            KURVE_CHECKED(readPrompts(work, *corpus));
            if (data.texts) continue;  // beginnings may well stand in the training split
        } else {
            KURVE_TRY(*split, detail::packSplit(work, corpus, name));
            warn(data, name, *split);
            packings.push_back(corpus->sha256());
        }
        KURVE_TRY(const Leak leak, train->leakInto(*corpus));
        warnOfLeak(work, name, leak);
    }
    for (std::string& packing : packings)
        packing = detail::packingHash(config, packing, {data.source->hash(), data.target->hash()});
    data.trainSha256 = packings.front();
    data.sha256 = detail::fingerprintOf(config, packings);
    work.report(1, "data ready");
    return std::move(data);
}

}  // namespace

Result<Index> detail::openCorpus(Preparation& work, const std::string& key) {
    if (work.config.text(key).empty())
        return requestError("data.none", "the run names no corpus").at(key).fix("set " + key + " to a file");
    auto corpus =
        CorpusIndex::open(sourceOf(work.config, work.project, key), work.cache(), work.dataset.warnings);
    if (!corpus && corpus.error().field.empty()) corpus.error().field = key;
    if (corpus) work.dataset.corpora.insert((*corpus)->hashes().begin(), (*corpus)->hashes().end());
    return corpus;
}

Result<Tokenizers> openTokenizers(const RunConfig& config, const fs::path& project) {
    const Progress silent;
    Preparation work{config, project, silent};
    KURVE_TRY(const Index train, detail::openCorpus(work, "data.train"));
    return detail::openTokenizers(work, *train);
}

Result<Dataset> prepareDataset(const RunConfig& config, const fs::path& project, const Progress& progress) {
    return prepared({config, project, progress});
}

Result<Dataset> preparedDataset(const RunConfig& config, const fs::path& project) {
    const Progress silent;
    return prepared({config, project, silent, /*makesFiles=*/false});
}

}  // namespace kurve::text
