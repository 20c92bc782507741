#include "core/text/dataset.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/text/detail/dataset_cache.h"
#include "core/text/detail/split_files.h"
#include "core/text/distilled.h"
#include "core/text/statistics.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;

struct Preparation {
    const RunConfig& config;
    const fs::path& project;
    const Progress& progress;
    bool makesFiles = true;
    Dataset dataset = {};

    void report(double fraction, const std::string& what) const {
        if (progress) progress(fraction, what);
    }
    [[nodiscard]] fs::path path(const std::string& key) const { return project / config.text(key); }
};

Result<Corpus> readSplit(const Preparation& work, const std::string& key) {
    return detail::readSplit(work.config, work.project, key);
}

/// The folder below data/tokenizers whose tokenizer was made from the same text and settings.
std::optional<fs::path> findTokenizer(const fs::path& tokenizers, const std::string& madeFrom) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(tokenizers, problem)) {
        if (entry.path().filename().string().starts_with("."))
            continue;  // another process is still making it
        const auto text = readFile(entry.path() / "tokenizer.json");
        if (!text) continue;
        const auto about = nlohmann::json::parse(*text, nullptr, false);
        if (about.is_object() && about.value("made_from", nlohmann::json()) == madeFrom) return entry.path();
    }
    return std::nullopt;
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
    if (problem) fs::remove_all(fresh, problem);  // another process made the same one meanwhile
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
    }
    KURVE_TRY(auto tokenizer, loadTokenizer(*folder));
    return Opened{std::move(*folder), std::move(tokenizer)};
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

Result<Tokenizers> openTokenizers(const Preparation& work, const Corpus& train) {
    const std::string& kind = work.config.text("data.tokenizer.kind");
    if (kind.starts_with(kPublishedPrefix))
        return publishedTokenizers(work, kind.substr(std::string_view(kPublishedPrefix).size()));
    std::vector<std::string> sources, targets;
    for (const Pair& pair : train.pairs) {
        if (!isText(work.config)) sources.push_back(pair.source);
        targets.push_back(pair.target);
    }
    if (isText(work.config) || work.config.flag("data.tokenizer.joint")) {
        sources.insert(sources.end(), targets.begin(), targets.end());
        KURVE_TRY(const Opened both, openTokenizer(work, sources, "tokenizer"));
        return Tokenizers{both.tokenizer, both.tokenizer, both.folder, both.folder};
    }
    KURVE_TRY(const Opened source, openTokenizer(work, sources, "source tokenizer"));
    KURVE_TRY(const Opened target, openTokenizer(work, targets, "target tokenizer"));
    return Tokenizers{source.tokenizer, target.tokenizer, source.folder, target.folder};
}

std::vector<std::int32_t> withEnds(const Tokenizer& tokenizer, const std::string& text) {
    std::vector<std::int32_t> ids = {tokenizer.special().bos};
    const auto inner = tokenizer.encode(text);
    ids.insert(ids.end(), inner.begin(), inner.end());
    ids.push_back(tokenizer.special().eos);
    return ids;
}

/// A corpus and, if it is distilled, its targets as the teacher's tokens.
struct SplitText {
    Corpus corpus;
    std::vector<std::vector<std::int32_t>> targets = {};
};

std::vector<std::int32_t> targetIds(const Preparation& work, const SplitText& split, std::size_t i) {
    if (split.targets.empty()) return withEnds(*work.dataset.target, split.corpus.pairs[i].target);
    std::vector<std::int32_t> ids = split.targets[i];
    ids.insert(ids.begin(), work.dataset.target->special().bos);
    ids.push_back(work.dataset.target->special().eos);
    return ids;
}

void reportPacking(const Preparation& work, std::size_t i, std::size_t count, const std::string& name) {
    if (i % 1024 == 0)
        work.report(0.3 + 0.7 * static_cast<double>(i) / static_cast<double>(count), "tokenising " + name);
}

detail::PackedSplit pack(const Preparation& work, const SplitText& split, const std::string& name) {
    const Corpus& corpus = split.corpus;
    const auto longest = static_cast<std::size_t>(work.config.integer("data.max_length"));
    detail::PackedSplit out;
    out.offset.push_back(0);
    for (std::size_t i = 0; i < corpus.pairs.size(); ++i) {
        reportPacking(work, i, corpus.pairs.size(), name);
        const auto source = work.dataset.texts ? std::vector<std::int32_t>()
                                               : withEnds(*work.dataset.source, corpus.pairs[i].source);
        const auto target = targetIds(work, split, i);
        if (source.size() > longest || target.size() > longest) continue;
        for (const auto* side : {&source, &target}) {
            out.ids.insert(out.ids.end(), side->begin(), side->end());
            out.offset.push_back(out.ids.size());
        }
        out.pairs.push_back(static_cast<std::uint32_t>(i));
    }
    return out;
}

/// Running text in blocks: BOS, tokens with EOS behind every line, EOS. `pairs`: the line in which a block
/// begins. Source: MDLM's code, dataloader.py, _group_texts.
detail::PackedSplit packBlocks(const Preparation& work, const Corpus& corpus, const std::string& name) {
    const auto block = static_cast<std::size_t>(work.config.integer("data.block"));
    detail::PackedSplit out;
    out.offset.push_back(0);
    std::size_t first = 0;  // line of the block that is being filled
    const SpecialIds& special = work.dataset.target->special();
    std::vector<std::int32_t> ids{special.bos};
    const auto add = [&](std::int32_t id, std::size_t line) {
        if (ids.size() == 1) first = line;
        ids.push_back(id);
        if (ids.size() + 1 < block) return;
        ids.push_back(special.eos);
        out.offset.push_back(out.ids.size());  // no source
        out.ids.insert(out.ids.end(), ids.begin(), ids.end());
        out.offset.push_back(out.ids.size());
        out.pairs.push_back(static_cast<std::uint32_t>(first));
        ids.assign({special.bos});
    };
    for (std::size_t i = 0; i < corpus.pairs.size(); ++i) {
        reportPacking(work, i, corpus.pairs.size(), name);
        for (const std::int32_t id : work.dataset.target->encode(corpus.pairs[i].target)) add(id, i);
        add(special.eos, i);
    }
    out.leftOver = ids.size() - 1;
    return out;
}

std::string packingHash(const Preparation& work, const Corpus& corpus) {
    return detail::packingHash(work.config, corpus,
                               {work.dataset.source->hash(), work.dataset.target->hash()});
}

bool fits(const detail::PackedSplit& packed, const Corpus& corpus) {
    const auto inRange = [&](std::uint32_t pair) { return pair < corpus.pairs.size(); };
    return packed.offset.size() == 2 * packed.pairs.size() + 1 && packed.offset.back() == packed.ids.size() &&
           std::is_sorted(packed.offset.begin(), packed.offset.end()) &&
           std::all_of(packed.pairs.begin(), packed.pairs.end(), inRange);
}

void savePacked(Preparation& work, const fs::path& file, const detail::PackedSplit& packed) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    if (auto written = detail::writePacked(file, packed); !written)  // costs time at the next start
        work.dataset.warnings.push_back(written.error().text());
}

Split makeSplit(Preparation& work, const SplitText& text, const std::string& name) {
    const Corpus& corpus = text.corpus;
    const fs::path file =
        work.project / "data" / "cache" / (packingHash(work, corpus).substr(0, 16) + ".packed");
    auto packed = detail::readPacked(file);
    if (!packed || !fits(*packed, corpus)) {
        packed = isRunning(work.config) ? packBlocks(work, corpus, name) : pack(work, text, name);
        if (work.makesFiles) savePacked(work, file, *packed);
    }
    Split split;
    split.ids = std::move(packed->ids);
    split.offset = std::move(packed->offset);
    split.report = corpus.report;
    split.special = work.dataset.target->special();
    if (isRunning(work.config)) {
        split.leftOver = static_cast<std::int64_t>(packed->leftOver);
        for (std::size_t i = 0; i < split.size(); ++i)
            split.texts.push_back({"", work.dataset.target->decode(split.target(i))});
        return split;
    }
    for (const std::uint32_t pair : packed->pairs) split.texts.push_back(corpus.pairs[pair]);
    split.leftOut = static_cast<std::int64_t>(corpus.pairs.size() - packed->pairs.size());
    return split;
}

void warn(Dataset& data, const std::string& name, const Split& split) {
    const auto add = [&](std::int64_t count, const std::string& what) {
        if (count > 0) data.warnings.push_back(fmt::format("{}: {} {}", name, count, what));
    };
    add(split.leftOut, data.texts ? "texts are longer than data.max_length and left out"
                                  : "pairs are longer than data.max_length and left out");
    add(split.leftOver, "tokens behind the last whole block are left out");
    add(split.report.emptySides,
        data.texts ? "empty lines are left out" : "lines with an empty side are left out");
    add(split.report.tooLong, "lines above the byte limit are left out");
}

Status addSplit(Preparation& work, const std::string& name, const SplitText& text, Split& split) {
    split = makeSplit(work, text, name);
    warn(work.dataset, name, split);
    if (split.size() > 0) return {};
    if (isRunning(work.config))
        return requestError("data.empty", fmt::format("its {} tokens do not fill a block of {}",
                                                      split.leftOver, work.config.integer("data.block")))
            .in(work.path("data." + name).string())
            .at("data.block")
            .fix("lower data.block or give it more text");
    return requestError("data.empty",
                        fmt::format("all {} {} are longer than data.max_length", text.corpus.pairs.size(),
                                    work.dataset.texts ? "texts" : "pairs"))
        .in(work.path("data." + name).string())
        .at("data.max_length")
        .fix("raise data.max_length");
}

Result<SplitText> trainingText(const Preparation& work, const Corpus& original) {
    if (!detail::isDistilled(work.config)) return SplitText{original};
    if (work.dataset.texts)
        return requestError("data.no_source", "a text has no source that a teacher could rewrite")
            .at("data.distilled")
            .fix("set data.distilled to false, or data.kind to \"pairs\"");
    if (work.config.text("data.distilled_train").empty())
        return requestError("data.distilled_missing",
                            "data.distilled is on, but no distilled corpus is named")
            .at("data.distilled_train")
            .fix("make one with kurve distil and name it here");
    auto distilled = readDistilled(work.path("data.distilled_train"), *work.dataset.target);
    if (!distilled) {
        if (distilled.error().field.empty()) distilled.error().field = "data.distilled_train";
        return distilled.error();
    }
    return SplitText{std::move(distilled->corpus), std::move(distilled->ids)};
}

}  // namespace

Result<Tokenizers> openTokenizers(const RunConfig& config, const fs::path& project) {
    const Progress silent;
    const Preparation work{config, project, silent};
    KURVE_TRY(const Corpus train, readSplit(work, "data.train"));
    return openTokenizers(work, train);
}

namespace {

Result<Dataset> prepared(Preparation work) {
    const RunConfig& config = work.config;
    work.report(0, "reading the corpora");
    KURVE_TRY(const Corpus train, readSplit(work, "data.train"));
    KURVE_TRY(Tokenizers tokenizers, openTokenizers(work, train));
    work.dataset.source = std::move(tokenizers.source);
    work.dataset.target = std::move(tokenizers.target);
    work.dataset.sourceFolder = std::move(tokenizers.sourceFolder);
    work.dataset.targetFolder = std::move(tokenizers.targetFolder);
    work.dataset.texts = isText(config);
    work.dataset.sameLanguage = !work.dataset.texts && config.flag("data.same_language");
    KURVE_TRY(const SplitText training, trainingText(work, train));
    KURVE_CHECKED(addSplit(work, "train", training, work.dataset.train));
    std::vector<std::string> packings = {packingHash(work, training.corpus)};
    const std::vector<std::pair<std::string, Split*>> others = {
        {"valid", &work.dataset.valid}, {"test", &work.dataset.test}, {"prompts", &work.dataset.prompts}};
    for (const auto& [name, split] : others) {
        if (name != "valid" && config.text("data." + name).empty()) continue;
        KURVE_TRY(Corpus corpus, readSplit(work, "data." + name));
        if (name == "prompts" && work.dataset.texts) {
            split->texts = std::move(corpus.pairs);  // prefixes and texts with blanks: no examples
            continue;
        }
        const SplitText text{std::move(corpus)};
        KURVE_CHECKED(addSplit(work, name, text, *split));
        if (name != "prompts") packings.push_back(packingHash(work, text.corpus));
        if (const Leak leak = findLeak(train, text.corpus); leak.pairs > 0)
            work.dataset.warnings.push_back(
                fmt::format("{}: {} {} share a sentence with the training split, for example “{}”", name,
                            leak.pairs, work.dataset.texts ? "texts" : "pairs", leak.examples.front()));
    }
    work.dataset.sha256 = detail::fingerprintOf(config, packings);
    work.report(1, "data ready");
    return std::move(work.dataset);
}

}  // namespace

Result<Dataset> prepareDataset(const RunConfig& config, const fs::path& project, const Progress& progress) {
    return prepared({config, project, progress});
}

Result<Dataset> preparedDataset(const RunConfig& config, const fs::path& project) {
    const Progress silent;
    return prepared({config, project, silent, /*makesFiles=*/false});
}

}  // namespace kurve::text
