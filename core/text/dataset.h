#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/text/split.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

/// Those of a model's texts.
struct Tokenizers {
    std::shared_ptr<const Tokenizer> source, target;   ///< the same object for a joint tokenizer
    std::filesystem::path sourceFolder, targetFolder;  ///< where they lie
    [[nodiscard]] bool joint() const { return source == target; }
};

/// An experiment's prepared data: the "data.*" fields turned into tokenizers and packed splits.
struct Dataset : Tokenizers {
    Split train, valid, test;  ///< test is empty where data.test is
    /// data.prompts: the fixed prompts, of texts prefixes and texts with blanks (as targets); empty where the
    /// field is.
    std::vector<Pair> prompts;
    std::vector<std::string> warnings;  ///< leaks between splits, pairs left out: for the log and the events
    bool texts = false;                 ///< there are no sources: data.kind text, or documents
    bool documents = false;             ///< data.kind documents
    std::string promptEnd;              ///< data.prompt_end
    std::string sha256;       ///< of corpora, tokenizer and settings: the fingerprint stored with the run
    std::string trainSha256;  ///< what the training split's batches depend on beside their size and the seed
    std::map<std::filesystem::path, std::string> corpora;  ///< SHA-256 of each file that was read
    bool sameLanguage = false;  ///< data.same_language: eval reports the score of copying the source
};

/// data.kind text: examples are texts without a source.
[[nodiscard]] bool isText(const RunConfig& config);
/// data.kind documents: examples are documents in sentences.
[[nodiscard]] bool isDocuments(const RunConfig& config);
/// Texts or documents: nothing is given that they answer.
[[nodiscard]] bool isWithoutSource(const RunConfig& config);
/// Of texts, blocks of running text.
[[nodiscard]] bool isRunning(const RunConfig& config);

/// The common "data.*" fields (train/valid/test files, columns, tokenizer, max_length, same_language).
std::vector<FieldSpec> dataFields();

/// The tokenizers of an experiment alone, loaded or trained on its training split. Errors as
/// prepareDataset().
Result<Tokenizers> openTokenizers(const RunConfig& config, const std::filesystem::path& project);

/// The files that the data.* fields name, relative to the project: the splits, the prompts and, for parallel
/// corpora, their target sides.
[[nodiscard]] std::vector<std::string> corpusFiles(const RunConfig& config);

/// Tokenizer::hash() of both sides, as a run's record has them.
struct TokenizerHashes {
    std::string source, target;
};
/// What Dataset::sha256 would be with the corpora as they lie now. Only reads. Errors: those of reading.
Result<std::string> dataFingerprint(const RunConfig& config, const std::filesystem::path& project,
                                    const TokenizerHashes& tokenizers);

/// Progress 0..1 and what is being done ("training the tokenizer").
using Progress = std::function<void(double fraction, const std::string& what)>;
/// Loads or prepares. Packed splits are memory-mapped files under <project>/data/cache by content hash,
/// tokenizers lie under <project>/data/tokenizers/<hash12>; a second call with the same inputs is quick (< 1
/// s for the sample). Neither call holds a corpus in memory. Paths in the config are relative to the project
/// folder.
Result<Dataset> prepareDataset(const RunConfig& config, const std::filesystem::path& project,
                               const Progress& progress);
/// The same, but leaves no file: error data.not_prepared where a tokenizer would have to be trained.
Result<Dataset> preparedDataset(const RunConfig& config, const std::filesystem::path& project);

/// Rows of one step, padded with Split::special.pad. Sources and targets right-padded. Of documents every
/// sentence is a row.
struct Batch {
    std::int64_t epoch = 0, index = 0;  ///< which batch of which epoch
    int rows = 0, sourceLength = 0, targetLength = 0;
    std::vector<std::int32_t> source, target;                ///< [rows, sourceLength], [rows, targetLength]
    std::vector<std::int32_t> sourceLengths, targetLengths;  ///< [rows]
    std::vector<std::int32_t> pairs;                         ///< [rows], or [documents]: index into the split
    std::vector<std::int32_t> sentences;  ///< [documents] how many rows each has; empty without documents
    /// [documents] how many of them are given, not predicted; empty: none.
    std::vector<std::int32_t> promptSentences = {};
    [[nodiscard]] std::int64_t targetTokens() const;  ///< without padding
};

/// Endless stream of batches: pairs shuffled per epoch from the stream "data.shuffle", bucketed by length,
/// cut so that rows x longest side (sentence) <= batchTokens. position() names the next batch; seek()
/// reproduces it exactly, whatever the thread count.
class BatchStream {
public:
    struct Position {
        std::int64_t epoch = 0, index = 0;
    };
    BatchStream(std::shared_ptr<const Split> split, std::int64_t batchTokens, std::uint64_t seed);
    Batch next();
    [[nodiscard]] Position position() const { return position_; }
    void seek(Position position);
    [[nodiscard]] std::int64_t batchesPerEpoch() const;  ///< of the current epoch
    /// Pairs handed out before position(), since the first epoch began.
    [[nodiscard]] std::int64_t examplesBefore() const;
    /// position() as epochs: 2.5 is the middle of the third one's batches.
    [[nodiscard]] double epochs() const;

private:
    void plan();
    std::shared_ptr<const Split> split_;
    std::int64_t batchTokens_;
    std::uint64_t seed_;
    Position position_;
    std::vector<std::vector<std::int32_t>> batches_;
};

/// One padded batch of given pairs, in the given order (validation, fixed prompts).
Batch makeBatch(const Split& split, std::span<const std::int32_t> pairs);

}  // namespace kurve::text
