#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/corpus.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

/// Sequence-level knowledge distillation (Kim and Rush 2016): a corpus whose targets are what a
/// teacher wrote for the training sources. A TSV of source, the target's text and the target's tokens as the
/// teacher chose them, separated by spaces; training uses the tokens. Its first line "# …" names the
/// tokenizer.
struct DistilledPair {
    std::string source;
    std::int64_t sourceTokens = 0;     ///< without <s> and </s>
    std::vector<std::int32_t> target;  ///< tokens, without <s> and </s>
};

/// Pairs that are left out.
struct DistilFilter {
    std::int64_t longest = 250;  ///< tokens of a side
    double ratio = 3;            ///< of the longer side to the shorter
};

struct DistilReport {
    std::string name, file;     ///< data/<name>.train.tsv, relative to the project
    std::int64_t pairs = 0;     ///< kept
    std::int64_t copied = 0;    ///< of them: the target's text is the source
    std::int64_t original = 0;  ///< of them: the target's text is the reference
    std::int64_t empty = 0, tooLong = 0, unlikeLengths = 0;  ///< left out
};

struct DistilledCorpus {
    std::string name;
    nlohmann::json origin;  ///< run, checkpoint, sampler, …: kept in <name>.corpus.json under "distilled"
    std::span<const DistilledPair> pairs;     ///< in the order of the training corpus
    std::span<const std::string> references;  ///< the training corpus's own targets
    std::vector<std::string> notices = {};    ///< source and licence lines to keep
};
/// Writes <project>/data/<name>.train.tsv, the same as <name>.train.jsonl ({"src","trg"}) and
/// <name>.corpus.json. Errors: io.write, data.empty (nothing is left).
Result<DistilReport> writeDistilled(const std::filesystem::path& project, const DistilledCorpus& corpus,
                                    const Tokenizer& tokenizer, const DistilFilter& filter);

/// The targets of such a file as ids without <s> and </s>.
class DistilledTargets {
public:
    /// How CorpusReader reads the file: an example's target is its tokens.
    [[nodiscard]] static CorpusSource source(const std::filesystem::path& file);
    /// `notices`: the file's. Errors: data.distilled_tokenizer (made with another tokenizer),
    /// data.distilled_file (no distilled corpus).
    static Result<DistilledTargets> open(const std::filesystem::path& file,
                                         const std::vector<std::string>& notices, const Tokenizer& tokenizer);
    /// Errors: data.distilled_token.
    [[nodiscard]] Result<std::vector<std::int32_t>> ids(const Pair& example) const;

private:
    std::filesystem::path file_;
    std::unordered_map<std::string, std::int32_t> ids_;
};
/// What reading the file says, in its own words.
[[nodiscard]] Error distilledError(const std::filesystem::path& file, Error error);

}  // namespace kurve::text
