#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/text/dataset.h"
#include "core/text/detail/corpus_index.h"

namespace kurve::text::detail {

using Index = std::shared_ptr<const CorpusIndex>;

/// A data set that is being prepared.
struct Preparation {
    const RunConfig& config;
    const std::filesystem::path& project;
    const Progress& progress;
    bool makesFiles = true;
    Dataset dataset = {};

    void report(double fraction, const std::string& what) const {
        if (progress) progress(fraction, what);
    }
    [[nodiscard]] std::filesystem::path path(const std::string& key) const {
        return project / config.text(key);
    }
    [[nodiscard]] CacheFolder::Place cache() const { return {project / "data" / "cache", makesFiles}; }
};

/// The corpus of a split ("data.train"). Errors: those of reading, at the key.
Result<Index> openCorpus(Preparation& work, const std::string& key);

/// Loaded, or trained on a sample of the training split.
Result<Tokenizers> openTokenizers(const Preparation& work, const CorpusIndex& train);

/// The split NAME of a corpus, packed. Errors: data.empty (nothing is short enough), those of reading.
Result<Split> packSplit(Preparation& work, const Index& corpus, const std::string& name);
/// The training split whose targets a teacher wrote (data.distilled_train).
Result<Split> packDistilled(Preparation& work, const Index& corpus);

/// Longer than data.max_length, which nothing of the split may be.
[[nodiscard]] bool isTooLong(const Preparation& work, const std::vector<std::int32_t>& ids);
/// BOS, the text's tokens, EOS.
[[nodiscard]] std::vector<std::int32_t> withEnds(const Tokenizer& tokenizer, const std::string& text);
/// "pair", "text" or "document".
[[nodiscard]] const char* exampleOf(const Dataset& data);
/// data.empty: all of it is longer.
[[nodiscard]] Error nothingFits(const Preparation& work, std::size_t examples, const std::string& name);

}  // namespace kurve::text::detail
