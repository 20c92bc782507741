// The files of a run's data and their fingerprint; needs no tokenizer, so the studio can use it.
#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/text/dataset.h"
#include "core/text/detail/corpus_index.h"
#include "core/text/detail/split_files.h"

namespace kurve::text {

namespace fs = std::filesystem;

namespace {

/// The field of a parallel corpus's target side; empty if `key` names a TSV.
std::string targetKeyOf(const RunConfig& config, const std::string& key) {
    std::string targetKey = key + "_target";
    return config.has(targetKey) && !config.text(targetKey).empty() ? targetKey : "";
}

}  // namespace

bool isText(const RunConfig& config) {
    return config.text("data.kind") == "text";
}

bool isWithoutSource(const RunConfig& config) {
    return isText(config) || isDocuments(config);
}
bool isDocuments(const RunConfig& config) {
    return config.text("data.kind") == "documents";
}

bool isRunning(const RunConfig& config) {
    return isText(config) && config.text("data.format") == "running";
}

namespace detail {

bool isDistilled(const RunConfig& config) {
    return config.flag("data.distilled");
}

CorpusSource sourceOf(const RunConfig& config, const fs::path& project, const std::string& key) {
    CorpusSource files;
    files.options.sourceColumn = static_cast<int>(config.integer("data.source_column"));
    files.options.targetColumn = static_cast<int>(config.integer("data.target_column"));
    files.source = project / config.text(key);
    files.options.running = config.text("data.format") == "running";
    files.options.sentenceCap = static_cast<std::size_t>(config.integer("data.sentence_cap"));
    files.options.joined = isText(config) && config.text("data.format") == "documents";
    if (files.options.joined)
        files.kind = CorpusKind::Documents;
    else if (isText(config))
        files.kind = CorpusKind::Text;
    else if (isDocuments(config))
        files.kind = CorpusKind::Documents;
    else if (const std::string targetKey = targetKeyOf(config, key); !targetKey.empty())
        files.target = project / config.text(targetKey);
    return files;
}

std::string packingHash(const RunConfig& c, const std::string& corpus, const TokenizerHashes& tokenizers) {
    std::string all = fmt::format("packed 1\n{}\n{}\n{}\n{}\n{}\n{}", corpus, tokenizers.source,
                                  tokenizers.target, c.integer("data.source_column"),
                                  c.integer("data.target_column"), c.integer("data.max_length"));
    if (isDocuments(c))
        all += fmt::format("\ndocuments {} {} {}", c.text("data.format"), c.integer("data.sentence_cap"),
                           c.integer("data.max_sentences"));
    for (const char* key : {"data.prompt_end", "data.end_sentence"})
        if (isDocuments(c) && !c.text(key).empty()) all += fmt::format("\n{} {}", key, c.text(key));
    if (isText(c)) all += fmt::format("\ntext {} {}", c.text("data.format"), c.integer("data.block"));
    return sha256(all);
}

std::string fingerprintOf(const RunConfig& config, const std::vector<std::string>& packings) {
    std::string all = fmt::format("dataset 1\n{}\n", config.flag("data.tokenizer.joint"));
    for (const std::string& packing : packings) all += packing + "\n";
    return sha256(all);
}

}  // namespace detail

std::vector<std::string> corpusFiles(const RunConfig& config) {
    std::vector<std::string> files;
    for (const std::string key : {"data.train", "data.valid", "data.test", "data.prompts"}) {
        if (config.text(key).empty()) continue;
        files.push_back(config.text(key));
        if (const std::string targetKey = targetKeyOf(config, key); !targetKey.empty())
            files.push_back(config.text(targetKey));
    }
    if (detail::isDistilled(config) && !config.text("data.distilled_train").empty())
        files.push_back(config.text("data.distilled_train"));
    return files;
}

namespace {

/// Of the split that `key` names, for training the teacher's where there is one.
Result<std::string> packingAt(const std::string& key, const RunConfig& config, const fs::path& project,
                              const TokenizerHashes& tokenizers) {
    const bool distilled = key == "data.train" && detail::isDistilled(config);
    auto corpus = detail::corpusHash(distilled ? CorpusSource{project / config.text("data.distilled_train")}
                                               : detail::sourceOf(config, project, key));
    if (!corpus) return std::move(corpus.error()).at(key);
    return detail::packingHash(config, *corpus, tokenizers);
}

}  // namespace

Result<std::string> dataFingerprint(const RunConfig& config, const fs::path& project,
                                    const TokenizerHashes& tokenizers) {
    std::vector<std::string> packings;
    for (const std::string key : {"data.train", "data.valid", "data.test"}) {
        if (key == "data.test" && config.text(key).empty()) continue;
        KURVE_TRY(std::string packing, packingAt(key, config, project, tokenizers));
        packings.push_back(std::move(packing));
    }
    return detail::fingerprintOf(config, packings);
}

}  // namespace kurve::text
